// What is in the engine of the playground: tasks of two users, with locks, and notes that go with them.

const row = (id, title, owner, status, more) => ({ id, title, owner, status, locked: false, shared: false, ...more });

/** The tables, as they are at first. */
export const TABLES = {
  objects: {
    task: {
      fields: [
        { name: 'id', type: 'text' },
        { name: 'title', type: 'text' },
        { name: 'owner', type: 'text' },
        { name: 'status', type: 'text' },
        { name: 'locked', type: 'boolean', withheld: true },
        { name: 'shared', type: 'boolean' },
      ],
      key: ['id'],
      label: 'title',
      visible: [{ field: 'owner', values: [':actor'] }, { field: 'shared', values: [true] }],
      removable: [{ field: 'owner', values: [':actor'] }],
      locks: [
        { field: 'locked', values: [true], answer: { refused: { code: 'RECORD_LOCKED', status: 409, reason: 'The period is closed.' } } },
      ],
      rows: [
        row('T-101', 'Call back about the invoice', 'ana', 'done'),
        row('T-102', 'Send the price list', 'ana', 'done', { locked: true }),
        row('T-103', 'Renew the contract', 'ana', 'done', { locked: true }),
        row('T-104', 'Book the tasting', 'ana', 'done'),
        row('T-105', 'Plan the spring fair', 'ana', 'open'),
        row('T-106', 'Collect the signed offer', 'bo', 'done', { shared: true }),
        row('T-107', 'Salary talks', 'bo', 'done'),
        row('T-108', 'Order new samples', 'bo', 'open'),
      ],
    },
    note: {
      fields: [
        { name: 'id', type: 'integer' },
        { name: 'task', type: 'text' },
        { name: 'text', type: 'text' },
      ],
      key: ['id'],
      references: [{ fields: ['task'], object: 'task', on_delete: 'cascade' }],
      rows: [
        { id: 1, task: 'T-101', text: 'rang twice' },
        { id: 2, task: 'T-101', text: 'left a message' },
        { id: 3, task: 'T-104', text: 'six people' },
      ],
    },
  },
};

/** Filters to try, each with a name. */
export const TRIES = [
  ['what is done', '{ "status": "done" }'],
  ['a text', '{ "title": { "$contains": "the" } }'],
  ['every record', '{}'],
  ['every record in disguise', '{ "$or": [{ "status": "done" }, {}] }'],
  ["somebody else's", '{ "owner": "bo", "shared": false }'],
  ['a typing error', '{ "statsu": "done" }'],
  ['a key twice', '{ "status": "done", "status": "open" }'],
];
