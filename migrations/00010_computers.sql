-- A kind of prices more: of a whole computer with the card.

-- +goose Up
DROP VIEW prices;
ALTER TABLE price_terms RENAME TO terms_before;
CREATE TABLE price_terms (
    revision INTEGER NOT NULL REFERENCES revisions (number),
    number   INTEGER NOT NULL CHECK (number > 0),
    kind     TEXT NOT NULL CHECK (kind IN ('launch', 'street', 'used', 'computer', 'server', 'on_demand', 'spot', 'reserved', 'monthly')),
    currency TEXT NOT NULL CHECK (length(currency) = 3),
    unit     TEXT NOT NULL CHECK (unit IN ('card', 'node', 'hour', 'month')),
    cards    INTEGER NOT NULL CHECK (cards > 0), -- that the amount is for
    term     INTEGER NOT NULL CHECK (term >= 0), -- months of a reservation, or 0
    tax      TEXT NOT NULL CHECK (tax IN ('', 'included', 'excluded')),
    PRIMARY KEY (revision, number)
) STRICT, WITHOUT ROWID;
INSERT INTO price_terms SELECT * FROM terms_before;
DROP TABLE terms_before;
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
-- +goose Down
DROP VIEW prices;
ALTER TABLE price_terms RENAME TO terms_after;
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
INSERT INTO price_terms
SELECT revision, number, iif(kind = 'computer', 'server', kind), currency, unit, cards, term, tax FROM terms_after;
DROP TABLE terms_after;
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
