i + j
i + 1
i + b
b + b
c + c
c + h
h + i
x + y
x + i
f + f
f + i
f + b
f + x
p + p
p + q
p + i
p + b
p + x
p + 1.5
q + 0.001
1.5 + 2.25
i - j
b - i
c - c
x - y
p - q
d - 1
d + 1
i * j
b * b
b * i
c * c
x * y
f * f
p * p
p * i
p * x
p * 1.1
q * q
i / j
i / 0
b / i
x / y
x / 0
f / f
p / 2
p / p
p / i
p / x
q / p
1 / 3
1.0 / 3
i % j
i % 0
-7 % 3
b % i
c % h
x % y
p % 3
p % q
mod(i, 5)
pmod(i, j)
pmod(-7, 3)
pmod(b, 7)
i DIV j
b DIV i
b DIV -1
7 DIV -2
c DIV h
-i
-c
-x
-p
- -i
-(i + j)
abs(i)
abs(b)
abs(x)
abs(p)
abs(f)
sign(i)
sign(x)
signum(p)
round(x)
round(x, 2)
round(x, 1)
round(2.5)
round(-2.5)
round(0.125, 2)
round(f, 1)
round(p)
round(p, 1)
round(p, 5)
round(q, 3)
round(i)
round(i, 2)
! round(i, -1)
! round(p, -1)
! round(x, j)
! bround(x, 1)
! bround(2.5)
ceil(x)
ceil(p)
ceil(i)
ceiling(f)
floor(x)
floor(p)
floor(b)
floor(-0.5)
! ceil(x, 1)
! floor(p, 1)
sqrt(x)
sqrt(i)
sqrt(p)
cbrt(y)
exp(y)
ln(x)
ln(i)
log(y)
log10(x)
log2(x)
log(2, y)
! log1p(y)
! expm1(y)
pow(y, 2)
power(i, 2)
pow(x, y)
sin(y)
cos(y)
tan(y)
asin(y)
acos(y)
atan(y)
atan2(x, y)
sinh(y)
cosh(y)
tanh(y)
degrees(y)
radians(y)
pi()
e()
isnan(x)
isnan(f)
nanvl(x, 0)
nanvl(x, y)
positive(i)
i & j
i | j
i ^ j
~i
b & 255
! shiftleft(i, 2)
! shiftright(i, 2)
! bit_count(i)
! factorial(i)
! hypot(x, y)
! conv('ff', 16, 10)
! bin(i)
! format_number(x, 2)
! width_bucket(x, 0, 10, 5)
! rint(x)
! cot(y)
try_add(i, j)
try_subtract(b, b)
try_multiply(i, i)
try_divide(i, j)
i + j * 2
(i + j) * 2
i / 2 * 2
1e3 + i
3000000000 + i
0.1 + 0.2
1e0 / 3
CAST(1 AS TINYINT) + 1
! big + 1
! big * big
big / 3
! big + big
big % 7
round(big, 4)
greatest(p, 0)
i * 1.5
100 * p / 3
(p - q) / 2
i > 5 AND x / y > 1
p + (7)
p * -3
p / (-4)
p % (-7)
