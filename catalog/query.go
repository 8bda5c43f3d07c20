package catalog

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"tianti/sorting"
)

// Limits of what one address may ask.
const (
	MaxLimit      = 1000
	DefaultBasis  = "bf16_matrix_dense_tflops"
	maxTextRunes  = 200
	maxTerms      = 64
	maxSortKeys   = 4
	maxExpression = 1000 // bytes of one range expression
	maxPage       = 10_000
)

// A Query is a question to the catalogue: which cards, which columns, in which
// order, how many. [Snapshot.ParseQuery] makes one from an address and
// [Query.Encode] is its inverse.
type Query struct {
	Text    string      // words that must all occur in a card's names
	Filters []Filter    // in the registry's order
	Basis   *Quantity   // the one compute rate of the default columns and order
	Fields  []*Quantity // columns; nil is the default set of whoever shows them
	Sort    []SortKey   // nil is the default: by Basis, highest first
	Limit   int         // 0 is the default of whoever shows them
	Cursor  string      // id of the last card of the page before
	Page    int         // number of the page, from 1; 0 is 1. Not together with Cursor
	Pricing Pricing     // as far as it is chosen; without Today
	Keep    *Keep       // a choice that is not made by quantities; nil is all cards
}

// A Keep is a set of cards that somebody else has chosen, by something that the
// catalogue does not hold. ParseQuery never makes one; Encode writes its parameters.
type Keep struct {
	Params string // canonical: "as_of=2026-01-15&destination=CN&export=not_controlled"; may be empty
	Rows   []bool // by card
}

// A SortKey is one key of the order; cards without a value come last either way.
type SortKey struct {
	Quantity   *Quantity
	Descending bool
}

// A Filter keeps the cards of which one positive term is true (any value, when
// there is none) and no negative one. A card whose value is not known passes
// only the term "none".
type Filter struct {
	Quantity *Quantity
	Terms    []Term
}

// A Term is one part of a filter expression.
type Term struct {
	Text string // canonical: "24..80", ">=300", "NVIDIA", "none", "any"
	Not  bool
	interval
	code int // of a category
	word termWord
}

type termWord uint8

const (
	plain termWord = iota
	anyValue
	noValue
)

type interval struct {
	lo, hi         float64
	loOpen, hiOpen bool
}

// A ParamError says what is wrong with one parameter of an address.
type ParamError struct {
	Param   string
	Value   string
	Code    ParamCode
	Allowed string   // what is allowed, when a list or range can say it
	Nearest []string // the nearest valid names
}

// ParamCode names the ways in which a parameter can be wrong.
type ParamCode string

const (
	UnknownParam ParamCode = "unknown_parameter"
	Repeated     ParamCode = "repeated"
	BadRange     ParamCode = "bad_range"
	UnknownValue ParamCode = "unknown_value"
	BadLimit     ParamCode = "bad_limit"
	BadDay       ParamCode = "bad_day"
	BadCountry   ParamCode = "bad_country"
	BadNumber    ParamCode = "bad_number"
	BadCursor    ParamCode = "bad_cursor"
	TooLong      ParamCode = "too_long"
	BadEncoding  ParamCode = "bad_encoding"
	Missing      ParamCode = "missing"
	TooMany      ParamCode = "too_many"
	Conflict     ParamCode = "conflict" // with the parameter in Nearest
	MixedBases   ParamCode = "mixed_bases"
	Ambiguous    ParamCode = "ambiguous"    // a name of several cards, which are in Nearest
	NoDirection  ParamCode = "no_direction" // a quantity of which neither more nor less is better
)

