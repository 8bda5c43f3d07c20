package api

import (
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
	Created     bool     // answers 201 besides 200
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
}

var filterSyntax = catalog.Text{
	En: "Filters: any id of /api/v1/metrics is a parameter. Numbers and dates take 24..80, 24.., ..80, 80, >=300, <300, and lists of these; texts take values and lists of them; !x excludes, any and none test whether a value is known. Filters on different quantities are combined with and.",
	Zh: "筛选：/api/v1/metrics 中的任意 id 都可作为参数。数值与日期可写 24..80、24..、..80、80、>=300、<300 或用逗号列出多个；文本可写一个或多个取值；!x 表示排除，any 与 none 分别表示有值与无值。不同指标的筛选同时生效。",
}

// Operations lists the API.
func Operations() []Operation {
	return []Operation{listCards, getCard, compareCards, listMetrics, listSources, listArchitectures, getPeak, getExportControl, getRecommendation, getEstimate, listModels, getLadder, listPrices, listOffers, getLive, streamLive}
}

var listCards = Operation{
	ID: "list-cards", Path: "/api/v1/cards", Filters: true, Answer: CardList{}, Errors: []int{400},
	Summary: catalog.Text{En: "List cards", Zh: "列出加速卡"}, Description: filterSyntax,
	Params: append([]Param{
		{Name: "q", Type: "string", Description: catalog.Text{En: "words that must all occur in a card’s names, aliases, architecture or chip", Zh: "须全部出现在名称、别名、架构或芯片代号中的词"}, Example: "4090"},
		{Name: "sort", Type: "string", Default: "-bf16_matrix_dense_tflops", Description: catalog.Text{En: "up to four ids, comma-separated, - for descending; cards without a value come last either way", Zh: "至多四个 id，以逗号分隔，- 表示降序；无值者始终排在最后"}, Example: "-memory_bandwidth_gb_s,name"},
		{Name: "fields", Type: "string", Default: "all but prices", Description: catalog.Text{En: "ids of the figures and attributes to return, comma-separated; those of the group price only when named", Zh: "要返回的指标与属性 id，以逗号分隔；price 组指标须明确列出"}, Example: "memory_gb,tdp_w"},
		{Name: "basis", Type: "string", Default: catalog.DefaultBasis, Description: catalog.Text{En: "compute rate of the default order", Zh: "默认排序所依据的算力口径"}},
		{Name: "limit", Type: "integer", Default: "100", Description: catalog.Text{En: "1 to 1000 cards", Zh: "1 至 1000 张"}, Example: "20"},
		{Name: "cursor", Type: "string", Description: catalog.Text{En: "opaque; taken from next of the page before", Zh: "不透明值，取自上一页的 next"}},
		{Name: "page", Type: "integer", Default: "1", Description: catalog.Text{En: "number of the page, as an alternative to cursor", Zh: "页码，可代替 cursor"}},
	}, pricingParams...),
	Examples: []string{"/api/v1/cards?memory_gb=24..80&sort=-memory_bandwidth_gb_s&fields=memory_gb,memory_bandwidth_gb_s&limit=2", "/api/v1/cards?vendor=NVIDIA&segment=datacenter&bf16_matrix_dense_tflops=%3E%3D300&limit=1"},
}

var getCard = Operation{
	ID: "get-card", Path: "/api/v1/cards/{id}", Answer: CardDetail{}, Errors: []int{400, 404},
	Summary:     catalog.Text{En: "Everything known of one card", Zh: "一张卡的全部已知信息"},
	Description: catalog.Text{En: "Each figure with its unit, source, dataset and date, and what other sources say.", Zh: "每个数值均附单位、来源、数据集与日期，并列出其他来源的说法。"},
	Params:      []Param{{Name: "id", In: "path", Type: "string", Required: true, Description: catalog.Text{En: "card id", Zh: "卡的 id"}, Example: "nvidia-h100-sxm5-80gb"}},
	Examples:    []string{"/api/v1/cards/nvidia-h100-sxm5-80gb"},
}

var compareCards = Operation{
	ID: "compare-cards", Path: "/api/v1/compare", Answer: Comparison{}, Errors: []int{400, 404},
	Summary:     catalog.Text{En: "Compare cards", Zh: "对比多张卡"},
	Description: catalog.Text{En: "Rows by metric; ratios are to the first card. A row never mixes compute bases; where cards state a rate on different bases only, other_bases says so and nothing is best. A price that is too old is never the best.", Zh: "按指标逐行给出；比值以第一张卡为基准。同一行不会混用不同算力口径；若各卡只给出不同口径，other_bases 会注明，且不评最佳。过期价格不会成为最佳。"},
	Params:      append([]Param{{Name: "card", Type: "string", Required: true, Many: true, Description: catalog.Text{En: "2 to 8 card ids, one parameter each", Zh: "2 至 8 个卡 id，每个一个参数"}, Example: "nvidia-h20-sxm5-96gb"}}, pricingParams...),
	Examples:    []string{"/api/v1/compare?card=nvidia-h20-sxm5-96gb&card=nvidia-h100-sxm5-80gb"},
}

