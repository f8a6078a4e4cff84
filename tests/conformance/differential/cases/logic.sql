i = j
i <> j
i < b
i <= h
x = y
x < y
x >= y
x <=> y
NOT x <=> y
x = i
b = x
p = q
p > i
p < b
p = x
big > p
s = t
s < t
s >= 'a'
s = 'Hello World'
num = 12
num > 5
num = 12.7
num < x
day = d
day > e
day < ts
d = e
d < ts
ts > u
ts = n
n < u
flag = ok
flag <=> ok
flag AND ok
flag OR ok
NOT flag
flag AND i > 0
i IS NULL
s IS NOT NULL
flag IS TRUE
flag IS NOT TRUE
flag IS FALSE
i BETWEEN -5 AND 7
x BETWEEN 0 AND 2.5
s BETWEEN 'a' AND 'n'
num BETWEEN 1 AND 20
d BETWEEN DATE'2023-01-01' AND DATE'2024-12-31'
ts BETWEEN '2024-01-01' AND '2024-12-31'
i NOT BETWEEN 0 AND 5
i IN (1, 7, 255)
i IN (1, NULL)
i NOT IN (1, 7)
i NOT IN (1, NULL)
s IN ('hello', 'ABC', '')
x IN (1, 2.5)
p IN (12.34, 0)
d IN (DATE'2024-02-29')
b IN (1, 86400, 9223372036854775807)
a = a2
! a < a2
w = array('a', 'b')
st = st
st.c = array(1, 2)
coalesce(i, j)
coalesce(i, b, 0)
coalesce(s, t, 'none')
coalesce(p, i)
coalesce(p, q)
coalesce(x, i, p)
coalesce(d, ts)
coalesce(i, s)
coalesce(a, a2)
coalesce(NULL, i)
nvl(s, 'x')
ifnull(i, 0)
nvl2(i, 'there', 'not')
nvl2(x, p, 1)
nullif(i, 7)
nullif(s, '')
nullif(x, 0)
nullif(i, b)
nullifzero(i)
zeroifnull(i)
zeroifnull(x)
if(i > 0, 'plus', 'minus')
if(flag, i, b)
if(flag, p, i)
if(flag, NULL, x)
if(i > 0, d, ts)
CASE WHEN i > 0 THEN 'plus' WHEN i < 0 THEN 'minus' ELSE 'zero' END
CASE WHEN flag THEN 1 END
CASE i WHEN 1 THEN 'one' WHEN 7 THEN 'seven' END
CASE s WHEN 'hello' THEN 1 ELSE 2.5 END
CASE WHEN flag THEN i WHEN ok THEN p ELSE x END
CASE WHEN x > 1 THEN c WHEN x < 0 THEN h ELSE i END
greatest(i, j)
greatest(i, b, x)
greatest(s, t)
greatest(d, e)
greatest(x, y)
greatest(p, q)
least(i, j, 0)
least(x, y)
least(s, t, 'm')
least(ts, u)
isnull(s)
isnotnull(a)
equal_null(i, j)
equal_null(s, t)
typeof(p)
typeof(i + 1)
s LIKE 'h%'
s LIKE '%l%o%'
s LIKE '_ello'
s LIKE '%\\%%'
s LIKE '\\%\\_'
s LIKE ''
s LIKE '%'
s LIKE '日本%'
s LIKE '_\\\\_'
s LIKE 'a!_%' ESCAPE '!'
s NOT LIKE '%a%'
s ILIKE 'H%'
s ILIKE '%WORLD'
! s LIKE t
! s LIKE 'a\\b'
1 = 1
NULL = 1
NULL AND false
true
! flag = 1
s || t
s || i || p
