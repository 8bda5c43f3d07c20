-- Drafts, the files that revisions came from, who may change what, and a record of
-- every change.
--
-- A draft is a revision that nobody has applied: its rows stand where they will
-- stand, so that to apply it is to point at it. Applied revisions are never deleted;
-- drafts are, when they are discarded or were never finished.

-- +goose Up
ALTER TABLE revisions ADD COLUMN state TEXT NOT NULL DEFAULT 'applied' CHECK (state IN ('draft', 'applied'));
ALTER TABLE revisions ADD COLUMN price_count INTEGER NOT NULL DEFAULT 0 CHECK (price_count >= 0);
ALTER TABLE revisions ADD COLUMN rate_count INTEGER NOT NULL DEFAULT 0 CHECK (rate_count >= 0);
ALTER TABLE revisions ADD COLUMN format TEXT NOT NULL DEFAULT ''; -- of the file, or empty
UPDATE revisions SET
    price_count = (SELECT count(*) FROM prices WHERE revision = revisions.number),
    rate_count = (SELECT count(*) FROM rates WHERE revision = revisions.number);

-- Prices in numbers: what repeats from row to row stands once in the revision, and is
-- checked once, so that a row is a third as long and much sooner written. The numbers
-- begin with 1; of texts, 0 is the empty one. A thing may have several numbers. That
-- numbers have their things is not checked for each row: that takes longer than to
-- write it.
CREATE TABLE price_texts (
    revision INTEGER NOT NULL REFERENCES revisions (number),
    number   INTEGER NOT NULL CHECK (number > 0),
    text     TEXT NOT NULL CHECK (text <> ''),
    PRIMARY KEY (revision, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE price_terms (
    revision INTEGER NOT NULL REFERENCES revisions (number),
    number   INTEGER NOT NULL CHECK (number > 0),
    kind     TEXT NOT NULL CHECK (kind IN ('launch', 'street', 'used', 'server', 'on_demand', 'spot', 'reserved', 'monthly')),
    currency TEXT NOT NULL CHECK (length(currency) = 3),
    unit     TEXT NOT NULL CHECK (unit IN ('card', 'node', 'hour', 'month')),
    cards    INTEGER NOT NULL CHECK (cards > 0), -- that the amount is for
    term     INTEGER NOT NULL CHECK (term >= 0), -- months of a reservation, or 0
    tax      TEXT NOT NULL CHECK (tax IN ('', 'included', 'excluded')),
    PRIMARY KEY (revision, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE price_days (
    revision INTEGER NOT NULL REFERENCES revisions (number),
    number   INTEGER NOT NULL CHECK (number > 0),
    date     TEXT NOT NULL CHECK (length(date) IN (4, 7, 10)
        AND date(date || substr('-01-01', length(date) - 3)) IS date || substr('-01-01', length(date) - 3)),
    PRIMARY KEY (revision, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE price_rows (
    revision INTEGER NOT NULL,
    ordinal  INTEGER NOT NULL CHECK (ordinal >= 0),
    card     INTEGER NOT NULL CHECK (card > 0), -- number of a text, as are seller, instance, region and notes
    terms    INTEGER NOT NULL,
    micros   INTEGER NOT NULL CHECK (micros > 0),
    seller   INTEGER NOT NULL,
    instance INTEGER NOT NULL,
    region   INTEGER NOT NULL,
    day      INTEGER NOT NULL,
    source   INTEGER NOT NULL,
    note_en  INTEGER NOT NULL,
    note_zh  INTEGER NOT NULL,
    PRIMARY KEY (revision, ordinal)
) STRICT, WITHOUT ROWID;

CREATE TEMPORARY TABLE texts_of_prices (revision, text, number, PRIMARY KEY (revision, text));
INSERT INTO texts_of_prices
SELECT revision, text, row_number() OVER (PARTITION BY revision ORDER BY text) FROM (
    SELECT revision, card AS text FROM prices UNION SELECT revision, seller FROM prices UNION SELECT revision, instance FROM prices
    UNION SELECT revision, region FROM prices UNION SELECT revision, note_en FROM prices UNION SELECT revision, note_zh FROM prices)
WHERE text <> '';
INSERT INTO price_texts SELECT revision, number, text FROM texts_of_prices;
INSERT INTO price_terms
SELECT revision, row_number() OVER (PARTITION BY revision), kind, currency, unit, cards, term, tax
FROM (SELECT DISTINCT revision, kind, currency, unit, cards, term, tax FROM prices);
INSERT INTO price_days
SELECT revision, row_number() OVER (PARTITION BY revision ORDER BY date), date FROM (SELECT DISTINCT revision, date FROM prices);
INSERT INTO price_rows
SELECT p.revision, p.ordinal, c.number, t.number, p.micros, coalesce(s.number, 0), coalesce(i.number, 0), coalesce(r.number, 0),
    d.number, p.source, coalesce(e.number, 0), coalesce(z.number, 0)
FROM prices p
    JOIN texts_of_prices c ON c.revision = p.revision AND c.text = p.card
    JOIN price_terms t ON t.revision = p.revision AND t.kind = p.kind AND t.currency = p.currency AND t.unit = p.unit
        AND t.cards = p.cards AND t.term = p.term AND t.tax = p.tax
    JOIN price_days d ON d.revision = p.revision AND d.date = p.date
    LEFT JOIN texts_of_prices s ON s.revision = p.revision AND s.text = p.seller
    LEFT JOIN texts_of_prices i ON i.revision = p.revision AND i.text = p.instance
    LEFT JOIN texts_of_prices r ON r.revision = p.revision AND r.text = p.region
    LEFT JOIN texts_of_prices e ON e.revision = p.revision AND e.text = p.note_en
    LEFT JOIN texts_of_prices z ON z.revision = p.revision AND z.text = p.note_zh;
DROP TABLE texts_of_prices;
DROP TABLE prices;

-- Prices in words, for people and other programs.
CREATE VIEW prices AS
SELECT p.revision, p.ordinal, c.text AS card, t.kind, p.micros, t.currency, t.unit, t.cards, t.term, coalesce(s.text, '') AS seller,
    coalesce(i.text, '') AS instance, coalesce(r.text, '') AS region, t.tax, d.date, p.source, coalesce(e.text, '') AS note_en, coalesce(z.text, '') AS note_zh
FROM price_rows p
    LEFT JOIN price_texts c ON c.revision = p.revision AND c.number = p.card
    LEFT JOIN price_terms t ON t.revision = p.revision AND t.number = p.terms
    LEFT JOIN price_days d ON d.revision = p.revision AND d.number = p.day
    LEFT JOIN price_texts s ON s.revision = p.revision AND s.number = p.seller
    LEFT JOIN price_texts i ON i.revision = p.revision AND i.number = p.instance
    LEFT JOIN price_texts r ON r.revision = p.revision AND r.number = p.region
    LEFT JOIN price_texts e ON e.revision = p.revision AND e.number = p.note_en
    LEFT JOIN price_texts z ON z.revision = p.revision AND z.number = p.note_zh;

CREATE TABLE drafts (
    revision INTEGER PRIMARY KEY REFERENCES revisions (number),
    state    TEXT NOT NULL CHECK (state IN ('reading', 'ready')),
    owner    TEXT NOT NULL,    -- of a draft that is being read or deleted: the process and its start, so that what a dead one left is found
    actor    TEXT NOT NULL CHECK (json_type(actor) = 'object'), -- who made it
    base     INTEGER REFERENCES revisions (number), -- active when it was made; NULL when none was
    options  TEXT NOT NULL CHECK (json_type(options) = 'object'),
    summary  TEXT NOT NULL CHECK (json_type(summary) = 'object'),
    touched_at INTEGER NOT NULL -- Unix seconds
) STRICT;

-- Rows of the file that the draft leaves out, and why.
CREATE TABLE left_out (
    revision INTEGER NOT NULL REFERENCES revisions (number),
    ordinal  INTEGER NOT NULL CHECK (ordinal >= 0),
    line     INTEGER NOT NULL, -- 0: of the file as a whole
    name     TEXT NOT NULL,    -- of the card as the file has it; may be empty
    field    TEXT NOT NULL,    -- may be empty
    reason   TEXT NOT NULL CHECK (reason <> ''),
    message  TEXT NOT NULL,
    PRIMARY KEY (revision, ordinal)
) STRICT, WITHOUT ROWID;

-- Files as they were handed in, compressed in parts. An upload comes first, then its
-- parts; the row in files is written last and is what makes the file exist.
CREATE TABLE uploads (
    key        INTEGER PRIMARY KEY AUTOINCREMENT,
    owner      TEXT NOT NULL,   -- as of a draft; empty once the file is whole
    touched_at INTEGER NOT NULL -- Unix seconds
) STRICT;

CREATE TABLE file_parts (
    upload  INTEGER NOT NULL REFERENCES uploads (key),
    ordinal INTEGER NOT NULL CHECK (ordinal >= 0),
    zstd    BLOB NOT NULL,
    PRIMARY KEY (upload, ordinal)
) STRICT;

CREATE TABLE files (
    sha256    TEXT PRIMARY KEY CHECK (length(sha256) = 64 AND sha256 NOT GLOB '*[^0-9a-f]*'),
    upload    INTEGER NOT NULL UNIQUE REFERENCES uploads (key),
    name      TEXT NOT NULL, -- that it was last handed in by
    size      INTEGER NOT NULL CHECK (size >= 0), -- before compression
    stored_at INTEGER NOT NULL -- Unix seconds; of the last time
) STRICT, WITHOUT ROWID;

-- What was chosen at the last import into a dataset, for the next.
CREATE TABLE choices (
    dataset INTEGER PRIMARY KEY REFERENCES datasets (key),
    options TEXT NOT NULL CHECK (json_type(options) = 'object')
) STRICT;

CREATE TABLE accounts (
    key        INTEGER PRIMARY KEY,
    name       TEXT NOT NULL UNIQUE COLLATE NOCASE CHECK (name <> ''),
    role       TEXT NOT NULL CHECK (role IN ('reader', 'administrator')),
    password   TEXT NOT NULL CHECK (password LIKE '$argon2id$%'),
    created_at INTEGER NOT NULL,
    changed_at INTEGER NOT NULL, -- the password, in Unix microseconds; sessions begun before are void
    disabled   INTEGER NOT NULL DEFAULT 0 CHECK (disabled IN (0, 1))
) STRICT;

-- Sessions by the hash of their token: who reads the database cannot sign in with it.
CREATE TABLE sessions (
    hash    BLOB PRIMARY KEY CHECK (length(hash) = 32),
    data    BLOB NOT NULL,
    expires INTEGER NOT NULL -- Unix seconds
) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_by_expiry ON sessions (expires);

CREATE TABLE tokens (
    key        INTEGER PRIMARY KEY,
    account    INTEGER NOT NULL REFERENCES accounts (key),
    name       TEXT NOT NULL CHECK (name <> ''),
    scope      TEXT NOT NULL CHECK (scope IN ('read', 'import')),
    hash       BLOB NOT NULL UNIQUE CHECK (length(hash) = 32),
    created_at INTEGER NOT NULL,
    expires_at INTEGER,  -- NULL: never
    used_at    INTEGER,  -- to the hour; NULL: never
    revoked_at INTEGER
) STRICT;

-- Written in the transaction of the change that it tells of; never changed.
CREATE TABLE audit (
    number  INTEGER PRIMARY KEY AUTOINCREMENT,
    at      INTEGER NOT NULL, -- Unix seconds
    actor   TEXT NOT NULL,    -- account, or "tianti" for the program itself
    via     TEXT NOT NULL CHECK (via IN ('page', 'api', 'command', 'program')),
    address TEXT NOT NULL,    -- of the client; empty for a command
    action  TEXT NOT NULL CHECK (action <> ''),
    subject TEXT NOT NULL,    -- dataset, account, token
    detail  TEXT NOT NULL CHECK (json_type(detail) = 'object')
) STRICT;
CREATE INDEX audit_by_subject ON audit (subject, number);

-- +goose Down
DROP TABLE audit;
DROP TABLE tokens;
DROP TABLE sessions;
DROP TABLE accounts;
DROP TABLE choices;
DROP TABLE files;
DROP TABLE file_parts;
DROP TABLE uploads;
DROP TABLE left_out;
DROP TABLE drafts;
DELETE FROM fact_notes WHERE revision IN (SELECT number FROM revisions WHERE state = 'draft');
DELETE FROM facts WHERE revision IN (SELECT number FROM revisions WHERE state = 'draft');
DELETE FROM pci_ids WHERE revision IN (SELECT number FROM revisions WHERE state = 'draft');
DELETE FROM aliases WHERE revision IN (SELECT number FROM revisions WHERE state = 'draft');
DELETE FROM cards WHERE revision IN (SELECT number FROM revisions WHERE state = 'draft');
CREATE TABLE worded_prices (
    revision INTEGER NOT NULL REFERENCES revisions (number),
    ordinal  INTEGER NOT NULL CHECK (ordinal >= 0),
    card     TEXT NOT NULL CHECK (card <> ''),
    kind     TEXT NOT NULL CHECK (kind IN ('launch', 'street', 'used', 'server', 'on_demand', 'spot', 'reserved', 'monthly')),
    micros   INTEGER NOT NULL CHECK (micros > 0),
    currency TEXT NOT NULL CHECK (length(currency) = 3),
    unit     TEXT NOT NULL CHECK (unit IN ('card', 'node', 'hour', 'month')),
    cards    INTEGER NOT NULL CHECK (cards > 0), -- that the amount is for
    term     INTEGER NOT NULL CHECK (term >= 0), -- months of a reservation, or 0
    seller   TEXT NOT NULL,
    instance TEXT NOT NULL,
    region   TEXT NOT NULL,
    tax      TEXT NOT NULL CHECK (tax IN ('', 'included', 'excluded')),
    date     TEXT NOT NULL CHECK (length(date) IN (4, 7, 10)
        AND date(date || substr('-01-01', length(date) - 3)) IS date || substr('-01-01', length(date) - 3)),
    source   INTEGER NOT NULL,
    note_en  TEXT NOT NULL,
    note_zh  TEXT NOT NULL,
    PRIMARY KEY (revision, ordinal),
    FOREIGN KEY (revision, source) REFERENCES sources (revision, number)
) STRICT, WITHOUT ROWID;
INSERT INTO worded_prices SELECT * FROM prices WHERE revision IN (SELECT number FROM revisions WHERE state = 'applied');
DROP VIEW prices;
DROP TABLE price_rows;
DROP TABLE price_texts;
DROP TABLE price_terms;
DROP TABLE price_days;
ALTER TABLE worded_prices RENAME TO prices;
DELETE FROM rates WHERE revision IN (SELECT number FROM revisions WHERE state = 'draft');
DELETE FROM annotations WHERE revision IN (SELECT number FROM revisions WHERE state = 'draft');
DELETE FROM sources WHERE revision IN (SELECT number FROM revisions WHERE state = 'draft');
DELETE FROM revisions WHERE state = 'draft';
DELETE FROM datasets WHERE key NOT IN (SELECT dataset FROM revisions);
ALTER TABLE revisions DROP COLUMN format;
ALTER TABLE revisions DROP COLUMN rate_count;
ALTER TABLE revisions DROP COLUMN price_count;
ALTER TABLE revisions DROP COLUMN state;
