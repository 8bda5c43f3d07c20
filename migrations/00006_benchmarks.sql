-- Benchmarks are annotations, too.

-- +goose Up
CREATE TABLE annotations_wider (
    revision INTEGER NOT NULL REFERENCES revisions (number),
    kind     TEXT NOT NULL
             CHECK (kind IN ('generation', 'measured', 'claim', 'equivalent', 'term', 'benchmark')),
    ordinal  INTEGER NOT NULL CHECK (ordinal >= 0),
    body     TEXT NOT NULL CHECK (json_type(body) = 'object'),
    PRIMARY KEY (revision, kind, ordinal)
) STRICT, WITHOUT ROWID;
INSERT INTO annotations_wider (revision, kind, ordinal, body)
    SELECT revision, kind, ordinal, body FROM annotations;
DROP TABLE annotations;
ALTER TABLE annotations_wider RENAME TO annotations;

-- +goose Down
CREATE TABLE annotations_narrow (
    revision INTEGER NOT NULL REFERENCES revisions (number),
    kind     TEXT NOT NULL CHECK (kind IN ('generation', 'measured', 'claim', 'equivalent', 'term')),
    ordinal  INTEGER NOT NULL CHECK (ordinal >= 0),
    body     TEXT NOT NULL CHECK (json_type(body) = 'object'),
    PRIMARY KEY (revision, kind, ordinal)
) STRICT, WITHOUT ROWID;
INSERT INTO annotations_narrow (revision, kind, ordinal, body)
    SELECT revision, kind, ordinal, body FROM annotations WHERE kind <> 'benchmark';
DROP TABLE annotations;
ALTER TABLE annotations_narrow RENAME TO annotations;
