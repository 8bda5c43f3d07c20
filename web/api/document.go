package api

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"tianti/catalog"
)

// Lists are never null: what is not there is an empty list or no field at all.
func init() { huma.DefaultArrayNullable = false }

// A tag gathers the operations of a part of the API; what it is called, and which first parts of paths are of it.
type tag struct {
	name, about string
	parts       []string
}

var tags = []tag{
	{"Cards", "Cards, their figures with sources, and comparisons.",
		[]string{"cards", "search", "compare", "metrics", "sources", "architectures", "peak", "changes"}},
	{"Ladders", "Cards in an order, by figures or by measurements.", []string{"ladders"}},
	{"Prices", "Dated prices to buy and to rent.", []string{"prices", "offers"}},
	{"Export control", "Dated rules, evaluated for a card.", []string{"export-control"}},
	{"Sizing", "Which cards do a job, how fast, and at what cost.",
		[]string{"recommend", "estimate", "models", "serve"}},
	{"Live", "Devices of this host or fleet.", []string{"live"}},
	{"Administration", "Imports, datasets, the record of changes, and who is told of them.",
		[]string{"imports", "datasets", "log", "webhooks"}},
}

// tagOf is the tag of the operations of a path.
func tagOf(path string) tag {
	part, _, _ := strings.Cut(strings.TrimPrefix(path, "/api/v1/"), "/")
	part, _, _ = strings.Cut(part, ".")
	for _, t := range tags {
		for _, p := range t.parts {
			if p == part {
				return t
			}
		}
	}
	panic("api: no tag for " + path)
}

// tagsOf are the tags that some operations have.
func tagsOf(operations []Operation) []*huma.Tag {
	used := map[string]bool{}
	for _, o := range operations {
		used[tagOf(o.Path).name] = true
	}
	var out []*huma.Tag
	for _, t := range tags {
		if used[t.name] {
			out = append(out, &huma.Tag{Name: t.name, Description: t.about})
		}
	}
	return out
}

// documentErrors adds the answers that are not the one that was asked for.
func (o Operation) documentErrors(op *huma.Operation, problem *huma.Schema) {
	statuses := append(o.Errors, 400, 401, 429, 500, 503)
	if o.HTTPMethod() == http.MethodGet {
		statuses = append(statuses, 414)
	}
	for _, status := range statuses {
		r := &huma.Response{Description: http.StatusText(status),
			Content: map[string]*huma.MediaType{"application/problem+json": {Schema: problem}}}
		switch status {
		case 429, 503:
			r.Headers = map[string]*huma.Header{"Retry-After": {Description: "seconds after which to try again",
				Schema: &huma.Schema{Type: "integer", Minimum: float(1)}}}
		case 401:
			r.Headers = map[string]*huma.Header{"WWW-Authenticate": {Description: "what is missing",
				Schema: &huma.Schema{Type: "string"}}}
		}
		op.Responses[statusKey(status)] = r
	}
	if ok := op.Responses["200"]; ok != nil && ok.Headers["ETag"] != nil {
		op.Responses["304"] = &huma.Response{Description: "what If-None-Match names is still right",
			Headers: map[string]*huma.Header{"ETag": ok.Headers["ETag"]}}
	}
}

// bound says which numbers a parameter takes, and which it has when it is not given.
func (p Param) bound(schema *huma.Schema) {
	if p.Type == "integer" {
		schema.Format = "int64"
		switch p.Name {
		case "limit":
			schema.Minimum, schema.Maximum = float(1), float(catalog.MaxLimit)
		case "page", "id":
			schema.Minimum = float(1)
		case "from", "revision", "to":
			schema.Minimum = float(0)
		case "rank":
			schema.Minimum, schema.Maximum = float(-1000), float(1000)
		}
	}
	if v := p.valueOf(p.Default); v != nil && !p.Many && fits(v, p.Enum) {
		schema.Default = v
	}
}

// fits reports whether a value may be the default of a schema: prose is none.
func fits(v any, enum []string) bool {
	s, isText := v.(string)
	if !isText {
		return true
	}
	for _, e := range enum {
		if e == s {
			return true
		}
	}
	return false
}

// valueOf is a text as a value of the type of the parameter; nil when it is none.
func (p Param) valueOf(text string) any {
	switch p.Type {
	case "integer":
		if n, err := strconv.Atoi(text); err == nil {
			return n
		}
		return nil
	case "number":
		if n, err := strconv.ParseFloat(text, 64); err == nil {
			return n
		}
		return nil
	case "boolean":
		if b, err := strconv.ParseBool(text); err == nil {
			return b
		}
		return nil
	}
	if text == "" {
		return nil
	}
	return text
}

func float(n float64) *float64 { return &n }
