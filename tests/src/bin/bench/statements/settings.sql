SELECT pg_catalog.set_config('statement_timeout', $1, TRUE),
       pg_catalog.set_config('idle_in_transaction_session_timeout', $1, TRUE),
       pg_catalog.set_config($2, $3, TRUE), pg_catalog.set_config($4, $5, TRUE),
       pg_catalog.set_config($6, $7, TRUE), pg_catalog.set_config($8, $9, TRUE)
