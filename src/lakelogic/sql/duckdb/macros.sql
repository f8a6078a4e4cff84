-- Spark's meaning of small things, as macros. Names begin with ll_. One macro may use those above it.
-- A macro is written out wherever it is used, with its arguments. What would be written out often is computed once instead:
-- list_transform([x], lambda ll_v: …)[1] is `let ll_v = x`. No column of a contract may be called like a variable here.

-- Text to other types. Spark trims blanks and control characters, and takes less than DuckDB does.
CREATE OR REPLACE MACRO ll_blanks() AS chr(0) || E'\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0A\x0B\x0C\x0D\x0E\x0F\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1A\x1B\x1C\x1D\x1E\x1F ';
CREATE OR REPLACE MACRO ll_trim_all(v) AS trim(v, ll_blanks() || E'\x7F');
CREATE OR REPLACE MACRO ll_trim_low(v) AS trim(v, ll_blanks());
CREATE OR REPLACE MACRO ll_whole_text(v) AS CASE WHEN regexp_full_match(ll_trim_all(v), '[+-]?[0-9]+') THEN ll_trim_all(v) END;
-- Text that is written as the number is printed needs no closer look, which is most text.
CREATE OR REPLACE MACRO ll_tinyint(v) AS CASE WHEN CAST(TRY_CAST(v AS TINYINT) AS VARCHAR) = v THEN TRY_CAST(v AS TINYINT) ELSE TRY_CAST(ll_whole_text(v) AS TINYINT) END;
CREATE OR REPLACE MACRO ll_smallint(v) AS CASE WHEN CAST(TRY_CAST(v AS SMALLINT) AS VARCHAR) = v THEN TRY_CAST(v AS SMALLINT) ELSE TRY_CAST(ll_whole_text(v) AS SMALLINT) END;
CREATE OR REPLACE MACRO ll_int(v) AS CASE WHEN CAST(TRY_CAST(v AS INTEGER) AS VARCHAR) = v THEN TRY_CAST(v AS INTEGER) ELSE TRY_CAST(ll_whole_text(v) AS INTEGER) END;
CREATE OR REPLACE MACRO ll_bigint(v) AS CASE WHEN CAST(TRY_CAST(v AS BIGINT) AS VARCHAR) = v THEN TRY_CAST(v AS BIGINT) ELSE TRY_CAST(ll_whole_text(v) AS BIGINT) END;
CREATE OR REPLACE MACRO ll_is_number(t) AS regexp_full_match(t, '[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?');
CREATE OR REPLACE MACRO ll_special_text(t) AS CASE WHEN lower(t) IN ('inf', '+inf', 'infinity', '+infinity') THEN 'inf' WHEN lower(t) IN ('-inf', '-infinity') THEN '-inf' WHEN lower(t) = 'nan' THEN 'nan' WHEN regexp_full_match(t, '.*[0-9.][dDfF]') AND ll_is_number(t[:-2]) THEN t[:-2] END;
CREATE OR REPLACE MACRO ll_number_text(v) AS list_transform([ll_trim_low(v)], lambda ll_t: CASE WHEN ll_is_number(ll_t) THEN ll_t ELSE ll_special_text(ll_t) END)[1];
CREATE OR REPLACE MACRO ll_double(v) AS CASE WHEN CAST(TRY_CAST(v AS DOUBLE) AS VARCHAR) = v THEN TRY_CAST(v AS DOUBLE) ELSE TRY_CAST(ll_number_text(v) AS DOUBLE) END;
CREATE OR REPLACE MACRO ll_float(v) AS CASE WHEN CAST(TRY_CAST(v AS FLOAT) AS VARCHAR) = v THEN TRY_CAST(v AS FLOAT) ELSE TRY_CAST(ll_number_text(v) AS FLOAT) END;
-- Java's decimals take the digits of every script.
CREATE OR REPLACE MACRO ll_wide_decimal_text(v) AS list_transform([ll_ascii_digits(ll_trim_low(v))], lambda ll_t: CASE WHEN ll_is_number(ll_t) THEN ll_t END)[1];
CREATE OR REPLACE MACRO ll_decimal_text(v) AS CASE WHEN ll_is_number(v) THEN v WHEN strlen(v) <> length(v) THEN ll_wide_decimal_text(v) ELSE list_transform([ll_trim_low(v)], lambda ll_t: CASE WHEN ll_is_number(ll_t) THEN ll_t END)[1] END;
CREATE OR REPLACE MACRO ll_boolean(v) AS CASE WHEN lower(ll_trim_all(v)) IN ('t', 'true', 'y', 'yes', '1') THEN true WHEN lower(ll_trim_all(v)) IN ('f', 'false', 'n', 'no', '0') THEN false END;

