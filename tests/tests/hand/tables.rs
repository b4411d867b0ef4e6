//! The invented tables that the cases speak of.

/// `projects` and what depends on them. Project 2 has a task, which restricts it; 4 is bo's; there is no 5.
pub const PROJECTS: &str = r"
    CREATE TABLE projects (id integer NOT NULL PRIMARY KEY, name text NOT NULL, owner text NOT NULL, status text,
        archived boolean NOT NULL, note text);
    CREATE TABLE tasks (id integer NOT NULL PRIMARY KEY,
        project_id integer NOT NULL REFERENCES projects ON DELETE RESTRICT);
    CREATE TABLE comments (id integer NOT NULL PRIMARY KEY,
        project_id integer NOT NULL REFERENCES projects ON DELETE CASCADE);
    INSERT INTO projects VALUES
        (1, 'TMP_1', 'ana', 'draft', FALSE, ''), (2, 'TMPX1', 'ana', NULL, FALSE, NULL),
        (3, '50% off', 'ana', 'draft', TRUE, NULL), (4, '500 off', 'bo', 'live', FALSE, NULL),
        (6, 'a\_b', 'ana', 'live', FALSE, NULL);
    INSERT INTO tasks VALUES (1, 2);
    INSERT INTO comments VALUES (1, 2), (2, 2), (3, 2), (4, 1);";

pub const STOCK: &str = "
    CREATE TABLE stock (warehouse text NOT NULL, sku text NOT NULL, qty integer NOT NULL, PRIMARY KEY (warehouse, sku));
    INSERT INTO stock VALUES ('W1', 'A', 5), ('W1', 'B', 5), ('W2', 'A', 5);";

/// Two ids that one double stands for, and their neighbours.
pub const LEDGER: &str = "
    CREATE TABLE ledger (id bigint NOT NULL PRIMARY KEY);
    INSERT INTO ledger VALUES (9007199254740991), (9007199254740992), (9007199254740993), (9007199254740994);";

pub const DEVICES: &str = "
    CREATE TABLE devices (id uuid NOT NULL PRIMARY KEY, label text);
    INSERT INTO devices VALUES ('0b6dd3e4-3f1c-4d3e-9a51-6f0b8f4a2c11', 'kettle'),
        ('ffffffff-0000-4000-8000-000000000001', 'lamp');";

/// Around ten o'clock in UTC, and at ten o'clock in New York; `visits` says the same without a zone.
pub const EVENTS: &str = "
    CREATE TABLE events (id integer NOT NULL PRIMARY KEY, at timestamptz NOT NULL, kind text NOT NULL);
    INSERT INTO events VALUES (1, '2026-03-10T09:59:59Z', 'ping'), (2, '2026-03-10T10:00:00Z', 'ping'),
        (3, '2026-03-10T10:00:01Z', 'ping'), (4, '2026-03-10T14:00:00Z', 'ping'), (5, '2026-03-10T06:00:00Z', 'pong');
    CREATE TABLE visits (id integer NOT NULL PRIMARY KEY, at timestamp NOT NULL, kind text NOT NULL);
    INSERT INTO visits VALUES (1, '2026-03-10T09:59:59', 'ping'), (2, '2026-03-10T10:00:00', 'ping'),
        (3, '2026-03-10T10:00:01', 'ping'), (4, '2026-03-10T14:00:00', 'ping'), (5, '2026-03-10T06:00:00', 'pong');";

/// Both tables of events as logs.
pub const LOGS: &str = "[logs.events]\nobject = \"events\"\nscope = \"kind\"\ntime = \"at\"
[logs.visits]\nobject = \"visits\"\nscope = \"kind\"\ntime = \"at\"\n";
