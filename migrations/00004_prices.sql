-- Prices and exchange rates of a revision. Amounts are exact: millionths of the
-- currency's unit. Prices are of cards by their id: a dataset may price cards that
-- another one describes.

-- +goose Up
CREATE TABLE prices (
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

CREATE TABLE rates (
    revision INTEGER NOT NULL REFERENCES revisions (number),
    ordinal  INTEGER NOT NULL CHECK (ordinal >= 0),
    date     TEXT NOT NULL CHECK (length(date) = 10 AND date(date) IS date),
    base     TEXT NOT NULL CHECK (length(base) = 3),
    quote    TEXT NOT NULL CHECK (length(quote) = 3 AND quote <> base),
    rate     TEXT NOT NULL CHECK (CAST(rate AS REAL) > 0), -- decimal, as published
    source   INTEGER NOT NULL,
    PRIMARY KEY (revision, ordinal),
    FOREIGN KEY (revision, source) REFERENCES sources (revision, number)
) STRICT, WITHOUT ROWID;

-- +goose Down
DROP TABLE rates;
DROP TABLE prices;