-- Text to moments: 2024, 2024-1 and 2024-1-5 are dates; a time may follow, and a zone after its seconds.
CREATE OR REPLACE MACRO ll_or_one(t) AS CASE WHEN t = '' THEN '01' ELSE lpad(t, 2, '0') END;
CREATE OR REPLACE MACRO ll_date_of_text(t) AS CASE WHEN regexp_full_match(t, '(?s)[+-]?[0-9]{4,7}(-[0-9]{1,2}(-[0-9]{1,2}([ T].*)?)?)?') THEN TRY_CAST(ltrim(regexp_extract(t, '^[+-]?[0-9]+'), '+') || '-' || ll_or_one(regexp_extract(t, '^[+-]?[0-9]+-([0-9]+)', 1)) || '-' || ll_or_one(regexp_extract(t, '^[+-]?[0-9]+-[0-9]+-([0-9]+)', 1)) AS DATE) END;
CREATE OR REPLACE MACRO ll_date(v) AS CASE WHEN length(v) = 10 AND CAST(TRY_CAST(v AS DATE) AS VARCHAR) = v THEN TRY_CAST(v AS DATE) ELSE list_transform([ll_trim_all(v)], lambda ll_t: ll_date_of_text(ll_t))[1] END;
CREATE OR REPLACE MACRO ll_moment_parts(t) AS regexp_extract(t, '^([+-]?[0-9]{4,6})(?:-([0-9]{1,2})(?:-([0-9]{1,2})(?:[ T]([0-9]{1,2})(?::([0-9]{1,2})(?::([0-9]{1,2})(?:\.([0-9]*))?([^0-9.][^\n]*|\.[^0-9\n][^\n]*)?)?)?)?)?)?$', ['y', 'mo', 'd', 'h', 'mi', 's', 'f', 'z']);
CREATE OR REPLACE MACRO ll_or_zero(t) AS lpad(t, 2, '0');
CREATE OR REPLACE MACRO ll_local_of_parts(p) AS CASE WHEN p.y <> '' AND ll_or_zero(p.h) < '24' AND ll_or_zero(p.s) < '60' THEN TRY_CAST(ltrim(p.y, '+') || '-' || ll_or_one(p.mo) || '-' || ll_or_one(p.d) || ' ' || ll_or_zero(p.h) || ':' || ll_or_zero(p.mi) || ':' || ll_or_zero(p.s) || '.' || rpad(p.f[:6], 6, '0') AS TIMESTAMP) END;
CREATE OR REPLACE MACRO ll_zone_minutes(z) AS CASE WHEN z IN ('', 'Z', 'UTC', 'GMT', 'UT') THEN 0 WHEN regexp_full_match(z, '(UTC|GMT|UT)?[+-]([0-9]|[01][0-9])(:?[0-5][0-9])?') AND NOT regexp_full_match(z, '.*[+-][0-9][0-5][0-9]') THEN (CASE WHEN contains(z, '-') THEN -1 ELSE 1 END) * (60 * TRY_CAST(regexp_extract(z, '[+-]([0-9]{1,2})', 1) AS INTEGER) + coalesce(TRY_CAST(regexp_extract(z, '[+-][0-9]{1,2}:?([0-5][0-9])', 1) AS INTEGER), 0)) END;
-- A constant is computed even where no row asks for it, so that it must be a zone in any case.
CREATE OR REPLACE MACRO ll_is_region(z) AS CASE WHEN contains(z, '/') THEN ll_is_zone(z) ELSE false END;
CREATE OR REPLACE MACRO ll_region(z) AS CASE WHEN ll_is_region(z) THEN z ELSE 'UTC' END;
-- A wall clock that comes twice is the first of the two.
CREATE OR REPLACE MACRO ll_earlier(local, z, found, by_offset_before) AS CASE WHEN TRY(timezone(z, by_offset_before)) = local THEN by_offset_before ELSE found END;
CREATE OR REPLACE MACRO ll_at_zone(local, z) AS CASE WHEN abs(ll_zone_minutes(z)) <= 1080 THEN CAST(local - to_minutes(ll_zone_minutes(z)) AS TIMESTAMPTZ) WHEN ll_is_region(z) THEN ll_earlier(local, ll_region(z), TRY(timezone(ll_region(z), local)), TRY(timezone(ll_region(z), local - INTERVAL 1 DAY)) + INTERVAL 1 DAY) END;
CREATE OR REPLACE MACRO ll_moment_of_parts(p) AS list_transform([{'local': ll_local_of_parts(p), 'zone': trim(p.z)}], lambda ll_m: ll_at_zone(ll_m.local, ll_m.zone))[1];
CREATE OR REPLACE MACRO ll_moment_of_text(v) AS list_transform([ll_moment_parts(ll_trim_all(v))], lambda ll_p: ll_moment_of_parts(ll_p))[1];
CREATE OR REPLACE MACRO ll_local_of_text(v) AS list_transform([ll_moment_parts(ll_trim_all(v))], lambda ll_p: CASE WHEN ll_moment_of_parts(ll_p) IS NOT NULL THEN ll_local_of_parts(ll_p) END)[1];
CREATE OR REPLACE MACRO ll_is_plain_moment(v) AS length(v) BETWEEN 19 AND 26 AND CAST(TRY_CAST(v AS TIMESTAMP) AS VARCHAR) = v;
-- The other common form, 2024-01-05T10:11:12.500Z, made plain.
CREATE OR REPLACE MACRO ll_plain_of_iso(v) AS CASE WHEN length(v) BETWEEN 20 AND 27 AND v[11] = 'T' AND v[-1] = 'Z' THEN v[:10] || ' ' || CASE WHEN v[20] = '.' THEN rtrim(rtrim(v[12:-2], '0'), '.') ELSE v[12:-2] END END;
CREATE OR REPLACE MACRO ll_moment_of_plain(t) AS CASE WHEN CAST(TRY_CAST(t AS TIMESTAMP) AS VARCHAR) = t THEN CAST(TRY_CAST(t AS TIMESTAMP) AS TIMESTAMPTZ) END;
CREATE OR REPLACE MACRO ll_moment_of_iso(v) AS list_transform([ll_plain_of_iso(v)], lambda ll_t: ll_moment_of_plain(ll_t))[1];
CREATE OR REPLACE MACRO ll_timestamp(v) AS CASE WHEN ll_is_plain_moment(v) THEN CAST(TRY_CAST(v AS TIMESTAMP) AS TIMESTAMPTZ) ELSE coalesce(ll_moment_of_iso(v), ll_moment_of_text(v)) END;
CREATE OR REPLACE MACRO ll_timestamp_ntz(v) AS CASE WHEN ll_is_plain_moment(v) THEN TRY_CAST(v AS TIMESTAMP) ELSE ll_local_of_text(v) END;

