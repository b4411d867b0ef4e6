WITH known AS (
    SELECT c.oid, c.relnamespace FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relpersistence <> 't'
    AND n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname !~ '^pg_toast' AND c.oid >= 16384)
SELECT pg_catalog.count(*) || ':' || coalesce(pg_catalog.sum(pg_catalog.hashtextextended(
    rows.of::pg_catalog.oid || ' ' || rows.ctid || ' ' || rows.xmin, 0)), 0) FROM (
    SELECT x.xmin, x.ctid, 'pg_catalog.pg_class'::pg_catalog.regclass AS of FROM pg_catalog.pg_class AS x
    WHERE x.oid >= 16384 AND x.oid IN (SELECT oid FROM known)
    UNION ALL SELECT x.xmin, x.ctid, 'pg_catalog.pg_namespace'::pg_catalog.regclass AS of FROM pg_catalog.pg_namespace AS x
    WHERE x.oid IN (SELECT relnamespace FROM known)
    UNION ALL SELECT x.xmin, x.ctid, 'pg_catalog.pg_attribute'::pg_catalog.regclass AS of FROM pg_catalog.pg_attribute AS x
    WHERE x.attnum > 0 AND x.attrelid >= 16384 AND x.attrelid IN (SELECT oid FROM known)
    UNION ALL SELECT x.xmin, x.ctid, 'pg_catalog.pg_constraint'::pg_catalog.regclass AS of FROM pg_catalog.pg_constraint AS x
    WHERE x.conrelid >= 16384 AND x.conrelid IN (SELECT oid FROM known)
    UNION ALL SELECT x.xmin, x.ctid, 'pg_catalog.pg_trigger'::pg_catalog.regclass AS of FROM pg_catalog.pg_trigger AS x
    WHERE x.tgrelid >= 16384 AND x.tgrelid IN (SELECT oid FROM known)
    UNION ALL SELECT x.xmin, x.ctid, 'pg_catalog.pg_rewrite'::pg_catalog.regclass AS of FROM pg_catalog.pg_rewrite AS x
    WHERE x.ev_class >= 16384 AND x.ev_class IN (SELECT oid FROM known)
    UNION ALL SELECT x.xmin, x.ctid, 'pg_catalog.pg_enum'::pg_catalog.regclass AS of FROM pg_catalog.pg_enum AS x WHERE TRUE
) AS rows
