// The suite's tables in PostgreSQL, each case in a schema of its own.

import { postgresBridge } from '../../src/adapters/node-postgres.js';
import { quoteName } from '../../src/sql/index.js';
import { objectsOf } from './tables.mjs';

const COLUMNS = {
  integer: 'bigint',
  boolean: 'boolean',
  decimal: 'numeric',
  float: 'float8',
  uuid: 'uuid',
  date: 'date',
  instant: 'timestamptz',
  'text-list': 'text[]',
};

function literal(value) {
  return typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value);
}

/** What makes an engine of tables, over a pool. */
export function starter(pool) {
  let schemas = 0;
  return async (tables) => {
    schemas += 1;
    const schema = `case_${schemas}`;
    await pool.query(`CREATE SCHEMA ${schema}`);
    const table = (name) => `${schema}.${quoteName(name)}`;
    for (const [name, object] of Object.entries(tables.objects)) {
      const columns = object.fields.map(({ name: field, type }) => `${quoteName(field)} ${COLUMNS[type] ?? 'text'}`);
      await pool.query(`CREATE TABLE ${table(name)} (${columns.join(', ')})`);
      for (const row of object.rows) await insert(pool, table(name), row);
    }
    const objects = objectsOf(tables, literal);
    for (const [name, object] of Object.entries(objects)) object.table = table(name);
    return {
      bridge: postgresBridge(pool, objects),
      async ids(name) {
        const open = { ...objects[name], visible: undefined, hidden: false };
        const all = postgresBridge(pool, { [name]: open })({ system: true });
        const { rows } = await all.query(name, { tag: 'every' }, undefined, 10_000);
        return rows.map(({ id }) => id);
      },
    };
  };
}

async function insert(pool, table, row) {
  const fields = Object.keys(row);
  const places = fields.map((_, at) => `$${at + 1}`).join(', ');
  const values = fields.map((field) => (typeof row[field] === 'bigint' ? String(row[field]) : row[field]));
  await pool.query(`INSERT INTO ${table} (${fields.map(quoteName).join(', ')}) VALUES (${places})`, values);
}