-- Numbers and moments to text. Spark writes 1.0E10 where DuckDB writes 10000000000.0.
CREATE OR REPLACE MACRO ll_with_point(digits) AS digits[1] || '.' || CASE WHEN length(rtrim(digits, '0')) > 1 THEN rtrim(digits, '0')[2:] ELSE '0' END;
CREATE OR REPLACE MACRO ll_exponent_of(t) AS CASE WHEN contains(t, 'e') THEN TRY_CAST(split_part(t, 'e', 2) AS INTEGER) WHEN t[:2] = '0.' THEN length(ltrim(t[3:], '0')) - length(t) + 1 ELSE length(split_part(t, '.', 1)) - 1 END;
-- Java prints two digits at least, and of a number that one digit tells the nearest two.
CREATE OR REPLACE MACRO ll_one_digit(x, t) AS CASE WHEN regexp_full_match(t, '[0-9]e-[0-9]+') THEN format('{:.1e}', CAST(x AS DOUBLE)) ELSE t END;
CREATE OR REPLACE MACRO ll_scientific(t) AS list_transform([t], lambda ll_u: ll_with_point(ltrim(replace(split_part(ll_u, 'e', 1), '.', ''), '0')) || 'E' || ll_exponent_of(ll_u))[1];
CREATE OR REPLACE MACRO ll_odd_text(x, t) AS CASE WHEN isnan(x) THEN 'NaN' WHEN isinf(x) THEN CASE WHEN x > 0 THEN 'Infinity' ELSE '-Infinity' END WHEN x = 0 THEN t ELSE CASE WHEN x < 0 THEN '-' ELSE '' END || ll_scientific(ll_one_digit(abs(x), ltrim(t, '-'))) END;
CREATE OR REPLACE MACRO ll_fraction_text(x) AS CASE WHEN abs(x) >= 0.001 AND abs(x) < 10000000 THEN CAST(x AS VARCHAR) ELSE list_transform([{'x': x, 't': CAST(x AS VARCHAR)}], lambda ll_p: ll_odd_text(ll_p.x, ll_p.t))[1] END;


