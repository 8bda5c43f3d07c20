package api

import (
	"cmp"
	"net/http"
	"path"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"tianti/catalog"
)

// An Operation describes one address of the API: the OpenAPI document, the human
// page and the check for unknown parameters are all made from it.
type Operation struct {
	ID          string
	Method      string // empty: GET
	Path        string // with {placeholders}
	Summary     catalog.Text
	Description catalog.Text
	Params      []Param
	Filters     bool // takes every quantity as a filter as well
	Answer      any  // value of the type of the body of a 200
	Errors      []int
	Examples    []string // whole paths to try
	Long        bool     // the answer is too long to be an example in the document
	Stream      bool     // answers with server-sent events, whose data are of the type of Answer
	Managed     bool     // for administrators and their programs; the answer is kept by nobody
	Upload      bool     // the body of the request is a file
	Body        string   // media type of the body of the request, where there is one that is no file
	Created     bool     // answers 201 besides 200
	Media       string   // media type of an answer that is no JSON
}

// HTTPMethod is the method of the operation.
func (o Operation) HTTPMethod() string {
	if o.Method == "" {
		return http.MethodGet
	}
	return o.Method
}

// A Param is a parameter of an operation.
type Param struct {
	Name        string
	In          string // query or path
	Type        string // string, integer
	Required    bool
	Many        bool // may be repeated
	Default     string
	Enum        []string
	Description catalog.Text
	Example     string
	Deprecated  bool // it is still taken; the answer says so in the header Deprecation
}

// QueryParams are the names of the query parameters that an operation takes,
// without the filters.
func (o Operation) QueryParams() []string {
	var names []string
	for _, p := range o.Params {
		if p.In != "path" {
			names = append(names, p.Name)
		}
	}
	return names
}

// Document is the OpenAPI 3.1 description; example returns the body that an
// operation answers a path with now, or nil. Origin is where the server says that it is; it may be empty.
func Document(version, origin string, operations []Operation, example func(id, path string) any) *huma.OpenAPI {
	registry := huma.NewMapRegistry("#/components/schemas/", schemaName)
	doc := &huma.OpenAPI{
		OpenAPI: "3.1.0",
		Info: &huma.Info{Title: "Tianti", Version: version,
			License: &huma.License{Name: "Apache-2.0", URL: "https://www.apache.org/licenses/LICENSE-2.0.html"},
			Description: "AI accelerators: specifications with their sources, and comparisons. " +
				"What tells of the catalogue is public and read-only; any origin may call it, and every answer " +
				"carries the catalogue revision in snapshot and a strong ETag. What takes files in needs a token of " +
				"the scope import; its answers are kept by nobody. Errors are RFC 9457 problem details. Fields " +
				"are only ever added. A parameter that another has replaced is still taken: the answer then " +
				"bears the header Deprecation (RFC 9745)."},
		Servers: []*huma.Server{{URL: cmp.Or(origin, "/"), Description: "this server"}},
		Components: &huma.Components{Schemas: registry,
			SecuritySchemes: map[string]*huma.SecurityScheme{"token": {Type: "http", Scheme: "bearer",
				Description: "a token that tianti token create or /admin/tokens has made"}}},
	}
	for _, o := range operations {
		doc.AddOperation(o.document(registry, example))
	}
	doc.Tags = tagsOf(operations)
	return doc
}

func (o Operation) document(registry huma.Registry, example func(id, path string) any) *huma.Operation {
	op := &huma.Operation{
		OperationID: o.ID, Method: o.HTTPMethod(), Path: o.Path, Summary: o.Summary.En, Description: o.Description.En,
		Tags:      []string{tagOf(o.Path).name},
		Security:  []map[string][]string{{}, {"token": {}}}, // a private server asks everybody
		Responses: map[string]*huma.Response{"200": o.response(registry, example)},
	}
	if o.Managed {
		o.documentManaged(op)
	}
	if o.Body != "" {
		op.RequestBody = &huma.RequestBody{Required: true,
			Content: map[string]*huma.MediaType{o.Body: {Schema: &huma.Schema{Type: "object"}}}}
	}
	for _, p := range o.Params {
		op.Parameters = append(op.Parameters, p.document())
	}
	if o.Filters {
		for _, q := range catalog.Quantities() {
			if q.Kind != catalog.Name {
				op.Parameters = append(op.Parameters, filterParam(q))
			}
		}
	}
	o.documentErrors(op, huma.SchemaFromType(registry, reflect.TypeFor[Problem]()))
	return op
}

