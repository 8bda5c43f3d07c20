package seed

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tianti/catalog"
)

var update = flag.Bool("update", false, "write schema.json anew")

// TestSchemaMatchesTheRegistry keeps schema.json, which editors complete and
// check data files with, in step with the metrics and attributes.
func TestSchemaMatchesTheRegistry(t *testing.T) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(schema()); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile("schema.json", b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(b.String(), string(got)); diff != "" {
		t.Errorf("schema.json is stale (go test ./seed -run Schema -update writes it): -want +got\n%s", diff)
	}
}

type object = map[string]any

func ref(name string) object { return object{"$ref": "#/$defs/" + name} }

func listOf(items any) object { return object{"type": "array", "items": items} }

// record is a map with the given properties and no others.
func record(required []string, properties object) object {
	o := object{"type": "object", "additionalProperties": false, "properties": properties}
	if len(required) > 0 {
		o["required"] = required
	}
	return o
}

// keyed is a map from ids to values of one form.
func keyed(value any) object {
	return object{
		"type":                 "object",
		"additionalProperties": value,
		"propertyNames":        object{"pattern": catalog.IDPattern.String(), "maxLength": maxID},
	}
}

func schema() object {
	return object{
		"$schema":              "https://json-schema.org/draft/2020-12/schema",
		"title":                "Tianti data file",
		"type":                 "object",
		"additionalProperties": false,
		"minProperties":        1,
		"properties": object{
			"sources":  keyed(ref("source")),
			"families": keyed(record([]string{"facts"}, object{"facts": listOf(ref("block"))})),
			"cards":    listOf(ref("card")),
			"architectures": listOf(record([]string{"id", "vendor", "name", "line", "facts"}, object{
				"id": ref(
					"id",
				), "vendor": ref("line"), "name": ref("line"), "line": ref("line"), "cards": listOf(ref("id")),
				"facts": listOf(ref("block")), "unit": listOf(ref("statement")), "introduced": listOf(ref("statement")),
			})),
			"measured": listOf(record([]string{"source", "conditions", "cards"}, object{
				"source": ref("id"), "conditions": ref("note"), "cards": keyed(measuredSchema()),
			})),
			"benchmarks": listOf(
				record([]string{"id", "label", "unit", "better", "version", "method", "source"}, object{
					"id": object{
						"type":      "string",
						"pattern":   catalog.BenchmarkPattern.String(),
						"maxLength": maxID,
					}, "label": ref("note"), "unit": ref("line"),
					"better": object{
						"enum": []string{"higher", "lower"},
					}, "version": ref("line"), "method": ref("note"), "source": ref("id"),
					"results": keyed(record([]string{"value", "n"}, object{
						"value": object{
							"type":             "number",
							"exclusiveMinimum": 0,
						}, "n": object{"type": "integer", "minimum": 1},
						"low": object{
							"type":             "number",
							"exclusiveMinimum": 0,
						}, "high": object{"type": "number", "exclusiveMinimum": 0},
						"with": ref("line"), "date": ref("date"),
					})),
				}),
			),
			"claims": listOf(record([]string{"id", "cards", "by", "source", "text"}, object{
				"id": ref(
					"id",
				), "cards": listOf(ref("id")), "by": ref("note"), "said": ref("date"), "source": ref("id"),
				"text": ref("note"), "note": ref("note"),
			})),
			"equivalents": listOf(record([]string{"id", "role", "names"}, object{
				"id": ref("id"), "role": ref("note"),
				"names": object{
					"type": "object",
					"additionalProperties": record(
						[]string{"source", "name"},
						object{"source": ref("id"), "name": ref("line")},
					),
				},
			})),
			"prices": object{
				"type":        "string",
				"description": "table of prices as CSV: " + strings.Join(PriceColumns, ","),
			},
			"rates": object{
				"type":        "string",
				"description": "table of exchange rates as CSV: " + strings.Join(RateColumns, ","),
			},
			"glossary": listOf(record([]string{"id", "term", "meanings"}, object{
				"id": ref("id"), "term": ref("line"),
				"meanings": listOf(
					record(
						[]string{"source", "name", "text"},
						object{"source": ref("id"), "name": ref("note"), "text": ref("note")},
					),
				),
			})),
		},
		"$defs": object{
			"line":   object{"type": []string{"string", "number"}, "minLength": 1, "maxLength": maxText},
			"text":   object{"type": "string", "minLength": 1, "maxLength": maxText},
			"date":   object{"type": []string{"string", "integer"}, "pattern": `^[0-9]{4}(-[0-9]{2}(-[0-9]{2})?)?$`},
			"id":     object{"type": "string", "pattern": catalog.IDPattern.String(), "maxLength": maxID},
			"number": object{"type": "number", "exclusiveMinimum": 0},
			"flag":   object{"type": "boolean"},
			"note":   record([]string{"en", "zh"}, object{"en": ref("text"), "zh": ref("text")}),
			"statement": record(
				[]string{"source", "en", "zh"},
				object{"source": ref("id"), "en": ref("text"), "zh": ref("text")},
			),
			"standing": object{"enum": catalog.FigureStandings},
			"accept": object{
				"type":                 "object",
				"additionalProperties": ref("note"),
				"propertyNames":        object{"enum": ruleNames},
			},
			"source": record([]string{"publisher", "title", "kind"}, object{
				"publisher": ref(
					"line",
				), "title": ref("line"), "url": object{"type": "string", "pattern": "^https?://"},
				"kind": object{"enum": catalog.SourceKinds}, "published": ref("date"), "retrieved": ref("date"),
				"standing": ref("standing"), "origin": ref("line"),
			}),
			"card": record([]string{"id", "name", "vendor", "kind", "segment"}, object{
				"id": ref("id"), "name": ref("line"), "vendor": ref("line"), "architecture": ref("line"),
				"kind": object{"enum": catalog.CardKinds}, "segment": object{"enum": catalog.Segments},
				"families": listOf(object{"type": "string"}), "aliases": listOf(ref("line")),
				"pci_ids": listOf(object{"type": "string", "pattern": pciPattern.String()}),
				"facts":   listOf(ref("block")),
			}),
			"block": blockSchema(),
		},
	}
}

// measuredSchema lists the quantities that are numbers.
func measuredSchema() object {
	properties := blockSchema()["properties"].(object)
	for _, id := range append([]string{"source"}, factKeys...) {
		if q, ok := catalog.LookupQuantity(id); !ok || q.Kind != catalog.Number {
			delete(properties, id)
		}
	}
	return record(nil, properties)
}

// blockSchema lists every quantity with its definition, which editors show.
func blockSchema() object {
	properties := object{
		"source": object{"type": "string", "description": "id of the source that states these figures"},
	}
	form := map[catalog.Kind]string{
		catalog.Number:   "number",
		catalog.Flag:     "flag",
		catalog.Day:      "date",
		catalog.Category: "line",
	}
	for _, id := range factKeys {
		q, _ := catalog.LookupQuantity(id)
		description := q.Label.En + ": " + q.Definition.En
		if q.Unit != "" {
			description = q.Label.En + " (" + q.Unit + "): " + q.Definition.En
		}
		properties[id] = object{
			"description": description,
			"anyOf": []object{ref(form[q.Kind]), record([]string{"value"}, object{
				"value": ref(form[q.Kind]), "note": ref("note"), "superseded": ref("note"), "standing": ref("standing"),
				"accept": ref("accept"),
			})},
		}
	}
	block := record([]string{"source"}, properties)
	block["minProperties"] = 2
	return block
}
