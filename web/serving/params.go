package serving

import (
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"tianti/catalog"
	"tianti/sizing"
	"tianti/sizing/serving"
	"tianti/sorting"
	webexport "tianti/web/exportcontrol"
)

// A question is what an address asks.
type question struct {
	numbers
	sizing      sizing.Request // model, formats, engine, money, and which cards
	wholePrompt bool
	unattended  bool // interactive=no
	attention   string
	sort        string
	page        int
	destination string
	asOf        string
	permit      webexport.Permit // nil permits all
	today       catalog.Date
	stopped     func() bool // nobody waits for the answer any more
}

// numbers are the numbers of a question as people give them; 0 is not given.
type numbers struct {
	prompt, output                      float64
	rate, concurrency, requests         float64
	ttft, percentile, tpot, userSpeed   float64 // milliseconds; percent; milliseconds; tokens per second
	maxSeconds, maxCards                float64
	tensor, pipeline                    float64
	maxSequences, fraction, maxModelLen float64
	prefix, draft, acceptance           float64
}

// A field is a parameter that is a number.
type field struct {
	name, unit string
	low, high  float64
	whole      bool
	standard   string // what is used when it is not given
	at         func(*numbers) *float64
	en, zh     string // of the API
}

// fields are all numbers, in the order of the form.
var fields = []field{
	{"prompt", "tokens", 1, 1e6, true, strconv.Itoa(sizing.DefaultPrompt),
		func(n *numbers) *float64 { return &n.prompt },
		"Mean tokens of a request that are read.", "每个请求平均读入的 token 数。"},
	{"output", "tokens", 1, 1e6, true, strconv.Itoa(sizing.DefaultOutput),
		func(n *numbers) *float64 { return &n.output },
		"Mean tokens of an answer.", "每个回答平均生成的 token 数。"},
	{"concurrency", "requests", 1, 1e6, true, "", func(n *numbers) *float64 { return &n.concurrency },
		"Users at once: requests in flight, always as many. One of concurrency, rate_rps and requests is the load; " +
			"without one, the capacity of one replica is asked for.",
		"同时使用的用户数，即始终在处理的请求数。concurrency、rate_rps、requests 三者取一为负载；都不给时求一个副本的容量。"},
	{"rate_rps", "requests/s", 1e-6, 1e6, false, "", func(n *numbers) *float64 { return &n.rate },
		"Requests per second that arrive at random.", "每秒随机到达的请求数。"},
	{"requests", "requests", 1, 1e7, true, "", func(n *numbers) *float64 { return &n.requests },
		"A burst: requests that are sent at once.", "突发：同时发出的请求数。"},
	{"ttft_ms", "ms", 1, 1e7, false, "", func(n *numbers) *float64 { return &n.ttft },
		"Time to the first token at most, at percentile.", "首 token 延迟（TTFT）上限，按 percentile 计。"},
	{"percentile", "%", 50, 99, false, "99", func(n *numbers) *float64 { return &n.percentile },
		"Share of requests that meet ttft_ms.", "满足 ttft_ms 的请求比例。"},
	{"user_speed", "tokens/s", 1e-3, 1e5, false, "", func(n *numbers) *float64 { return &n.userSpeed },
		"Tokens per second of one user at least: 1 ÷ TPOT.", "单用户每秒 token 数下限，即 1 ÷ TPOT。"},
	{"tpot_ms", "ms", 1e-2, 1e6, false, "", func(n *numbers) *float64 { return &n.tpot },
		"Time for each further token (TPOT) at most, on average over a request.",
		"后续每个 token 的时间（TPOT）上限，按请求平均。"},
	{"max_seconds", "s", 1e-2, 1e8, false, "", func(n *numbers) *float64 { return &n.maxSeconds },
		"A burst of requests is done in so many seconds.", "突发请求须在这么多秒内完成。"},
	{"max_cards", "cards", 1, 65536, true, "1024", func(n *numbers) *float64 { return &n.maxCards },
		"Cards at most, of all replicas.", "全部副本的卡数上限。"},
	{"tensor", "cards", 1, 64, true, "", func(n *numbers) *float64 { return &n.tensor },
		"Cards that compute each layer together (TP); it divides the query heads. Chosen when not given.",
		"共同计算每一层的卡数（TP），须整除查询头数。未给出时自动选择。"},
	{"pipeline", "cards", 1, 64, true, "", func(n *numbers) *float64 { return &n.pipeline },
		"Groups of cards that hold the layers one after another (PP). Chosen when not given.",
		"依次存放各层的卡组数（PP）。未给出时自动选择。"},
	{"max_sequences", "requests", 1, 65536, true, "", func(n *numbers) *float64 { return &n.maxSequences },
		"Requests that a replica computes at once at most (max_num_seqs). The engine’s default when not given.",
		"一个副本同时计算的请求数上限（max_num_seqs）。未给出时取引擎默认值。"},
	{"max_model_len", "tokens", 1, 2e6, true, "", func(n *numbers) *float64 { return &n.maxModelLen },
		"Longest request that must fit. Four times the mean when not given.", "必须装得下的最长请求；未给出时为平均长度的四倍。"},
	{"memory_fraction", "", 0.3, 0.98, false, "", func(n *numbers) *float64 { return &n.fraction },
		"Share of the card’s memory that the engine takes (gpu_memory_utilization). The engine’s default when not " +
			"given.",
		"引擎占用显存的比例（gpu_memory_utilization）。未给出时取引擎默认值。"},
	{"prefix_tokens", "tokens", 1, 1e6, true, "", func(n *numbers) *float64 { return &n.prefix },
		"Tokens of the prompt that all requests share and the cache keeps (prefix caching).",
		"所有请求共有并留在缓存中的提示 token 数（前缀缓存）。"},
	{"draft_tokens", "tokens", 1, 16, true, "", func(n *numbers) *float64 { return &n.draft },
		"Tokens guessed ahead in each step (speculative decoding).", "每步预先猜测的 token 数（投机解码）。"},
	{"acceptance", "", 0.01, 1, false, "0.7", func(n *numbers) *float64 { return &n.acceptance },
		"Share of guessed tokens that are right; needs draft_tokens.", "猜中的比例，须给出 draft_tokens。"},
}