CREATE OR REPLACE MACRO ll_signed_year(y) AS CASE WHEN y > 9999 THEN '+' || y WHEN y < 0 THEN '-' || lpad(CAST(-y AS VARCHAR), 4, '0') ELSE lpad(CAST(y AS VARCHAR), 4, '0') END;
CREATE OR REPLACE MACRO ll_odd_date_text(d) AS ll_signed_year(year(d)) || strftime(d, '-%m-%d');
CREATE OR REPLACE MACRO ll_date_text(d) AS CASE WHEN d BETWEEN DATE '0001-01-01' AND DATE '9999-12-31' THEN CAST(d AS VARCHAR) ELSE list_transform([d], lambda ll_e: ll_odd_date_text(ll_e))[1] END;
CREATE OR REPLACE MACRO ll_odd_timestamp_text(ts) AS ll_signed_year(year(ts)) || rtrim(rtrim(strftime(ts, '-%m-%d %H:%M:%S.%f'), '0'), '.');
CREATE OR REPLACE MACRO ll_timestamp_text(ts) AS CASE WHEN ts BETWEEN TIMESTAMP '0001-01-01' AND TIMESTAMP '9999-12-31 23:59:59.999999' THEN CAST(ts AS VARCHAR) ELSE list_transform([ts], lambda ll_e: ll_odd_timestamp_text(ll_e))[1] END;

-- A cast would go through the calendar of the time zone, which is UTC.
CREATE OR REPLACE MACRO ll_local(ts) AS make_timestamp(epoch_us(ts));

-- Between numbers and moments. A double that is too large for its type is NULL, but 2^63 becomes the largest bigint.
CREATE OR REPLACE MACRO ll_bigint_of(x) AS CASE WHEN x = 9223372036854775808 THEN 9223372036854775807 ELSE TRY_CAST(trunc(x) AS BIGINT) END;
CREATE OR REPLACE MACRO ll_saturated(x) AS CASE WHEN isnan(x) THEN 0 WHEN x >= 9223372036854775807 THEN 9223372036854775807 WHEN x <= -9223372036854775808 THEN -9223372036854775808 ELSE TRY_CAST(x AS BIGINT) END;
CREATE OR REPLACE MACRO ll_float_of(x) AS CASE WHEN isfinite(x) AND abs(x) >= 3.4028235677973366e38 THEN CASE WHEN x > 0 THEN CAST('inf' AS FLOAT) ELSE CAST('-inf' AS FLOAT) END ELSE TRY_CAST(x AS FLOAT) END;
CREATE OR REPLACE MACRO ll_timestamp_of_micros(n) AS TRY(make_timestamptz(n));
CREATE OR REPLACE MACRO ll_timestamp_of_seconds(n) AS ll_timestamp_of_micros(TRY_CAST(CAST(n AS HUGEINT) * 1000000 AS BIGINT));
CREATE OR REPLACE MACRO ll_timestamp_of_double(x) AS CASE WHEN isfinite(x) THEN ll_timestamp_of_micros(ll_saturated(trunc(x * 1000000))) END;
CREATE OR REPLACE MACRO ll_floor_div(n, m) AS (n - ((n % m) + m) % m) // m;
CREATE OR REPLACE MACRO ll_epoch_seconds(ts) AS ll_floor_div(epoch_us(ts), 1000000);

