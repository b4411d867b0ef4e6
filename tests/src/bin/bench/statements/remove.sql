WITH gone AS (
    DELETE FROM ONLY "public"."task"
    WHERE (((("task"."id" = CAST($1 AS pg_catalog.int8)) AND TRUE) AND TRUE AND (CAST("task".xmin AS pg_catalog.text) = $2))
           AND pg_catalog.current_setting('deletegate.settled', TRUE) IS NOT DISTINCT FROM 'on') RETURNING 1 AS one)
SELECT pg_catalog.count(*), (SELECT one FROM gone) FROM gone