// fromSizing are the parameters that are those of the recommender, with the names that they have there.
var fromSizing = map[string]string{"model": "model", "weights": "weights", "kv_cache": "kv_cache",
	"engine":   "framework",
	"currency": "currency", "acquire": "acquire", "buy_price": "buy_price", "rent_price": "rent_price",
	"tariff": "tariff", "pue": "pue", "years": "years", "residual": "residual", "utilisation": "utilisation",
	"vendor": "vendor", "segment": "segment", "card": "card"}

// synonyms are what other programs call parameters.
var synonyms = map[string]string{"users": "concurrency", "batch": "concurrency", "rps": "rate_rps", "qps": "rate_rps",
	"rate": "rate_rps", "input_tokens": "prompt", "output_tokens": "output", "ttft": "ttft_ms", "tpot": "tpot_ms",
	"itl": "tpot_ms", "framework": "engine", "tp": "tensor", "pp": "pipeline", "cards": "max_cards",
	"gpus":         "max_cards",
	"attention_dp": "attention", "dp_attention": "attention", "enable_dp_attention": "attention",
	"enable_attention_dp": "attention",
	"tensor_parallel":     "tensor", "quantization": "weights", "quant": "weights", "max_num_seqs": "max_sequences",
	"gpu_memory_utilization": "memory_fraction", "gpu": "card", "kv_cache_dtype": "kv_cache"}

// attentions are how the cards of a replica may share attention.
var attentions = []string{serving.AttentionTensor, serving.AttentionData}

// sorts are what the ranking may be sorted by.
var sorts = []string{"cost", "million", "cards", "tpot"}

// usualSort is the order where nobody asks for one: a promise to users is kept at the lowest cost per hour; work that
// nobody waits for goes where a token costs least.
func (q *question) usualSort() string {
	given := q.ttft > 0 || q.tpot > 0 || q.userSpeed > 0 || q.maxSeconds > 0
	if !given && (q.unattended || q.requests > 0) {
		return "million"
	}
	return "cost"
}

