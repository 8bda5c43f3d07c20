package mcp

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"tianti/web/api"
)

// An object is JSON.
type object = map[string]any

// schemas are those of the API's document, as tools need them: each complete in itself.
type schemas struct {
	all     object
	answers map[string]object // the schema of an operation's answer, by the operation's id
}

// components is where the API's document keeps its schemas.
const components = "#/components/schemas/"

// newSchemas reads the document of the API.
func newSchemas(doc any) schemas {
	raw, err := json.Marshal(doc)
	if err != nil {
		panic("mcp: " + err.Error()) // made of types of the program
	}
	var d struct {
		Paths map[string]map[string]struct {
			ID        string `json:"operationId"`
			Responses map[string]struct {
				Content map[string]struct {
					Schema object `json:"schema"`
				} `json:"content"`
			} `json:"responses"`
		} `json:"paths"`
		Components struct {
			Schemas object `json:"schemas"`
		} `json:"components"`
	}
	if err := json.Unmarshal([]byte(strings.ReplaceAll(string(raw), components, definitions)), &d); err != nil {
		panic("mcp: " + err.Error())
	}
	s := schemas{all: d.Components.Schemas, answers: map[string]object{}}
	for _, methods := range d.Paths {
		for _, o := range methods {
			s.answers[o.ID] = o.Responses["200"].Content["application/json"].Schema
		}
	}
	return s
}

// definitions is where a schema that is complete in itself keeps those that it refers to.
const definitions = "#/$defs/"

// reachable are schemas by name, those that they refer to, and those that these refer to.
func (s schemas) reachable(names ...string) object {
	out := object{}
	for len(names) > 0 {
		name := names[0]
		names = names[1:]
		if _, ok := out[name]; ok {
			continue
		}
		out[name] = s.all[name]
		names = append(names, references(s.all[name])...)
	}
	return out
}

// references are the names that a schema refers to.
func references(v any) []string {
	var out []string
	switch v := v.(type) {
	case object:
		if ref, ok := v["$ref"].(string); ok {
			out = append(out, strings.TrimPrefix(ref, definitions))
		}
		for _, key := range slices.Sorted(maps.Keys(v)) {
			out = append(out, references(v[key])...)
		}
	case []any:
		for _, e := range v {
			out = append(out, references(e)...)
		}
	}
	return out
}

// output is the schema of what a tool answers, which holds the answer of one of some operations.
func (s schemas) output(operations ...api.Operation) object {
	var names []string
	answer := []any{}
	for _, o := range operations {
		schema := s.answers[o.ID]
		names, answer = append(names, references(schema)...), append(answer, schema)
	}
	text := func(description string) object { return object{"type": "string", "description": description} }
	source := object{"type": "object", "required": []string{"key", "publisher", "title"}, "properties": object{
		"key": text("as the answer names it"), "publisher": text("who published it"), "title": text("of the document"),
		"url": text("its address, where it has one"), "published": text("day, month or year it bears"),
		"retrieved": text("when it was last looked at"),
	}}
	return object{
		"type":     "object",
		"required": []string{"answer", "snapshot", "page", "page_zh", "api", "sources", "caveats"},
		"properties": object{
			"answer":   object{"description": "what the API answers at the address in api", "anyOf": answer},
			"snapshot": text("revision of the catalogue"),
			"as_of": text("day to which the catalogue was put back, or of the export rules, where one was " +
				"asked for"),
			"page":    text("the page that shows this to people, in English"),
			"page_zh": text("the same page in Chinese"),
			"api":     text("address of the same answer"),
			"sources": object{"type": "array", "items": source, "description": "what the answer names as sources"},
			"sources_left_out": object{"type": "integer",
				"description": "how many more sources it names; the page lists them"},
			"caveats": object{"type": "array", "items": object{"type": "string"},
				"description": "what the answer does not cover; pass it on"},
		},
		"$defs": s.reachable(names...),
	}
}

// input is the schema of a tool's arguments: the parameters of the operations that it asks.
func input(operations ...api.Operation) object {
	properties, required := object{}, []string{}
	filters := false
	for _, o := range operations {
		filters = filters || o.Filters
		for _, p := range o.Params {
			if properties[p.Name] != nil {
				continue
			}
			properties[p.Name] = property(p)
			if p.Required {
				required = append(required, p.Name)
			}
		}
	}
	out := object{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		out["required"] = required
	}
	if filters {
		out["additionalProperties"] = object{"type": []string{"string", "number", "boolean"},
			"description": "A filter " +
				"under the id of any metric of the resource tianti://metrics: a number or a range such as 24.., " +
				"..700 or 24..80; a list such as HBM3,HBM3e; true or false; dates as 2022..2024; any or none for " +
				"known or unknown."}
	}
	return out
}

func property(p api.Param) object {
	out := object{"type": p.Type, "description": p.Description.En}
	if len(p.Enum) > 0 {
		out["enum"] = p.Enum
	}
	if p.Default != "" {
		out["description"] = fmt.Sprintf("%s Default: %s.", p.Description.En, p.Default)
	}
	if p.Many {
		return object{"type": "array", "items": out, "description": out["description"]}
	}
	return out
}
