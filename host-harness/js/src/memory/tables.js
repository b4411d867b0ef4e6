// What an engine in memory holds, checked before it is served: a name that stands for nothing is an error
// here, and not a rule that never applies.

const TABLES = ['objects', 'page', 'revisions', 'counts', 'dependents_unknown', 'narrowing'];
const OBJECT = ['fields', 'key', 'label', 'rows', 'visible', 'removable', 'locks', 'references', 'hidden', 'denied', 'reversible'];

/** Throws where the tables name what is not there. */
export function checkTables(tables) {
  known(tables, TABLES, 'tables');
  for (const [name, object] of Object.entries(tables.objects)) {
    known(object, OBJECT, name);
    const names = new Set(object.fields.map((field) => field.name));
    const has = (field) => {
      if (field !== undefined && !names.has(field)) throw new TypeError(`${JSON.stringify(name)} has no field ${JSON.stringify(field)}`);
    };
    if (!object.key?.length) throw new TypeError(`${JSON.stringify(name)} has no key`);
    [...object.key, object.label].forEach(has);
    for (const { field } of [...(object.locks ?? []), ...(object.visible ?? []), ...(object.removable ?? [])]) has(field);
    object.rows.flatMap(Object.keys).forEach(has);
    for (const { fields, object: parent } of object.references ?? []) {
      fields.forEach(has);
      if (tables.objects[parent]?.key.length !== fields.length) {
        throw new TypeError(`a foreign key of ${JSON.stringify(name)} does not point to the whole key of an object that is there`);
      }
    }
  }
}

function known(value, members, at) {
  const odd = Object.keys(value).find((member) => !members.includes(member));
  if (odd !== undefined) throw new TypeError(`${at} has no member ${JSON.stringify(odd)}; it takes ${members.join(', ')}`);
}