-- Numbers.
CREATE OR REPLACE MACRO ll_digits(d) AS CAST(replace(CAST(d AS VARCHAR), '.', '') AS HUGEINT);
CREATE OR REPLACE MACRO ll_half_up(a, b) AS a // b + CASE WHEN a % b >= b - a % b THEN 1 ELSE 0 END;
CREATE OR REPLACE MACRO ll_signed_quotient(a, b) AS CASE WHEN b <> 0 THEN CASE WHEN (a < 0) <> (b < 0) THEN -ll_half_up(abs(a), abs(b)) ELSE ll_half_up(abs(a), abs(b)) END END;
CREATE OR REPLACE MACRO ll_quotient(n, d) AS list_transform([{'n': n, 'd': d}], lambda ll_p: ll_signed_quotient(ll_p.n, ll_p.d))[1];
CREATE OR REPLACE MACRO ll_scaled(n, scale) AS CASE WHEN n < 0 THEN '-' ELSE '' END || CASE WHEN length(CAST(abs(n) AS VARCHAR)) > scale THEN left(CAST(abs(n) AS VARCHAR), -scale) ELSE '0' END || '.' || lpad(right(CAST(abs(n) AS VARCHAR), scale), scale, '0');
CREATE OR REPLACE MACRO ll_fmod(a, b) AS CASE WHEN b <> 0 THEN a % b END;
CREATE OR REPLACE MACRO ll_wrapped(n, above) AS CASE WHEN n >= above THEN n - 2 * above WHEN n < -above THEN n + 2 * above ELSE n END;
CREATE OR REPLACE MACRO ll_wrapped_pmod(a, b, above) AS CASE WHEN b <> 0 THEN CASE WHEN a % b < 0 THEN ll_wrapped(a % b + b, above) % b ELSE a % b END END;
CREATE OR REPLACE MACRO ll_pmod(n, d, above) AS list_transform([{'n': n, 'd': d}], lambda ll_p: ll_wrapped_pmod(ll_p.n, ll_p.d, above))[1];
CREATE OR REPLACE MACRO ll_div(a, b) AS CASE WHEN b = 0 THEN NULL WHEN b = -1 AND a = -9223372036854775808 THEN a ELSE a // b END;
CREATE OR REPLACE MACRO ll_abs(n, lowest) AS CASE WHEN n = lowest THEN n ELSE abs(n) END;
CREATE OR REPLACE MACRO ll_sign(x) AS CASE WHEN isnan(x) OR x = 0 THEN x ELSE sign(x) END;
CREATE OR REPLACE MACRO ll_sqrt(x) AS CASE WHEN x < 0 THEN CAST('nan' AS DOUBLE) ELSE sqrt(x) END;
CREATE OR REPLACE MACRO ll_log(base, x) AS CASE WHEN (x > 0 AND base > 0) OR isnan(x) OR isnan(base) THEN ln(x) / ln(base) END;
-- Away from a half, the binary fraction rounds as its printed digits do; near one, the digits decide.
CREATE OR REPLACE MACRO ll_is_clear(y) AS y < 1e15 AND abs(y - floor(y) - 0.5) > y * 1e-15 + 1e-9;
CREATE OR REPLACE MACRO ll_round_double(x, power, digits) AS CASE WHEN ll_is_clear(abs(x) * power) THEN round(x * power) / power + 0.0::DOUBLE WHEN digits IS NULL THEN x ELSE CAST(CAST(digits AS VARCHAR) AS DOUBLE) END;
CREATE OR REPLACE MACRO ll_round_float(x, digits) AS CASE WHEN digits IS NULL THEN x ELSE CAST(CAST(digits AS VARCHAR) AS FLOAT) END;

