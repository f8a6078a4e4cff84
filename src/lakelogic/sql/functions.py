"""The functions that contract SQL may call. Anything else is refused: the list is what is known to be safe."""

from __future__ import annotations

_TEXT = """
ascii base64 bit_length btrim char char_length character_length chr collate concat concat_ws contains crc32 decode
elt encode endswith find_in_set format_number format_string hex ilike initcap instr is_valid_utf8 lcase left len length
levenshtein like locate lower lpad ltrim luhn_check make_valid_utf8 mask md5 octet_length overlay parse_url position
printf quote regexp regexp_count regexp_extract regexp_extract_all regexp_instr regexp_like regexp_replace
regexp_substr repeat replace reverse right rlike rpad rtrim sentences sha sha1 sha2 soundex space split split_part
startswith substr substring substring_index to_binary to_char to_number to_varchar translate trim try_parse_url
try_to_binary try_to_number try_url_decode try_validate_utf8 ucase unbase64 unhex upper url_decode url_encode
"""
_NUMBERS = """
abs acos acosh asin asinh atan atan2 atanh bin bit_count bit_get bround cbrt ceil ceiling conv cos cosh cot csc degrees
div e exp expm1 factorial floor getbit greatest hypot isnan least ln log log10 log1p log2 mod nanvl negative pi pmod
positive pow power radians rint round sec shiftleft shiftright shiftrightunsigned sign signum sin sinh sqrt tan tanh
try_add try_divide try_mod try_multiply try_subtract width_bucket
"""
_TIME = """
add_months convert_timezone curdate current_date current_timestamp current_timezone date date_add date_diff date_format
date_from_unix_date date_part date_sub date_trunc dateadd datediff datepart day dayname dayofmonth dayofweek dayofyear
extract from_unixtime from_utc_timestamp hour last_day localtimestamp make_date make_dt_interval make_interval
make_timestamp make_timestamp_ltz make_timestamp_ntz make_ym_interval minute month monthname months_between next_day
now quarter second timestamp timestamp_micros timestamp_millis timestamp_seconds timestampadd timestampdiff to_date
to_timestamp to_timestamp_ltz to_timestamp_ntz to_unix_timestamp to_utc_timestamp trunc try_make_interval
try_make_timestamp try_make_timestamp_ltz try_make_timestamp_ntz try_to_date try_to_timestamp unix_date unix_micros
unix_millis unix_seconds unix_timestamp weekday weekofyear year
"""
_LOGIC = """
between bigint binary boolean case cast coalesce decimal double equal_null exists float if ifnull in int isnotnull
isnull not nullif nullifzero nvl nvl2 smallint string tinyint try_cast typeof when zeroifnull
"""
_NESTED = """
aggregate array array_append array_compact array_contains array_distinct array_except array_insert array_intersect
array_join array_max array_min array_position array_prepend array_remove array_repeat array_size array_sort array_union
arrays_overlap arrays_zip cardinality element_at filter flatten forall get map map_concat map_contains_key map_entries
map_filter map_from_arrays map_from_entries map_keys map_values map_zip_with named_struct reduce sequence size slice
sort_array str_to_map struct transform transform_keys transform_values try_element_at zip_with explode explode_outer
posexplode posexplode_outer inline inline_outer stack
"""
_DOCUMENTS = """
from_csv from_json get_json_object json_array_length json_object_keys json_tuple parse_json schema_of_json to_csv
to_json try_parse_json try_variant_get variant_get is_variant_null
"""
_AGGREGATES = """
any any_value approx_count_distinct approx_percentile array_agg avg bit_and bit_or bit_xor bool_and bool_or
collect_list collect_set corr count count_if covar_pop covar_samp cume_dist dense_rank every first first_value grouping
grouping_id hash kurtosis lag last last_value lead listagg max max_by mean median min min_by mode nth_value ntile
percent_rank percentile percentile_approx rank regr_slope row_number skewness some std
stddev stddev_pop stddev_samp string_agg sum try_avg try_sum var_pop var_samp variance xxhash64
"""

ALLOWED = frozenset(f"{_TEXT} {_NUMBERS} {_TIME} {_LOGIC} {_NESTED} {_DOCUMENTS} {_AGGREGATES}".split())

# Words that may stand before a parenthesis without being a call.
KEYWORDS = frozenset(
    "and as by distinct else except filter from having in interval intersect is join lateral like ilike rlike regexp "
    "limit not offset on or order over partition qualify select then union using values view when where with within "
    "group rows range struct all any some exists cross inner left right full outer semi anti case end between".split()
)

_REASONS = {
    "rand": "a random value: rows are judged more than once and would be lost or doubled",
    "current_user": "its value depends on who runs the contract",
    "reflect": "it runs code outside SQL",
    "raise_error": "it would abort the run; write a rule",
    "percentile_cont": "its order can't be written for every engine; write percentile(column, share)",
    "input_file_name": "its value depends on how the file is read; turn on lineage for the source path",
}
_SAME_REASON = {
    "randn": "rand",
    "random": "rand",
    "randstr": "rand",
    "uuid": "rand",
    "uniform": "rand",
    "shuffle": "rand",
    "monotonically_increasing_id": "rand",
    "spark_partition_id": "rand",
    "session_user": "current_user",
    "user": "current_user",
    "current_catalog": "current_user",
    "current_database": "current_user",
    "current_schema": "current_user",
    "java_method": "reflect",
    "try_reflect": "reflect",
    "assert_true": "raise_error",
    "percentile_disc": "percentile_cont",
    "input_file_block_start": "input_file_name",
    "input_file_block_length": "input_file_name",
}


def why_refused(name: str) -> str:
    """The reason a function is not on the list, in words."""
    return _REASONS.get(_SAME_REASON.get(name, name), "it is not on the list of functions that a contract may call")
