// The suite's tables as SQL has them, for engines that are databases.

import { quoteName } from '../../src/sql/index.js';

/** The predicate that a fixture's tests are. */
export function predicateOf(tests, literal) {
  if (!tests?.length) return undefined;
  const one = ({ field, values, actors }) => {
    if (actors) return `:actor IN (${actors.map(literal).join(', ')})`;
    return values.map((value) => `${quoteName(field)} = ${value === ':actor' ? ':actor' : literal(value)}`).join(' OR ');
  };
  return tests.map((test) => `(${one(test)})`).join(' OR ');
}

/** What the adapters are told of a fixture's objects. */
export function objectsOf(tables, literal) {
  const described = ([name, object]) => [
    name,
    {
      table: quoteName(name),
      fields: object.fields,
      key: object.key,
      label: object.label,
      visible: predicateOf(object.visible, literal),
      removable: predicateOf(object.removable, literal),
      verbs: { list: !object.denied?.includes('list'), remove: !object.denied?.includes('remove') },
      hidden: object.hidden ?? false,
      reversible: object.reversible ?? false,
    },
  ];
  return Object.fromEntries(Object.entries(tables.objects).map(described));
}
