CREATE TABLE crm_user (id TEXT PRIMARY KEY NOT NULL, name TEXT NOT NULL, region TEXT NOT NULL);
CREATE TABLE crm_account (id TEXT PRIMARY KEY NOT NULL, name TEXT NOT NULL, region TEXT NOT NULL);
CREATE TABLE crm_task (
    id TEXT PRIMARY KEY NOT NULL,
    title TEXT NOT NULL,
    status TEXT NOT NULL,
    due DATE,
    period TEXT NOT NULL,
    owner TEXT NOT NULL REFERENCES crm_user (id),
    account_id TEXT NOT NULL REFERENCES crm_account (id) ON DELETE RESTRICT
);
CREATE TABLE crm_note (
    id INTEGER PRIMARY KEY,
    task_id TEXT NOT NULL REFERENCES crm_task (id) ON DELETE CASCADE,
    body TEXT NOT NULL
);

-- The rule lives in the database: whoever deletes, and by whatever way, meets it.
CREATE TRIGGER crm_task_period BEFORE DELETE ON crm_task WHEN OLD.period = '2026-Q1'
BEGIN
    SELECT RAISE(ABORT, 'RECORD_LOCKED 409: the period 2026-Q1 is closed');
END;

INSERT INTO crm_user VALUES ('ana', 'Ana', 'north'), ('bo', 'Bo', 'south'), ('cleo', 'Cleo', 'north');
INSERT INTO crm_account VALUES ('A-1', 'Harbour Lights', 'north'), ('A-2', 'Copper Kettle', 'north'), ('A-3', 'Salt & Sage', 'south');
INSERT INTO crm_task VALUES
    ('T-101', 'Call back about the invoice', 'done', '2026-02-03', '2026-Q1', 'ana', 'A-1'),
    ('T-102', 'Send the price list', 'done', '2026-03-17', '2026-Q1', 'ana', 'A-2'),
    ('T-103', 'Renew the contract', 'done', '2026-05-11', '2026-Q2', 'ana', 'A-1'),
    ('T-104', 'Book the tasting', 'done', '2026-06-02', '2026-Q2', 'ana', 'A-2'),
    ('T-105', 'Plan the autumn visit', 'open', '2026-09-15', '2026-Q3', 'ana', 'A-1'),
    ('T-106', 'Collect the signed offer', 'done', '2026-06-20', '2026-Q2', 'cleo', 'A-2'),
    ('T-201', 'Check the delivery note', 'done', '2026-05-29', '2026-Q2', 'bo', 'A-3'),
    ('T-202', 'Ask for new opening hours', 'open', '2026-08-01', '2026-Q3', 'bo', 'A-3');
INSERT INTO crm_note (task_id, body) VALUES
    ('T-103', 'Signed on the phone.'), ('T-103', 'Copy is in the post.'), ('T-104', 'Twelve guests.'),
    ('T-105', 'Ask about parking.'), ('T-201', 'Two boxes were missing.');