// pricingParams choose how prices are reckoned.
var pricingParams = []Param{
	{Name: "currency", Type: "string", Default: catalog.DefaultCurrency, Enum: catalog.Currencies, Description: catalog.Text{En: "in which quantities of the group price are reckoned, also in filters; ¤ in their units", Zh: "price 组指标所用的币种，也用于筛选；单位中以 ¤ 表示"}, Example: "CNY"},
	{Name: "buy", Type: "string", Default: string(catalog.LaunchPrice), Enum: kindNames(catalog.BuyKinds), Description: catalog.Text{En: "kind of price behind buy_price and what follows from it", Zh: "buy_price 及其派生指标所依据的价格种类"}},
	{Name: "rent", Type: "string", Default: string(catalog.OnDemand), Enum: kindNames(catalog.RentKinds), Description: catalog.Text{En: "kind of price behind rent_price and what follows from it", Zh: "rent_price 及其派生指标所依据的价格种类"}},
}

var listMetrics = Operation{
	ID: "list-metrics", Path: "/api/v1/metrics", Answer: MetricList{}, Errors: []int{400},
	Summary:     catalog.Text{En: "The registry of quantities", Zh: "指标登记表"},
	Description: catalog.Text{En: "Every metric, attribute and derived value with unit, definition and formula.", Zh: "全部指标、属性与派生值，附单位、定义与公式。"},
	Examples:    []string{"/api/v1/metrics"}, Long: true,
}

var listSources = Operation{
	ID: "list-sources", Path: "/api/v1/sources", Answer: SourceList{}, Errors: []int{400},
	Summary:     catalog.Text{En: "Where figures come from", Zh: "数据来源"},
	Description: catalog.Text{En: "Every document and dataset, and how many figures and cards name it.", Zh: "全部文档与数据集，以及引用它的数值数与卡数。"},
	Examples:    []string{"/api/v1/sources"}, Long: true,
}

var listArchitectures = Operation{
	ID: "list-architectures", Path: "/api/v1/architectures", Answer: ArchitectureList{}, Errors: []int{400},
	Summary:     catalog.Text{En: "Generations of architectures", Zh: "各代架构"},
	Description: catalog.Text{En: "Date, largest chip, make-up of a compute unit and what each generation brought, with sources, and the ids of its cards.", Zh: "每一代的发布日期、最大芯片、计算单元构成与新特性，附来源与所属各卡的 id。"},
	Params:      []Param{{Name: "id", Type: "string", Many: true, Default: "all", Description: catalog.Text{En: "up to 6 ids of generations, one parameter each", Zh: "至多 6 个架构 id，每个一个参数"}, Example: "nvidia-hopper"}},
	Examples:    []string{"/api/v1/architectures?id=nvidia-hopper"}, Long: true,
}

var getPeak = Operation{
	ID: "get-peak", Path: "/api/v1/peak", Answer: Peak{}, Errors: []int{400, 404, 409},
	Summary:     catalog.Text{En: "Peak rate of a device, for MFU", Zh: "设备峰值算力（用于 MFU）"},
	Description: catalog.Text{En: "The dense matrix rate to divide by for model FLOPS utilisation. The device is what a driver prints, a PCI id or a card id. Unknown is 404 and ambiguous is 409, both with candidates; nothing is guessed.", Zh: "计算模型算力利用率（MFU）时的分母：稠密矩阵算力。device 可为驱动显示的名称、PCI id 或卡 id。未知返回 404，有歧义返回 409，均附候选；绝不猜测。"},
	Params: []Param{
		{Name: "device", Type: "string", Required: true, Description: catalog.Text{En: "driver name, PCI id (10de:2330) or card id", Zh: "驱动名称、PCI id（10de:2330）或卡 id"}, Example: "NVIDIA H100 80GB HBM3"},
		{Name: "precision", Type: "string", Default: "bf16", Enum: Precisions(), Description: catalog.Text{En: "precision of the operands", Zh: "操作数精度"}, Example: "bf16"},
	},
	Examples: []string{"/api/v1/peak?device=NVIDIA%20H100%2080GB%20HBM3&precision=bf16", "/api/v1/peak?device=10de:2330"},
}

