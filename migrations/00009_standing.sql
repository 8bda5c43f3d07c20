-- What figures rest on, where the kind of their source does not tell, and which sources copy one origin.

-- +goose Up
ALTER TABLE sources ADD COLUMN standing TEXT NOT NULL DEFAULT '';
ALTER TABLE sources ADD COLUMN origin TEXT NOT NULL DEFAULT '';
ALTER TABLE fact_notes ADD COLUMN standing TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE fact_notes DROP COLUMN standing;
ALTER TABLE sources DROP COLUMN origin;
ALTER TABLE sources DROP COLUMN standing;
