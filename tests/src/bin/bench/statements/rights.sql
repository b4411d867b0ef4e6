SELECT coalesce(pg_catalog.has_schema_privilege(CAST($2 AS pg_catalog.oid), 'USAGE'), FALSE),
       coalesce(pg_catalog.has_table_privilege(CAST($1 AS pg_catalog.oid), 'DELETE'), FALSE),
       coalesce(pg_catalog.has_column_privilege(CAST($1 AS pg_catalog.oid), 'xmin', 'SELECT'), FALSE),
       pg_catalog.row_security_active(CAST($1 AS pg_catalog.oid)),
       coalesce((SELECT r.rolsuper FROM pg_catalog.pg_roles AS r WHERE r.rolname = current_user), FALSE),
       ARRAY(SELECT a.attname::pg_catalog.text FROM pg_catalog.pg_attribute AS a
             WHERE a.attrelid = CAST($1 AS pg_catalog.oid) AND a.attnum > 0 AND NOT a.attisdropped
             AND pg_catalog.has_column_privilege(CAST($1 AS pg_catalog.oid), a.attnum, 'SELECT'))