-- Text. Positions count code points from 1; DuckDB and Spark differ at 0, below 0 and beyond the end.
-- array_to_string wants a separator that is a constant.
CREATE OR REPLACE MACRO ll_glued(l, separator) AS CASE WHEN len(l) = 0 THEN '' ELSE list_reduce(l, lambda ll_a, ll_b: ll_a || separator || ll_b) END;
-- DuckDB maps one character to one; in Spark ß becomes SS, and Σ at the end of a word ς. These are all the letters that differ.
CREATE OR REPLACE MACRO ll_upper(s) AS CASE WHEN strlen(s) = length(s) OR NOT regexp_matches(s, '[ßŉƛǰɤΐΰև\x{1C8A}\x{1E96}-\x{1E9A}\x{1F50}-\x{1FFC}\x{A7CD}\x{A7DB}\x{FB00}-\x{FB17}\x{10D70}-\x{10D85}]') THEN upper(s) ELSE ll_wide_upper(s) END;
CREATE OR REPLACE MACRO ll_lower(s) AS CASE WHEN strlen(s) = length(s) OR NOT regexp_matches(s, '[İΣ\x{1C89}\x{A7CB}-\x{A7DC}\x{10D50}-\x{10D65}]') THEN lower(s) ELSE ll_wide_lower(s) END;
CREATE OR REPLACE MACRO ll_ascii_initcap(s) AS ll_glued(list_transform(string_split(lower(s), ' '), lambda ll_w: upper(ll_w[1]) || ll_w[2:]), ' ');
CREATE OR REPLACE MACRO ll_initcap(s) AS CASE WHEN strlen(s) = length(s) THEN ll_ascii_initcap(s) ELSE ll_wide_initcap(s) END;
CREATE OR REPLACE MACRO ll_reverse(s) AS array_to_string(list_reverse(string_split(s, '')), '');
CREATE OR REPLACE MACRO ll_between(s, first, until) AS CASE WHEN until > first THEN substring(s, greatest(first, 0) + 1, until - greatest(first, 0)) WHEN s IS NOT NULL AND until IS NOT NULL THEN '' END;
CREATE OR REPLACE MACRO ll_start(s, position) AS CASE WHEN position > 0 THEN CAST(position AS BIGINT) - 1 WHEN position < 0 THEN length(s) + position ELSE 0 END;
CREATE OR REPLACE MACRO ll_cut(s, position, size) AS CASE WHEN position IS NOT NULL THEN ll_between(s, ll_start(s, position), ll_start(s, position) + CAST(size AS BIGINT)) END;
CREATE OR REPLACE MACRO ll_substring(whole, first, size) AS list_transform([{'s': whole, 'n': first}], lambda ll_p: ll_cut(ll_p.s, ll_p.n, size))[1];
CREATE OR REPLACE MACRO ll_left(s, n) AS CASE WHEN n <= 0 THEN CASE WHEN s IS NOT NULL THEN '' END ELSE left(s, n) END;
CREATE OR REPLACE MACRO ll_right(s, n) AS CASE WHEN n <= 0 THEN CASE WHEN s IS NOT NULL THEN '' END ELSE right(s, n) END;
CREATE OR REPLACE MACRO ll_instr(s, part) AS CASE WHEN part = '' THEN CASE WHEN s IS NOT NULL THEN 1 END ELSE instr(s, part) END;
CREATE OR REPLACE MACRO ll_after(found, position) AS CASE WHEN found > 0 THEN found + position - 1 ELSE 0 END;
CREATE OR REPLACE MACRO ll_locate(part, s, position) AS CASE WHEN position IS NULL THEN 0 WHEN part IS NULL OR s IS NULL THEN NULL WHEN position < 1 THEN 0 WHEN part = '' THEN 1 ELSE ll_after(instr(substring(s, position), part), position) END;
CREATE OR REPLACE MACRO ll_replace(s, old, new) AS CASE WHEN old = '' THEN s ELSE replace(s, old, new) END;
CREATE OR REPLACE MACRO ll_lpad(s, n, pad) AS CASE WHEN n <= 0 AND s IS NOT NULL AND pad IS NOT NULL THEN '' WHEN pad = '' THEN left(s, n) ELSE lpad(s, n, pad) END;
CREATE OR REPLACE MACRO ll_rpad(s, n, pad) AS CASE WHEN n <= 0 AND s IS NOT NULL AND pad IS NOT NULL THEN '' WHEN pad = '' THEN left(s, n) ELSE rpad(s, n, pad) END;
CREATE OR REPLACE MACRO ll_ascii(s) AS CASE WHEN s = '' THEN 0 ELSE unicode(s) END;
CREATE OR REPLACE MACRO ll_first_parts(parts, n, separator) AS CASE WHEN len(parts) <= n THEN parts ELSE parts[:n - 1] || [ll_glued(parts[n:], separator)] END;
CREATE OR REPLACE MACRO ll_split_part(s, separator, n) AS CASE WHEN separator = '' THEN CASE WHEN n IN (1, -1) THEN s WHEN s IS NOT NULL AND n <> 0 THEN '' END WHEN n <> 0 THEN CASE WHEN s IS NOT NULL AND separator IS NOT NULL THEN coalesce(string_split(s, separator)[n], '') END END;
CREATE OR REPLACE MACRO ll_substring_index(s, separator, n) AS CASE WHEN separator IS NULL THEN NULL WHEN n = 0 OR separator = '' THEN CASE WHEN s IS NOT NULL AND separator IS NOT NULL THEN '' END WHEN n > 0 THEN ll_glued(string_split(s, separator)[:n], separator) ELSE ll_glued(string_split(s, separator)[n:], separator) END;
CREATE OR REPLACE MACRO ll_unhex(s) AS CASE WHEN regexp_full_match(s, '[0-9A-Fa-f]*') THEN unhex(CASE WHEN length(s) % 2 = 1 THEN '0' || s ELSE s END) END;

