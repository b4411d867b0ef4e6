CREATE ROLE crm_user;
CREATE ROLE crm_host LOGIN IN ROLE crm_user;

CREATE TABLE crm_user (id text PRIMARY KEY, name text NOT NULL, region text NOT NULL);
CREATE TABLE crm_account (id text PRIMARY KEY, name text NOT NULL, region text NOT NULL);
CREATE TABLE crm_task (
    id text PRIMARY KEY,
    title text NOT NULL,
    status text NOT NULL,
    due date,
    period text NOT NULL,
    owner text NOT NULL REFERENCES crm_user,
    account_id text NOT NULL REFERENCES crm_account ON DELETE RESTRICT
);
CREATE TABLE crm_note (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    task_id text NOT NULL REFERENCES crm_task ON DELETE CASCADE,
    body text NOT NULL
);
GRANT SELECT, DELETE ON crm_user, crm_account, crm_task, crm_note TO crm_user;

-- The rules live in the database: whoever deletes, and by whatever way, meets them.
ALTER TABLE crm_user ENABLE ROW LEVEL SECURITY;
ALTER TABLE crm_account ENABLE ROW LEVEL SECURITY;
ALTER TABLE crm_task ENABLE ROW LEVEL SECURITY;
ALTER TABLE crm_note ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON crm_user USING (id = current_setting('app.actor'));
CREATE POLICY region ON crm_account USING (region = (SELECT u.region FROM crm_user AS u));
CREATE POLICY account ON crm_task USING (account_id IN (SELECT a.id FROM crm_account AS a));
CREATE POLICY task ON crm_note USING (task_id IN (SELECT t.id FROM crm_task AS t));

CREATE FUNCTION judge_task() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.period = '2026-Q1' THEN
        RAISE 'RECORD_LOCKED 409: the period % is closed', OLD.period;
    END IF;
    IF OLD.owner <> current_setting('app.actor') THEN
        RAISE 'NOT_YOURS 403: only its owner removes a task';
    END IF;
    RETURN OLD;
END $$;
CREATE TRIGGER judge BEFORE DELETE ON crm_task FOR EACH ROW EXECUTE FUNCTION judge_task();

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