// Codes of jobs of machine learning.
const (
	NotText          ParamCode = "not_text"
	NotANumber       ParamCode = "not_a_number"
	NotWhole         ParamCode = "not_whole"
	OutOfRange       ParamCode = "out_of_range"
	Contradicts      ParamCode = "contradicts"
	NotForTask       ParamCode = "not_for_task"
	NeedsQuantised   ParamCode = "needs_quantised_weights"
	NeedsFullWeights ParamCode = "needs_16_bit_weights"
	OneCard          ParamCode = "one_card_shards_nothing"
	NotDivisible     ParamCode = "not_divisible"
	NotByFramework   ParamCode = "not_by_framework"
	NoArchitecture   ParamCode = "no_architecture"
	BeyondModel      ParamCode = "beyond_model"
	NotForModel      ParamCode = "not_for_model"
	NoPipeline       ParamCode = "no_pipeline"
	OneKindServes    ParamCode = "one_kind_serves" // cards of several kinds, of one engine
)

// NotJSON is the code of text that is not one JSON object, or too deep.
const NotJSON ParamCode = "not_json"

// Codes of models that write no text, by their kind.
const (
	IsEncoder   ParamCode = "is_encoder"
	IsEmbedding ParamCode = "is_embedding"
	IsReranker  ParamCode = "is_reranker"
	IsVision    ParamCode = "is_vision"
	IsDiffusion ParamCode = "is_diffusion"
	IsSpeech    ParamCode = "is_speech"
)

// KindCode is the code of a kind of models; that of encoders where it has none.
func KindCode(kind string) ParamCode {
	switch c := ParamCode("is_" + kind); c {
	case IsEmbedding, IsReranker, IsVision, IsDiffusion, IsSpeech:
		return c
	}
	return IsEncoder
}

// General is the code that says the same in general: pages have a text for it.
func (c ParamCode) General() ParamCode {
	switch c {
	case NotText:
		return BadEncoding
	case NotANumber, NotWhole, OutOfRange:
		return BadNumber
	case Contradicts, NotForTask, NeedsQuantised, NeedsFullWeights, OneCard, OneKindServes, NotDivisible,
		NotByFramework, NoArchitecture, NotForModel, NoPipeline:
		return Conflict
	}
	return c
}

// Listed is a list of allowed values that a message can hold: the first twelve.
func Listed(list ...string) string {
	const most = 12
	if len(list) > most {
		return strings.Join(list[:most], ", ") + ", …"
	}
	return strings.Join(list, ", ")
}

func (e ParamError) Error() string {
	s := string(e.Code) + ": " + e.Param
	if e.Value != "" {
		s += "=" + e.Value
	}
	if e.Allowed != "" {
		s += "; allowed: " + e.Allowed
	}
	if len(e.Nearest) > 0 {
		s += "; nearest: " + strings.Join(e.Nearest, ", ")
	}
	return s
}

// queryParams are the parameters of a query that are not quantities.
var queryParams = append([]string{"q", "basis", "fields", "sort", "limit", "cursor", "page"}, PricingParams...)

// PricingParams are the parameters that choose a [Pricing].
var PricingParams = []string{"currency", "buy", "rent"}

// QueryParams returns every parameter name that ParseQuery takes.
func QueryParams() []string {
	names := slices.Clone(queryParams)
	for _, q := range registry {
		if q.Kind != Name {
			names = append(names, q.ID)
		}
	}
	return names
}

// Bases are the compute rates that can be the basis of the default columns.
func Bases() []*Quantity {
	var out []*Quantity
	for _, q := range registry {
		if q.Group == "compute" {
			out = append(out, q)
		}
	}
	return out
}

