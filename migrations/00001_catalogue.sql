-- Datasets, their revisions, and the facts of each revision. Nothing is ever
-- deleted: an import adds a revision and makes it the active one, and undo makes
-- an earlier one active again.
--
-- Inside a revision, sources and cards are numbered from 0 in the order in which
-- they were given, and so are the facts of a card: (revision, card, ordinal) is
-- where a fact stands on disk, so that a revision is loaded by reading straight
-- through.

-- +goose Up
PRAGMA application_id = 1416192366; -- "Tian": tells this database from another program's

-- What the whole catalogue looks like moves this number: an import, another
-- active revision, another rank. Who shows the catalogue polls it.
CREATE TABLE catalogue (
    one      INTEGER PRIMARY KEY CHECK (one = 1),
    revision INTEGER NOT NULL CHECK (revision >= 0)
) STRICT;
INSERT INTO catalogue (one, revision) VALUES (1, 0);

CREATE TABLE datasets (
    key             INTEGER PRIMARY KEY,
    id              TEXT NOT NULL UNIQUE CHECK (id <> '' AND id NOT GLOB '*[^a-z0-9-]*'),
    title_en        TEXT NOT NULL,
    title_zh        TEXT NOT NULL,
    rank            INTEGER NOT NULL,
    active_revision INTEGER,
    FOREIGN KEY (key, active_revision) REFERENCES revisions (dataset, number)
) STRICT;

CREATE TABLE revisions (
    number       INTEGER PRIMARY KEY AUTOINCREMENT,
    dataset      INTEGER NOT NULL REFERENCES datasets (key),
    created_at   INTEGER NOT NULL, -- Unix seconds
    author       TEXT NOT NULL,
    file         TEXT NOT NULL,    -- name of the file it came from, or empty
    sha256       TEXT NOT NULL CHECK (sha256 = '' OR (length(sha256) = 64 AND sha256 NOT GLOB '*[^0-9a-f]*')),
    card_count   INTEGER NOT NULL CHECK (card_count >= 0),
    figure_count INTEGER NOT NULL CHECK (figure_count >= 0),
    note         TEXT NOT NULL,
    UNIQUE (dataset, number)
) STRICT;

-- A dictionary that keeps the facts small. It says nothing of what a quantity is.
CREATE TABLE quantities (
    key INTEGER PRIMARY KEY,
    id  TEXT NOT NULL UNIQUE CHECK (id <> '')
) STRICT;

-- A date is known to the day, the month or the year ("2022-03-22", "2022-03",
-- "2022"), and is NULL when unknown. The CHECK completes it to a day that must exist.
CREATE TABLE sources (
    revision  INTEGER NOT NULL REFERENCES revisions (number),
    number    INTEGER NOT NULL CHECK (number >= 0),
    id        TEXT NOT NULL CHECK (id <> ''),
    publisher TEXT NOT NULL,
    title     TEXT NOT NULL,
    url       TEXT NOT NULL,
    kind      TEXT NOT NULL,
    published TEXT CHECK (published IS NULL OR (published >= '1900' AND length(published) IN (4, 7, 10)
        AND date(published || substr('-01-01', length(published) - 3)) IS published || substr('-01-01', length(published) - 3))),
    retrieved TEXT CHECK (retrieved IS NULL OR (retrieved >= '1900' AND length(retrieved) IN (4, 7, 10)
        AND date(retrieved || substr('-01-01', length(retrieved) - 3)) IS retrieved || substr('-01-01', length(retrieved) - 3))),
    PRIMARY KEY (revision, number),
    UNIQUE (revision, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE cards (
    revision     INTEGER NOT NULL REFERENCES revisions (number),
    number       INTEGER NOT NULL CHECK (number >= 0),
    id           TEXT NOT NULL CHECK (id <> '' AND id NOT GLOB '*[^a-z0-9-]*'),
    name         TEXT NOT NULL CHECK (name <> ''),
    vendor       TEXT NOT NULL CHECK (vendor <> ''),
    kind         TEXT NOT NULL CHECK (kind <> ''),
    segment      TEXT NOT NULL CHECK (segment <> ''),
    architecture TEXT NOT NULL, -- may be empty
    PRIMARY KEY (revision, number),
    UNIQUE (revision, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE aliases (
    revision INTEGER NOT NULL,
    card     INTEGER NOT NULL,
    ordinal  INTEGER NOT NULL CHECK (ordinal >= 0),
    alias    TEXT NOT NULL CHECK (alias <> ''),
    PRIMARY KEY (revision, card, ordinal),
    FOREIGN KEY (revision, card) REFERENCES cards (revision, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE pci_ids (
    revision INTEGER NOT NULL,
    card     INTEGER NOT NULL,
    ordinal  INTEGER NOT NULL CHECK (ordinal >= 0),
    pci_id   TEXT NOT NULL CHECK (length(pci_id) IN (9, 19) AND pci_id NOT GLOB '*[^0-9a-f:]*'),
    PRIMARY KEY (revision, card, ordinal),
    FOREIGN KEY (revision, card) REFERENCES cards (revision, number)
) STRICT, WITHOUT ROWID;

-- A fact is a number or a text, and always has a source. What is unknown has no row.
CREATE TABLE facts (
    revision INTEGER NOT NULL,
    card     INTEGER NOT NULL,
    ordinal  INTEGER NOT NULL CHECK (ordinal >= 0),
    quantity INTEGER NOT NULL REFERENCES quantities (key),
    source   INTEGER NOT NULL,
    number   REAL,
    text     TEXT CHECK (text <> ''),
    PRIMARY KEY (revision, card, ordinal),
    FOREIGN KEY (revision, card) REFERENCES cards (revision, number),
    FOREIGN KEY (revision, source) REFERENCES sources (revision, number),
    CHECK ((number IS NULL) <> (text IS NULL))
) STRICT, WITHOUT ROWID;

-- What few facts have: apart, so that the many stay narrow.
CREATE TABLE fact_notes (
    revision      INTEGER NOT NULL,
    card          INTEGER NOT NULL,
    ordinal       INTEGER NOT NULL,
    note_en       TEXT NOT NULL,
    note_zh       TEXT NOT NULL,
    superseded_en TEXT NOT NULL, -- why the value is not the one shown; empty when it may be
    superseded_zh TEXT NOT NULL,
    accept        TEXT CHECK (json_type(accept) = 'object'), -- {rule: reason}
    PRIMARY KEY (revision, card, ordinal),
    FOREIGN KEY (revision, card, ordinal) REFERENCES facts (revision, card, ordinal)
) STRICT, WITHOUT ROWID;

-- +goose Down
DROP TABLE fact_notes;
DROP TABLE facts;
DROP TABLE pci_ids;
DROP TABLE aliases;
DROP TABLE cards;
DROP TABLE sources;
DROP TABLE quantities;
UPDATE datasets SET active_revision = NULL;
DROP TABLE revisions;
DROP TABLE datasets;
DROP TABLE catalogue;