// importNames are what the schemas of types of imports begin with, by package: clients know them.
var importNames = map[string]string{"importer": "Intake", "format": "Ingest"}

// schemaName names the type of a value in the document. Types of imports bear their
// package before their own name, which others have, too.
func schemaName(t reflect.Type, hint string) string {
	name := huma.DefaultSchemaNamer(t, hint)
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if pkg := path.Base(t.PkgPath()); t.Name() != "" && importNames[pkg] != "" {
		return importNames[pkg] + name
	}
	return name
}

// documentManaged adds what operations for administrators have: who may call them, the
// file that is handed in, and answers that are no JSON.
func (o Operation) documentManaged(op *huma.Operation) {
	op.Security = []map[string][]string{{"token": {}}}
	file := map[string]*huma.MediaType{"application/octet-stream": {Schema: &huma.Schema{Type: "string",
		Format: "binary"}}}
	ok := op.Responses["200"]
	ok.Headers = nil
	switch {
	case o.Method == http.MethodDelete:
		op.Responses = map[string]*huma.Response{"204": {Description: http.StatusText(http.StatusNoContent)}}
	case strings.HasSuffix(o.Path, ".csv"):
		ok.Content = map[string]*huma.MediaType{"text/csv": {Schema: &huma.Schema{Type: "string"}}}
	case o.Answer == nil:
		ok.Content = file
	}
	if o.Upload {
		op.RequestBody = &huma.RequestBody{Required: true, Description: "the file", Content: file}
	}
	if o.Created {
		op.Responses["201"] = &huma.Response{Description: http.StatusText(http.StatusCreated), Content: ok.Content}
	}
}

func statusKey(status int) string {
	return string([]byte{byte('0' + status/100), byte('0' + status/10%10), byte('0' + status%10)})
}

func (o Operation) response(registry huma.Registry, example func(id, path string) any) *huma.Response {
	if o.Media != "" {
		return &huma.Response{Description: "OK", Content: map[string]*huma.MediaType{
			o.Media: {Schema: &huma.Schema{Type: "string"}}}}
	}
	if o.Answer == nil {
		return &huma.Response{Description: "OK"}
	}
	media := &huma.MediaType{Schema: huma.SchemaFromType(registry, reflect.TypeOf(o.Answer))}
	for _, path := range o.Examples {
		if body := example(o.ID, path); body != nil && !o.Long {
			if media.Examples == nil {
				media.Examples = map[string]*huma.Example{}
			}
			media.Examples["GET "+path] = &huma.Example{Value: body}
		}
	}
	if o.Stream {
		return &huma.Response{Description: "OK", Content: map[string]*huma.MediaType{
			"text/event-stream": {Schema: media.Schema}}}
	}
	return &huma.Response{Description: "OK", Content: map[string]*huma.MediaType{"application/json": media},
		Headers: map[string]*huma.Header{
			"ETag": {Description: "strong; send it back in If-None-Match", Schema: &huma.Schema{Type: "string"}},
		}}
}

func (p Param) document() *huma.Param {
	in := p.In
	if in == "" {
		in = "query"
	}
	schema := &huma.Schema{Type: p.Type}
	p.bound(schema)
	for _, e := range p.Enum {
		schema.Enum = append(schema.Enum, e)
	}
	out := &huma.Param{Name: p.Name, In: in, Required: p.Required, Description: p.Description.En,
		Schema: schema, Deprecated: p.Deprecated}
	if p.Many {
		explode := true
		out.Schema, out.Explode = &huma.Schema{Type: "array", Items: schema}, &explode
	}
	if p.Example != "" && !p.Many {
		out.Example = p.valueOf(p.Example)
	}
	return out
}

func filterParam(q *catalog.Quantity) *huma.Param {
	description := "Filter: " + q.Label.En
	if q.Unit != "" {
		description += " in " + q.Unit
	}
	if q.Definition.En != "" {
		description += " (" + strings.TrimSuffix(q.Definition.En, ".") + ")"
	}
	return &huma.Param{Name: q.ID, In: "query", Description: description, Schema: &huma.Schema{Type: "string"}}
}
