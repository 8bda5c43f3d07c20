package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"tianti/locale"
	"tianti/web/api"
)

// A tool asks one operation of the API, or one of two by its arguments.
type tool struct {
	name, title, description string
	operations               []string                // ids
	extra                    object                  // properties that are its own
	usual                    url.Values              // what it asks where a parameter is not given
	choose                   func(a url.Values) int  // which operation; nil: the first. It takes its own properties out
	page                     func(url.Values) string // path and query of the page for people, in English
	caveats                  []string
	export                   bool // says what of export control is not modelled
}

var tools = []tool{
	{
		name: "resolve_name", title: "Which card a name means", operations: []string{"search"},
		description: "Finds the ids of cards by what people, drivers and PCI ids call them: H100, 5090, MI300X, " +
			"昇腾910B, 10de:2330. Call it first: the other tools take ids.",
		page: under("/search"),
	}, {
		name: "search_cards", title: "Cards that match", operations: []string{"list-cards"},
		description: "Lists cards by filters on any metric (memory_gb, tdp_w, vendor, segment, launched …), sorted, " +
			"with the figures that fields names. Without limit: 20 cards; next tells whether there are more.",
		usual: url.Values{"limit": {"20"}}, page: under("/cards"), caveats: []string{shownOnly},
	}, {
		name: "get_card", title: "Everything known of a card", operations: []string{"get-card"},
		description: "All figures of one card, each with its source, what other sources say, prices with their " +
			"dates, measured rates, and claims that no figure rests on.",
		page: func(a url.Values) string { return "/cards/" + url.PathEscape(a.Get("id")) },
	}, {
		name: "compare_cards", title: "Cards side by side", operations: []string{"compare-cards"},
		description: "Two to eight cards by metric: values, ratios to a baseline, the best of a row, what fits, " +
			"prices, and what the comparison says in sentences.",
		page: under("/compare"), caveats: []string{sameBasis}, export: true,
	}, {
		name: "estimate", title: "One job on given cards", operations: []string{"estimate"},
		description: "Memory, speed and cost of a job (a model, a task, batch, context …) on a number of one card, " +
			"each with its 90 % interval, formula and the measured cases behind it.",
		page: ofEstimate, caveats: []string{intervals},
	}, {
		name: "recommend", title: "Which card for a job", operations: []string{"recommend"},
		description: "Ranks cards for a job and says of the others why they do not do it. Name a destination to " +
			"leave out cards that may not be shipped there. Without limit: 5 options.",
		usual: url.Values{"limit": {"5"}}, page: under("/recommend"), caveats: []string{intervals}, export: true,
	}, {
		name: "export_status", title: "Export control of a card", operations: []string{"get-export-control"},
		description: "What each rule in force says of a card for a destination on a day, comparison by " +
			"comparison. An engineer's reading, not legal advice: never call a card allowed without the caveats.",
		page: ofExport, export: true,
	}, {
		name: "prices", title: "Prices with their dates", operations: []string{"list-prices", "list-offers"},
		description: "Dated observations of prices: to buy, or with acquire=rent to rent, each with seller, region, " +
			"source and whether it is still current. Without limit: 50 observations.",
		extra: object{"acquire": object{"type": "string", "enum": []string{"buy", "rent"},
			"description": "prices to buy (list-prices, with seller) or to rent (list-offers, with provider). " +
				"Default: buy."}},
		usual: url.Values{"limit": {"50"}}, choose: buyOrRent, page: ofPrices, caveats: []string{observed},
	},
}

// What answers do not cover.
const (
	shownOnly = "Figures are the shown values; get_card has their sources and what other sources say."
	sameBasis = "Rates of different bases (precision, dense or sparse, vector or matrix) are separate rows; compare " +
		"none across rows."
	intervals = "Estimates are computed and corrected by measured cases; report the interval with the value. " +
		"/accuracy says how far off they are."
	observed = "Prices are observations of their day, converted at the rate of that day; a stale one is no current " +
		"offer."
)

// under is the page at a path with the same parameters.
func under(path string) func(url.Values) string {
	return func(a url.Values) string {
		a.Del("limit")
		if len(a) == 0 {
			return path
		}
		return path + "?" + a.Encode()
	}
}

func ofEstimate(a url.Values) string {
	card := a.Get("card")
	a.Del("card")
	return under("/recommend/" + url.PathEscape(card))(a)
}

func ofExport(a url.Values) string {
	card := a.Get("card")
	a.Del("card")
	return under("/cards/"+url.PathEscape(card))(a) + "#export"
}

func ofPrices(a url.Values) string {
	if card := a.Get("card"); card != "" {
		return "/prices/" + url.PathEscape(card)
	}
	return "/prices"
}

func buyOrRent(a url.Values) int {
	rent := a.Get("acquire") == "rent"
	a.Del("acquire")
	if rent {
		return 1
	}
	return 0
}

// add makes a server have the tool.
func (t tool) add(s *sdk.Server, h *Handler, schemas schemas) {
	var operations []api.Operation
	for _, id := range t.operations {
		operations = append(operations, h.operation(id))
	}
	in := input(operations...)
	properties := in["properties"].(object)
	for name, p := range t.extra {
		properties[name] = p
	}
	never := false
	s.AddTool(&sdk.Tool{
		Name: t.name, Title: t.title, Description: t.description,
		InputSchema: in, OutputSchema: schemas.output(operations...),
		Annotations: &sdk.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true, OpenWorldHint: &never,
			DestructiveHint: &never, Title: t.title},
	}, func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		given, err := arguments(req.Params.Arguments, properties)
		if err != nil {
			return refusal(err.Error()), nil
		}
		return t.call(ctx, h, operations, given)
	})
}