var getExportControl = Operation{
	ID: "get-export-control", Path: "/api/v1/export-control", Answer: ExportControl{}, Errors: []int{400, 404},
	Summary:     catalog.Text{En: "Export control of a card", Zh: "一张卡的出口管制状态"},
	Description: catalog.Text{En: "What each rule in force says of a card for a destination on a day, with every comparison, its inputs and their sources, and how the verdict changed over time. An engineer’s reading, not legal advice. The matrix of all cards is /export-control.json.", Zh: "指定目的地与日期，各条有效规则对一张卡的判断，附每一步比较、所用数值与来源，以及结论的变化过程。仅为工程师的解读，并非法律意见。全部卡的矩阵见 /export-control.json。"},
	Params: []Param{
		{Name: "card", Type: "string", Required: true, Description: catalog.Text{En: "card id", Zh: "卡的 id"}, Example: "nvidia-h100-sxm5-80gb"},
		{Name: "as_of", Type: "string", Default: "today", Description: catalog.Text{En: "day, YYYY-MM-DD", Zh: "日期，YYYY-MM-DD"}, Example: "2026-01-15"},
		{Name: "destination", Type: "string", Default: "CN", Description: catalog.Text{En: "country, ISO 3166-1 code", Zh: "国家或地区，ISO 3166-1 代码"}, Example: "CN"},
		{Name: "headquarters", Type: "string", Description: catalog.Text{En: "where the end user or its ultimate parent has its headquarters, ISO 3166-1 code", Zh: "最终用户或其最终母公司总部所在地，ISO 3166-1 代码"}, Example: "CN"},
	},
	Examples: []string{"/api/v1/export-control?card=nvidia-h100-sxm5-80gb&as_of=2026-01-15&destination=CN"},
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
// operation answers a path with now, or nil.
func Document(version string, example func(o Operation, path string) any) *huma.OpenAPI {
	registry := huma.NewMapRegistry("#/components/schemas/", schemaName)
	doc := &huma.OpenAPI{
		OpenAPI: "3.1.0",
		Info: &huma.Info{Title: "Tianti", Version: version, Description: "AI accelerators: specifications with their sources, and comparisons. " +
			"What tells of the catalogue is public and read-only; any origin may call it, and every answer carries the catalogue revision in snapshot and a strong ETag. What takes files in needs a token of the scope import; its answers are kept by nobody. Errors are RFC 9457 problem details. Fields are only ever added."},
		Components: &huma.Components{Schemas: registry, SecuritySchemes: map[string]*huma.SecurityScheme{"token": {Type: "http", Scheme: "bearer", Description: "a token that tianti token create or /admin/tokens has made"}}},
	}
	for _, o := range append(Operations(), Managed()...) {
		doc.AddOperation(o.document(registry, example))
	}
	return doc
}

func (o Operation) document(registry huma.Registry, example func(Operation, string) any) *huma.Operation {
	op := &huma.Operation{
		OperationID: o.ID, Method: o.HTTPMethod(), Path: o.Path, Summary: o.Summary.En, Description: o.Description.En,
		Responses: map[string]*huma.Response{"200": o.response(registry, example)},
	}
	if o.Managed {
		o.documentManaged(op)
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
	problem := huma.SchemaFromType(registry, reflect.TypeFor[Problem]())
	for _, status := range append(o.Errors, 429, 500) {
		op.Responses[statusKey(status)] = &huma.Response{Description: http.StatusText(status),
			Content: map[string]*huma.MediaType{"application/problem+json": {Schema: problem}}}
	}
	return op
}

// schemaName names the type of a value in the document. Types of imports bear their
// package before their own name, which others have, too.
func schemaName(t reflect.Type, hint string) string {
	name := huma.DefaultSchemaNamer(t, hint)
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if pkg := path.Base(t.PkgPath()); t.Name() != "" && (pkg == "intake" || pkg == "ingest") {
		return strings.ToUpper(pkg[:1]) + pkg[1:] + name
	}
	return name
}

// documentManaged adds what operations for administrators have: who may call them, the
// file that is handed in, and answers that are no JSON.
func (o Operation) documentManaged(op *huma.Operation) {
	op.Security = []map[string][]string{{"token": {}}}
	file := map[string]*huma.MediaType{"application/octet-stream": {Schema: &huma.Schema{Type: "string", Format: "binary"}}}
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

func (o Operation) response(registry huma.Registry, example func(Operation, string) any) *huma.Response {
	if o.Answer == nil {
		return &huma.Response{Description: "OK"}
	}
	media := &huma.MediaType{Schema: huma.SchemaFromType(registry, reflect.TypeOf(o.Answer))}
	for _, path := range o.Examples {
		if body := example(o, path); body != nil && !o.Long {
			if media.Examples == nil {
				media.Examples = map[string]*huma.Example{}
			}
			media.Examples["GET "+path] = &huma.Example{Value: body}
		}
	}
	if o.Stream {
		return &huma.Response{Description: "OK", Content: map[string]*huma.MediaType{"text/event-stream": {Schema: media.Schema}}}
	}
	return &huma.Response{Description: "OK", Content: map[string]*huma.MediaType{"application/json": media}, Headers: map[string]*huma.Header{
		"ETag": {Description: "strong; send it back in If-None-Match", Schema: &huma.Schema{Type: "string"}},
	}}
}

func (p Param) document() *huma.Param {
	in := p.In
	if in == "" {
		in = "query"
	}
	schema := &huma.Schema{Type: p.Type}
	for _, e := range p.Enum {
		schema.Enum = append(schema.Enum, e)
	}
	out := &huma.Param{Name: p.Name, In: in, Required: p.Required, Description: p.Description.En, Schema: schema}
	if p.Many {
		explode := true
		out.Schema, out.Explode = &huma.Schema{Type: "array", Items: schema}, &explode
	}
	if p.Example != "" && !p.Many {
		out.Example = p.Example
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