-- Dates and moments.
CREATE OR REPLACE MACRO ll_seconds(ts) AS CAST(second(ts) || '.' || lpad(CAST(epoch_us(ts) - 1000000 * ll_epoch_seconds(ts) AS VARCHAR), 6, '0') AS DECIMAL(8,6));
CREATE OR REPLACE MACRO ll_next_day(d, weekday) AS d + CAST(1 + (weekday - dayofweek(d) + 6) % 7 AS INTEGER);
CREATE OR REPLACE MACRO ll_parsed(v, accepted, form) AS CASE WHEN regexp_full_match(v, accepted) THEN try_strptime(v, form) END;
CREATE OR REPLACE MACRO ll_month_number(ts) AS 12 * year(ts) + month(ts);
CREATE OR REPLACE MACRO ll_time_of(ts) AS epoch_us(ts) - epoch_us(date_trunc('day', ts));
CREATE OR REPLACE MACRO ll_month_key(d) AS 32 * ll_month_number(d) + day(d);
CREATE OR REPLACE MACRO ll_whole_day(a, b) AS CAST(b AS DATE) + CASE WHEN CAST(b AS DATE) > CAST(a AS DATE) AND ll_time_of(b) < ll_time_of(a) THEN -1 WHEN CAST(b AS DATE) < CAST(a AS DATE) AND ll_time_of(b) > ll_time_of(a) THEN 1 ELSE 0 END;
CREATE OR REPLACE MACRO ll_same_month_end(a, b) AS day(a) = day(b) OR (day(a) = day(last_day(a)) AND day(b) = day(last_day(b)));
CREATE OR REPLACE MACRO ll_month_difference(a, b) AS CASE WHEN ll_same_month_end(a, b) THEN CAST(ll_month_number(a) - ll_month_number(b) AS DOUBLE) ELSE CAST(CAST(CAST(CAST((ll_month_number(a) - ll_month_number(b)) + ((day(a) - day(b)) * 86400 + (epoch_us(a) - epoch_us(date_trunc('day', a))) // 1000000 - (epoch_us(b) - epoch_us(date_trunc('day', b))) // 1000000) / 2678400.0::DOUBLE AS VARCHAR) AS DECIMAL(38,8)) AS VARCHAR) AS DOUBLE) END;
CREATE OR REPLACE MACRO ll_months_between(later, earlier) AS list_transform([{'a': later, 'b': earlier}], lambda ll_p: ll_month_difference(ll_p.a, ll_p.b))[1];
CREATE OR REPLACE MACRO ll_months_until(a, b) AS (ll_month_key(ll_whole_day(a, b)) - ll_month_key(a)) // 32;
CREATE OR REPLACE MACRO ll_whole_months(start, until) AS list_transform([{'a': start, 'b': until}], lambda ll_p: ll_months_until(ll_p.a, ll_p.b))[1];
CREATE OR REPLACE MACRO ll_format(ts, form) AS CASE WHEN year(ts) > 9999 THEN strftime(ts, replace(form, '%Y', '+%Y')) ELSE strftime(ts, form) END;
CREATE OR REPLACE MACRO ll_sequence(a, b, step) AS CASE WHEN a IS NOT NULL AND b IS NOT NULL THEN generate_series(a, b, coalesce(step, CASE WHEN a <= b THEN 1 ELSE -1 END)) END;
CREATE OR REPLACE MACRO ll_steps(a, b, span) AS CASE WHEN a <= b THEN generate_series(a, b, span) END;
CREATE OR REPLACE MACRO ll_month_steps(a, b, months) AS CASE WHEN a <= b THEN list_filter(list_transform(generate_series(0, (ll_month_number(b) - ll_month_number(a)) // months + 1), lambda ll_n: a + to_months(CAST(ll_n * months AS INTEGER))), lambda ll_t: ll_t <= b) END;

-- Lists. Elements that are NULL make some answers unknown.
CREATE OR REPLACE MACRO ll_item(l, i) AS CASE WHEN i >= 0 THEN list_extract(l, CAST(i AS BIGINT) + 1) END;
CREATE OR REPLACE MACRO ll_has_null(l) AS list_position(l, NULL) IS NOT NULL;
CREATE OR REPLACE MACRO ll_contains(l, v) AS CASE WHEN v IS NULL OR l IS NULL THEN NULL WHEN list_contains(l, v) THEN true WHEN ll_has_null(l) THEN NULL ELSE false END;
CREATE OR REPLACE MACRO ll_position(l, v) AS CASE WHEN v IS NOT NULL AND l IS NOT NULL THEN CAST(coalesce(list_position(l, v), 0) AS BIGINT) END;
CREATE OR REPLACE MACRO ll_without(l, v) AS CASE WHEN v IS NOT NULL THEN list_filter(l, lambda ll_e: ll_e IS DISTINCT FROM v) END;
CREATE OR REPLACE MACRO ll_distinct(l) AS list_filter(l, lambda ll_e, ll_i: list_position(l, ll_e) = ll_i);
CREATE OR REPLACE MACRO ll_intersect(a, b) AS CASE WHEN b IS NOT NULL THEN list_filter(ll_distinct(a), lambda ll_e: list_position(b, ll_e) IS NOT NULL) END;
CREATE OR REPLACE MACRO ll_except(a, b) AS CASE WHEN b IS NOT NULL THEN list_filter(ll_distinct(a), lambda ll_e: list_position(b, ll_e) IS NULL) END;
CREATE OR REPLACE MACRO ll_overlap(a, b) AS CASE WHEN a IS NULL OR b IS NULL THEN NULL WHEN list_has_any(a, b) THEN true WHEN len(a) > 0 AND len(b) > 0 AND (ll_has_null(a) OR ll_has_null(b)) THEN NULL ELSE false END;
CREATE OR REPLACE MACRO ll_any(l) AS CASE WHEN list_contains(l, true) THEN true WHEN ll_has_null(l) THEN NULL WHEN l IS NOT NULL THEN false END;
CREATE OR REPLACE MACRO ll_all(l) AS CASE WHEN list_contains(l, false) THEN false WHEN ll_has_null(l) THEN NULL WHEN l IS NOT NULL THEN true END;
CREATE OR REPLACE MACRO ll_joined(l, separator) AS CASE WHEN separator IS NOT NULL AND l IS NOT NULL THEN ll_glued(list_filter(l, lambda ll_e: ll_e IS NOT NULL), separator) END;
CREATE OR REPLACE MACRO ll_slice(l, first, size) AS CASE WHEN first > len(l) OR -first > len(l) THEN l[:0] WHEN first > 0 THEN list_slice(l, first, first + size - 1) ELSE list_slice(l, len(l) + first + 1, len(l) + first + size) END;

-- Aggregates.
CREATE OR REPLACE MACRO ll_wrapped_sum(n) AS CAST(((n + 9223372036854775808) % 18446744073709551616 + 18446744073709551616) % 18446744073709551616 - 9223372036854775808 AS BIGINT);

-- JSON. What is no number is text there.
CREATE OR REPLACE MACRO ll_json_fraction(x) AS CASE WHEN isfinite(x) THEN ll_fraction_text(x) WHEN isnan(x) THEN '"NaN"' WHEN x > 0 THEN '"Infinity"' WHEN x < 0 THEN '"-Infinity"' END;
-- Text, whole numbers and booleans are found by DuckDB itself, in documents that both readers take.
CREATE OR REPLACE MACRO ll_is_plain_json(js, path) AS TRY(json_type(js, path)) IN ('VARCHAR', 'BOOLEAN', 'BIGINT', 'UBIGINT') AND NOT regexp_matches(js, ',\s*[\]}]|[nN]a[nN]|[iI]nf');
CREATE OR REPLACE MACRO ll_json(js, path, steps) AS CASE WHEN ll_is_plain_json(js, path) THEN TRY(json_extract_string(js, path)) ELSE ll_json_at(js, steps) END;
