SELECT CAST("task"."id" AS pg_catalog.text), left(CAST("task"."title" AS pg_catalog.text), 200),
       CAST("task".xmin AS pg_catalog.text)
FROM ONLY "public"."task" WHERE (("task"."done" = CAST($1 AS "pg_catalog"."bool")) AND TRUE) ORDER BY "task"."id" LIMIT 201
