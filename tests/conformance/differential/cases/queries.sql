SELECT k, count(*) AS n, sum(j) AS total FROM source GROUP BY k
SELECT k, count(*) AS n FROM source GROUP BY k HAVING count(*) > 10
SELECT DISTINCT k, flag FROM source
SELECT DISTINCT x FROM source
SELECT k AS key, max(id) AS last FROM source WHERE i > 0 GROUP BY k
SELECT a.id, b.id AS other FROM source a JOIN source b ON a.id = b.id + 1
SELECT a.id, b.k AS other FROM source a LEFT JOIN source b ON a.id = b.id - 80 AND b.flag
SELECT a.id, b.id AS other FROM source a FULL OUTER JOIN source b ON a.id = b.id + 85
SELECT a.id FROM source a LEFT SEMI JOIN source b ON a.id = b.i
SELECT a.id FROM source a LEFT ANTI JOIN source b ON a.id = b.i
SELECT a.id, b.id AS other FROM source a CROSS JOIN source b WHERE a.id < 2 AND b.id < 2
SELECT a.id, b.id AS other FROM source a JOIN source b ON a.x = b.x WHERE a.id < 20 AND b.id < 20
SELECT id FROM source WHERE i IN (SELECT j FROM source)
SELECT id FROM source WHERE i NOT IN (SELECT j FROM source WHERE j IS NOT NULL)
SELECT id FROM source l WHERE EXISTS (SELECT 1 FROM source r WHERE r.id = l.i)
SELECT id, (SELECT max(i) AS m FROM source) AS m FROM source
WITH z AS (SELECT id AS key, i FROM source WHERE flag) SELECT key, i FROM z WHERE i > 0
SELECT id FROM source WHERE id < 3 UNION ALL SELECT id FROM source WHERE id < 2
SELECT k FROM source UNION SELECT s FROM source WHERE id < 5
SELECT k FROM source INTERSECT SELECT k FROM source WHERE flag
SELECT k FROM source EXCEPT SELECT k FROM source WHERE k = 'red'
SELECT id, v FROM source LATERAL VIEW EXPLODE(a) t AS v
SELECT id, v FROM source LATERAL VIEW OUTER EXPLODE(a) t AS v
SELECT id, p2, v FROM source LATERAL VIEW POSEXPLODE(w) t AS p2, v
SELECT id, EXPLODE(a) AS v FROM source
SELECT id, EXPLODE_OUTER(w) AS v FROM source
SELECT id, rn FROM (SELECT id, row_number() OVER (PARTITION BY k ORDER BY id) AS rn FROM source) z WHERE rn = 1
SELECT k, x, count(*) AS n FROM source GROUP BY k, x
SELECT year(d) AS y2, count(*) AS n FROM source GROUP BY year(d)
SELECT source.id, source.st.a AS sa FROM source
! SELECT id, i AS v FROM source UNION ALL SELECT id, x AS v FROM source
! SELECT id, v FROM source LATERAL VIEW INLINE(sts) t AS k2, v