// ParseQuery reads a query from the parameters of an address. Empty parameters
// are as if absent, because forms send them. Every problem is reported, in the
// order of the parameter names; the query is usable only when there is none.
func (s *Snapshot) ParseQuery(values url.Values) (Query, []ParamError) {
	p := parser{s: s}
	keys := make([]string, 0, len(values))
	for k := range values {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for _, key := range keys {
		if len(p.errs) >= MostErrors {
			break
		}
		given := slices.DeleteFunc(slices.Clone(values[key]), func(v string) bool { return strings.TrimSpace(v) == "" })
		p.param(key, given)
	}
	if p.q.Basis == nil {
		p.q.Basis = registryByID[DefaultBasis]
	}
	if p.q.Page > 0 && p.q.Cursor != "" {
		p.fail(ParamError{Param: "page", Code: Conflict, Nearest: []string{"cursor"}})
	}
	sorting.Func(p.q.Filters, func(a, b Filter) int { return a.Quantity.index - b.Quantity.index })
	return p.q, p.errs
}

// MostErrors is from how many errors on nothing more is read of an address: each names the nearest valid names, which
// takes more work than to read a parameter.
const MostErrors = 16

type parser struct {
	s    *Snapshot
	q    Query
	errs []ParamError
}

func (p *parser) fail(e ParamError) {
	e.Value = Clip(e.Value)
	e.Param = Clip(e.Param)
	p.errs = append(p.errs, e)
}

// Clip shortens what a client wrote and makes it valid UTF-8, to be quoted in an error.
func Clip(s string) string {
	const most = 80
	s = strings.ToValidUTF8(s, "\uFFFD")
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}

func (p *parser) param(key string, given []string) {
	quantity, isQuantity := registryByID[key]
	isQuantity = isQuantity && quantity.Kind != Name
	switch {
	case !isQuantity && !slices.Contains(queryParams, key):
		p.fail(ParamError{Param: key, Code: UnknownParam, Nearest: Nearest(key, QueryParams(), 3)})
	case len(given) == 0:
	case len(given) > 1 && key != "fields" && !(isQuantity && quantity.Repeatable()):
		p.fail(ParamError{Param: key, Code: Repeated})
	case isQuantity:
		p.filter(quantity, strings.Join(given, ","))
	default:
		p.special(key, strings.TrimSpace(strings.Join(given, ",")))
	}
}

func (p *parser) special(key, v string) {
	switch key {
	case "q":
		p.text(v)
	case "basis":
		p.q.Basis = p.quantity(key, v, func(q *Quantity) bool { return q.Group == "compute" })
	case "fields":
		p.fields(v)
	case "sort":
		p.sort(v)
	case "limit":
		p.q.Limit = p.count(key, v, MaxLimit)
	case "page":
		p.q.Page = p.count(key, v, maxPage)
	case "currency", "buy", "rent":
		p.pricing(key, v)
	case "cursor":
		if _, ok := p.s.rowOf[v]; !ok {
			p.fail(ParamError{Param: key, Value: v, Code: BadCursor})
			return
		}
		p.q.Cursor = v
	}
}

// pricing reads one of PricingParams.
func (p *parser) pricing(key, v string) {
	if err := p.q.Pricing.Set(key, v); err != nil {
		p.fail(*err)
	}
}

// count reads a whole number from 1 to most; it reports and returns 0 otherwise.
func (p *parser) count(param, v string, most int) int {
	n, err := strconv.Atoi(v)
	if err != nil || n < 1 || n > most {
		p.fail(ParamError{Param: param, Value: v, Code: BadLimit, Allowed: "1 … " + strconv.Itoa(most)})
		return 0
	}
	return n
}

func (p *parser) text(v string) {
	if len([]rune(v)) > maxTextRunes {
		p.fail(ParamError{Param: "q", Value: v, Code: TooLong, Allowed: strconv.Itoa(maxTextRunes)})
		return
	}
	if strings.ToValidUTF8(v, "") != v || strings.ContainsRune(v, 0) {
		p.fail(ParamError{Param: "q", Value: v, Code: BadEncoding})
		return
	}
	p.q.Text = strings.Join(strings.Fields(v), " ")
}

// quantity resolves the name of a quantity; it reports and returns nil when there
// is none that suits.
func (p *parser) quantity(param, name string, suits func(*Quantity) bool) *Quantity {
	if q, ok := registryByID[name]; ok && suits(q) {
		return q
	}
	var valid []string
	for _, q := range registry {
		if suits(q) {
			valid = append(valid, q.ID)
		}
	}
	p.fail(Unknown(param, name, valid))
	return nil
}

func (p *parser) fields(v string) {
	for name := range strings.SplitSeq(v, ",") {
		q := p.quantity("fields", strings.TrimSpace(name), func(q *Quantity) bool { return q.Kind != Name })
		if q == nil {
			return
		}
		if slices.Contains(p.q.Fields, q) {
			p.fail(ParamError{Param: "fields", Value: name, Code: Repeated})
			return
		}
		p.q.Fields = append(p.q.Fields, q)
	}
}

func (p *parser) sort(v string) {
	keys := strings.Split(v, ",")
	if len(keys) > maxSortKeys {
		p.fail(ParamError{Param: "sort", Value: v, Code: TooMany, Allowed: strconv.Itoa(maxSortKeys)})
		return
	}
	for _, key := range keys {
		name, down := strings.CutPrefix(strings.TrimSpace(key), "-")
		q := p.quantity("sort", name, func(*Quantity) bool { return true })
		if q == nil {
			return
		}
		if slices.ContainsFunc(p.q.Sort, func(k SortKey) bool { return k.Quantity == q }) {
			p.fail(ParamError{Param: "sort", Value: name, Code: Repeated})
			return
		}
		if slices.ContainsFunc(p.q.Sort, func(k SortKey) bool {
			return k.Quantity.Group == "compute" && q.Group == "compute"
		}) {
			p.fail(ParamError{Param: "sort", Value: v, Code: MixedBases})
			return
		}
		p.q.Sort = append(p.q.Sort, SortKey{q, down})
	}
}

func (t Term) String() string {
	if t.Not {
		return "!" + t.Text
	}
	return t.Text
}

// Encode returns the canonical address parameters of the query, without the
// leading "?": equal queries have equal encodings.
func (q Query) Encode() string {
	var b strings.Builder
	add := func(key, value string) {
		if value == "" {
			return
		}
		if b.Len() > 0 {
			b.WriteByte('&')
		}
		b.WriteString(key)
		b.WriteByte('=')
		b.WriteString(escapeParam(value))
	}
	add("q", q.Text)
	for _, f := range q.Filters {
		add(f.Quantity.ID, f.Expression())
	}
	if q.Keep != nil && q.Keep.Params != "" {
		if b.Len() > 0 {
			b.WriteByte('&')
		}
		b.WriteString(q.Keep.Params)
	}
	if q.Basis != nil && q.Basis.ID != DefaultBasis {
		add("basis", q.Basis.ID)
	}
	for _, key := range PricingParams {
		add(key, q.Pricing.get(key))
	}
	add("fields", ids(q.Fields))
	add("sort", sortExpression(q.Sort))
	if q.Limit != 0 {
		add("limit", strconv.Itoa(q.Limit))
	}
	add("cursor", q.Cursor)
	if q.Page > 1 {
		add("page", strconv.Itoa(q.Page))
	}
	return b.String()
}

func ids(qs []*Quantity) string {
	names := make([]string, len(qs))
	for i, q := range qs {
		names[i] = q.ID
	}
	return strings.Join(names, ",")
}

func sortExpression(keys []SortKey) string {
	parts := make([]string, len(keys))
	for i, k := range keys {
		parts[i] = k.String()
	}
	return strings.Join(parts, ",")
}

func (k SortKey) String() string {
	if k.Descending {
		return "-" + k.Quantity.ID
	}
	return k.Quantity.ID
}

var readable = strings.NewReplacer("%2C", ",", "%3A", ":", "%21", "!", "%3E", ">", "%3C", "<")

// escapeParam escapes a parameter value but keeps commas and colons readable.
func escapeParam(s string) string {
	escaped := url.QueryEscape(s)
	if len(escaped) == len(s) {
		return escaped
	}
	return readable.Replace(escaped)
}

// Relevant reports whether what the query finds comes in the order of how near it is to its text.
func (q Query) Relevant() bool { return q.Text != "" && len(q.Sort) == 0 && q.Basis == nil }

// Order is the order that the query asks for, the default one included.
func (q Query) Order() []SortKey {
	if len(q.Sort) > 0 {
		return q.Sort
	}
	basis := q.Basis
	if basis == nil {
		basis = registryByID[DefaultBasis]
	}
	return []SortKey{{basis, true}}
}
