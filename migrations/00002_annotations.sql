-- What a dataset knows beyond the figures of cards: generations of architectures,
-- measured values, claims, equivalents, the glossary. They are few and only ever
-- read as a whole, so each is one JSON object of the form that the catalogue
-- package gives it.

-- +goose Up
CREATE TABLE annotations (
    revision INTEGER NOT NULL REFERENCES revisions (number),
    kind     TEXT NOT NULL CHECK (kind IN ('generation', 'measured', 'claim', 'equivalent', 'term')),
    ordinal  INTEGER NOT NULL CHECK (ordinal >= 0),
    body     TEXT NOT NULL CHECK (json_type(body) = 'object'),
    PRIMARY KEY (revision, kind, ordinal)
) STRICT, WITHOUT ROWID;

-- +goose Down
DROP TABLE annotations;