// call asks the API and puts around its answer what goes with it.
func (t tool) call(
	ctx context.Context, h *Handler, operations []api.Operation, given url.Values,
) (*sdk.CallToolResult, error) {
	for name, v := range t.usual {
		if _, ok := given[name]; !ok {
			given[name] = v
		}
	}
	if v := given["acquire"]; t.extra["acquire"] != nil && len(v) > 0 &&
		!slices.Contains([]string{"buy", "rent"}, v[0]) {
		return refusal(fmt.Sprintf("%q takes buy or rent, not %q.", "acquire", v[0])), nil
	}
	o := operations[0]
	if t.choose != nil {
		o = operations[t.choose(given)]
	}
	address := addressOf(o, given)
	r, _ := ctx.Value(clientKey{}).(*http.Request)
	st := h.site.State.Load()
	if st == nil {
		return refusal("The catalogue is still being loaded; ask again in a second."), nil
	}
	asked, err := h.site.Ask(ctx, r, address)
	if err != nil {
		return nil, err
	}
	if asked.Status != http.StatusOK {
		return refusal(string(bytes.TrimSpace(asked.Body))), nil
	}
	var answer struct {
		Snapshot string `json:"snapshot"`
		AsOf     string `json:"as_of"`
	}
	if err := json.Unmarshal(asked.Body, &answer); err != nil {
		return nil, fmt.Errorf("answer of %s: %w", address, err)
	}
	page := t.page(given)
	out := result{
		Snapshot: answer.Snapshot, AsOf: answer.AsOf,
		Page: h.site.Origin + page, PageZh: h.site.Origin + locale.Of("zh").Path(page), API: h.site.Origin + address,
		Caveats: append([]string{}, t.caveats...),
	}
	if t.export {
		out.Caveats = append(out.Caveats, exportCaveat())
	}
	if out.Sources, out.LeftOut, err = sourcesIn(st.Snap, asked.Body); err != nil {
		return nil, err
	}
	rest, err := json.Marshal(out)
	if err != nil {
		return nil, err
	}
	// The answer is JSON already.
	text := slices.Concat([]byte(`{"answer":`), bytes.TrimSpace(asked.Body), []byte{','}, rest[1:])
	return &sdk.CallToolResult{StructuredContent: json.RawMessage(text),
		Content: []sdk.Content{&sdk.TextContent{Text: string(text)}}}, nil
}

// result is what stands beside an answer, which comes first as "answer"; schemas.output describes it.
type result struct {
	Snapshot string   `json:"snapshot"`
	AsOf     string   `json:"as_of,omitempty"`
	Page     string   `json:"page"`
	PageZh   string   `json:"page_zh"`
	API      string   `json:"api"`
	Sources  []cited  `json:"sources"`
	LeftOut  int      `json:"sources_left_out,omitempty"`
	Caveats  []string `json:"caveats"`
}

// refusal is an error that the model can correct: it is what the API says, candidates among it.
func refusal(text string) *sdk.CallToolResult {
	return &sdk.CallToolResult{IsError: true, Content: []sdk.Content{&sdk.TextContent{Text: text}}}
}

// addressOf is the address of an operation with parameters; it takes those of the path out.
func addressOf(o api.Operation, given url.Values) string {
	path, query := o.Path, url.Values{}
	for name, v := range given {
		query[name] = v
	}
	for _, p := range o.Params {
		if p.In == "path" {
			path = strings.ReplaceAll(path, "{"+p.Name+"}", url.PathEscape(query.Get(p.Name)))
			query.Del(p.Name)
		}
	}
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	return path
}

// most bounds the values of one argument.
const most = 64

// arguments are parameters of an address: numbers as they were written, true and false as the parameter has them.
func arguments(raw json.RawMessage, properties object) (url.Values, error) {
	out := url.Values{}
	if len(raw) == 0 {
		return out, nil
	}
	var given map[string]any
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(&given); err != nil {
		return nil, fmt.Errorf("the arguments are no JSON object: %w", err)
	}
	for name, v := range given {
		property, _ := properties[name].(object)
		list, many := v.([]any)
		if !many {
			list = []any{v}
		} else if len(list) > most {
			return nil, fmt.Errorf("%q has %d values; %d are the most", name, len(list), most)
		}
		for _, e := range list {
			text, err := scalar(e, property)
			if err != nil {
				return nil, fmt.Errorf("%q %w", name, err)
			}
			if e != nil {
				out.Add(name, text)
			}
		}
	}
	return out, nil
}

// scalar is one value of an argument as a parameter has it.
func scalar(v any, property object) (string, error) {
	switch v := v.(type) {
	case nil:
		return "", nil
	case string:
		return v, nil
	case json.Number:
		return v.String(), nil
	case bool:
		if allowed, _ := property["enum"].([]string); slices.Contains(allowed, "yes") {
			return map[bool]string{true: "yes", false: "no"}[v], nil
		}
		return fmt.Sprint(v), nil
	}
	return "", fmt.Errorf("takes a text or a number, not %T", v)
}
