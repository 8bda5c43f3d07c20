-- What is summed up of prices, so that a start need not read all of them.

-- +goose Up
-- Of each dataset one revision's: whatever goes on from it can use it. It may be deleted at any time.
CREATE TABLE price_sums (
    dataset  INTEGER PRIMARY KEY REFERENCES datasets (key) ON DELETE CASCADE,
    revision INTEGER NOT NULL REFERENCES revisions (number) ON DELETE CASCADE,
    prices   INTEGER NOT NULL CHECK (prices > 0), -- of the revision
    data     BLOB NOT NULL                        -- see store/price_sums.go
) STRICT;

-- +goose Down
DROP TABLE price_sums;
