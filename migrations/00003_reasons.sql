-- The reasons of accepted exceptions have both languages, like every other text;
-- those of before were in English.

-- +goose Up
UPDATE fact_notes
SET accept = (SELECT json_group_object(key, json_object('en', value, 'zh', value)) FROM json_each(accept))
WHERE accept IS NOT NULL;

-- +goose Down
UPDATE fact_notes
SET accept = (SELECT json_group_object(key, value ->> 'en') FROM json_each(accept))
WHERE accept IS NOT NULL;