// known are the names of all parameters of a use.
func known(ranks bool) []string {
	out := []string{"chunked_prefill", "interactive", "attention", "destination", "as_of"}
	if ranks {
		out = append(out, "sort", "page")
	}
	for _, f := range fields {
		out = append(out, f.name)
	}
	for name := range fromSizing {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// mostCards bounds the work of one ranking.
const mostCards = 2000

// A reader reads an address.
type reader struct {
	a      *sizing.Estimator
	values url.Values
	q      question
	errs   []catalog.ParamError
}

func (r *reader) fail(e catalog.ParamError) {
	e.Param, e.Value = catalog.Clip(strings.ToValidUTF8(e.Param, "�")), catalog.Clip(strings.ToValidUTF8(e.Value, "�"))
	r.errs = append(r.errs, e)
}

// one is the value of a parameter that is given once; empty where it is not.
func (r *reader) one(name string) string {
	given := slices.DeleteFunc(slices.Clone(r.values[name]), func(s string) bool { return strings.TrimSpace(s) == "" })
	switch {
	case len(given) == 0:
		return ""
	case len(given) > 1:
		r.fail(catalog.ParamError{Param: name, Code: catalog.Repeated})
		return ""
	case len(given[0]) > 200:
		r.fail(catalog.ParamError{Param: name, Value: given[0], Code: catalog.NotText, Allowed: "≤ 200"})
		return ""
	}
	return strings.TrimSpace(given[0])
}

// A usualCurrency is the currency of an address that names none, neither as a parameter nor by the sign of an amount.
type usualCurrency func(url.Values) string

// read reads a question; ranks says whether it is one for many cards.
func read(a *sizing.Estimator, values url.Values, usual usualCurrency, ranks bool) (question, []catalog.ParamError) {
	r := &reader{a: a, values: values, q: question{page: 1}}
	names := known(ranks)
	for name := range values {
		if !slices.Contains(names, name) {
			if name == "with" { // of a machine with several kinds
				r.fail(catalog.ParamError{Param: name, Code: catalog.OneKindServes})
				continue
			}
			nearest := catalog.Nearest(name, names, 3)
			if s, ok := synonyms[strings.ToLower(name)]; ok {
				nearest = []string{s}
			}
			r.fail(catalog.ParamError{Param: name, Code: catalog.UnknownParam, Nearest: nearest})
		}
	}
	for i := range fields {
		r.number(&fields[i])
	}
	r.q.wholePrompt, r.q.unattended = r.switchedOff("chunked_prefill"), r.switchedOff("interactive")
	r.q.attention = r.oneOf("attention", attentions)
	if ranks {
		r.order()
	}
	if r.q.sort == "" {
		r.q.sort = r.q.usualSort()
	}
	r.q.destination, r.q.asOf = r.one("destination"), r.one("as_of")
	r.take(usual)
	if len(r.errs) == 0 {
		request := r.q.request()
		for _, e := range serving.Check(a, &request) {
			r.fail(e)
		}
	}
	sorting.Func(r.errs, func(x, y catalog.ParamError) int { return strings.Compare(x.Param, y.Param) })
	return r.q, r.errs
}

// switchedOff reads a parameter that is yes unless it is no.
func (r *reader) switchedOff(name string) bool {
	v := r.one(name)
	switch strings.ToLower(v) {
	case "", "yes":
		return false
	case "no":
		return true
	}
	r.fail(catalog.ParamError{Param: name, Value: v, Code: catalog.UnknownValue, Allowed: "yes, no"})
	return false
}

// oneOf reads a parameter that is one of some words.
func (r *reader) oneOf(name string, words []string) string {
	v := r.one(name)
	if v != "" && !slices.Contains(words, v) {
		r.fail(catalog.ParamError{Param: name, Value: v, Code: catalog.UnknownValue, Allowed: catalog.Listed(words...),
			Nearest: catalog.Nearest(v, words, 3)})
		return ""
	}
	return v
}

// number reads one of the fields.
func (r *reader) number(f *field) {
	text := r.one(f.name)
	if text == "" {
		return
	}
	allowed := bound(f.low) + " … " + bound(f.high)
	of := catalog.ReadNumber
	if f.unit == "tokens" {
		of = func(s string, _ ...string) (float64, error) { return catalog.ReadTokens(s) }
	}
	v, err := of(text, f.unit, "人", "个", "张", "users", "rps")
	switch {
	case err != nil || math.IsNaN(v):
		r.fail(catalog.ParamError{Param: f.name, Value: text, Code: catalog.NotANumber, Allowed: allowed})
	case v < f.low || v > f.high:
		r.fail(catalog.ParamError{Param: f.name, Value: text, Code: catalog.OutOfRange, Allowed: allowed})
	case f.whole && v != math.Trunc(v):
		r.fail(catalog.ParamError{Param: f.name, Value: text, Code: catalog.NotWhole, Allowed: allowed})
	default:
		*f.at(&r.q.numbers) = v
	}
}

func bound(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// order reads the order and the page.
func (r *reader) order() {
	r.q.sort = r.oneOf("sort", sorts)
	if v := r.one("page"); v != "" {
		n, err := strconv.Atoi(v)
		if err != nil || n < 1 || n > 1000 {
			r.fail(catalog.ParamError{Param: "page", Value: v, Code: catalog.OutOfRange, Allowed: "1 … 1000"})
			return
		}
		r.q.page = n
	}
}

// take reads what is as in the recommender.
func (r *reader) take(usual usualCurrency) {
	asked := url.Values{}
	for name, there := range fromSizing {
		if given, ok := r.values[name]; ok {
			asked[there] = given
		}
	}
	got, errs := r.a.ParseRequest(asked)
	for _, e := range errs {
		if e.Param == "framework" {
			e.Param = "engine"
		}
		r.fail(e)
	}
	if len(errs) == 0 && !slices.Contains(got.Given, "currency") {
		got.Costs.Currency = usual(r.values)
	}
	r.q.sizing = got
}

// request is a question for the planner, without a card.
func (q *question) request() serving.Request {
	w, country := &q.sizing.Workload, q.destination
	if slices.Contains(q.sizing.Given, "tariff") {
		country = ""
	}
	return serving.Request{Country: country, Stopped: q.stopped, Model: w.Model, Engine: w.Framework,
		Weights: w.Weights, KVCache: w.KVCache,
		Load: serving.Load{Prompt: int(q.prompt), Output: int(q.output), RateRPS: q.rate,
			Concurrency: int(q.concurrency),
			Requests:    int(q.requests)},
		Target: serving.Target{TTFT: q.ttft / 1000, TPOT: q.tpot / 1000, UserSpeed: q.userSpeed,
			Percentile: q.percentile, MaxSeconds: q.maxSeconds, Unattended: q.unattended},
		Settings: serving.Settings{MaxSequences: int(q.maxSequences), MemoryFraction: q.fraction,
			PrefixTokens: int(q.prefix), DraftTokens: int(q.draft), Acceptance: q.acceptance,
			WholePrompts: q.wholePrompt, StrictMaxContext: int(q.maxModelLen)},
		Tensor: int(q.tensor), Pipeline: int(q.pipeline), Attention: q.attention, MaxCards: int(q.maxCards),
		Costs: q.sizing.Costs, Acquire: q.sizing.Acquire, Today: q.today}
}

// encode are the parameters that ask the question again, without defaults. Amounts are in a currency that is not
// said where it is the usual one.
func (q *question) encode(a *sizing.Estimator, usual usualCurrency) url.Values {
	v := url.Values{}
	asked := a.Values(sizing.ForRecommend, q.sizing)
	if size := asked.Get("params"); size != "" && asked.Get("model") == "" {
		asked.Set("model", size+"B")
	}
	for name, there := range fromSizing {
		if s := asked.Get(there); s != "" {
			v.Set(name, s)
		}
	}
	v.Del("currency")
	for i := range fields {
		f := &fields[i]
		if x := bound(*f.at(&q.numbers)); x != "0" && x != f.standard {
			v.Set(f.name, x)
		}
	}
	set := func(name, value, standard string) {
		if value != standard {
			v.Set(name, value)
		}
	}
	set("attention", q.attention, "")
	set("destination", q.destination, "")
	set("as_of", q.asOf, "")
	set("sort", q.sort, q.usualSort())
	set("page", strconv.Itoa(q.page), "1")
	if q.wholePrompt {
		v.Set("chunked_prefill", "no")
	}
	if q.unattended {
		v.Set("interactive", "no")
	}
	if c := q.sizing.Costs.Currency; c != usual(v) {
		v.Set("currency", c)
	}
	return v
}

// servers are the segments that a question which names neither cards nor segments is about: machines that stand in
// racks. A hundred cards for games would be cheaper by the hour and be run by nobody.
var servers = []string{"datacenter", "cloud", "workstation"}

// ofServers reports whether the question leaves open which cards it is about.
func (q *question) ofServers() bool { return len(q.sizing.Segments) == 0 && len(q.sizing.Cards) == 0 }

// segmentsOf are all segments of the cards.
func segmentsOf(a *sizing.Estimator) []string {
	var out []string
	for _, c := range a.Cards {
		if c.Segment != "" && !slices.Contains(out, c.Segment) {
			out = append(out, c.Segment)
		}
	}
	slices.Sort(out)
	return out
}

// cards are those that the question is about.
func (q *question) cards(a *sizing.Estimator) []*sizing.Card {
	s := &q.sizing
	has := func(list []string, v string) bool { return len(list) == 0 || slices.Contains(list, v) }
	segments := s.Segments
	if q.ofServers() {
		segments = servers
	}
	var out []*sizing.Card
	for _, c := range a.Cards {
		if has(s.Cards, c.ID) && has(s.Vendors, c.Vendor) && has(segments, c.Segment) {
			out = append(out, c)
		}
	}
	return out
}
