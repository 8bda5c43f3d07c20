package compare

import (
	"math"
	"slices"
	"strings"

	"tianti/catalog"
	"tianti/sizing"
	"tianti/web/api"
	"tianti/web/display"
)

// Findings of a sentence.
const (
	isMore    = "more"
	isLess    = "less"
	isSame    = "same"
	isUnclear = "unclear" // within the interval
	isUnlike  = "unlike"  // prices of different months
	isOnly    = "only"
	isNone    = "none"
)

// A finder makes the sentences of a comparison out of its facts. The card that leads is set against the
// baseline; where the baseline leads, it is set against the best of the others.
type finder struct {
	Comparison
	*facts
	pair [2]int // places: which leads, and against which
}

// findings are the sentences, the most telling first.
func (c Comparison) findings(f *facts) []api.ComparedSentence {
	x := finder{c, f, [2]int{0, 1}}
	x.lead()
	var out []api.ComparedSentence
	add := func(s *api.ComparedSentence) {
		if s != nil {
			if s.Values == nil {
				s.Values = api.ComparedValues{}
			}
			if s.Cards == nil {
				s.Cards = []int{}
			}
			out = append(out, *s)
		}
	}
	of := func(size string, task sizing.Task) func(int) *api.ComparedFit {
		return func(i int) *api.ComparedFit { return x.fit(i, size, task) }
	}
	decode, rent := x.speed("decode", of(f.usual, sizing.Inference)), x.rent()
	many := x.many()
	if many != nil {
		add(many)
		add(rent)
		add(x.token("serve_token", many, rent))
		add(decode)
	} else {
		add(decode)
		add(rent)
		add(x.token("token", decode, rent))
	}
	add(x.speed("pretraining", x.pretraining))
	add(x.speed("training", of("7B", sizing.QLoRA)))
	add(x.firstMeasured("blender-4.5"))
	add(x.firstMeasured(oneMeasured[:]...))
	if many == nil || many.Kind != "measured" { // where other cards are among them, too
		add(x.firstMeasured(manyMeasured[:]...))
	}
	add(x.context())
	for _, s := range x.rated(decode == nil) {
		add(&s)
	}
	add(x.exports())
	add(x.buy())
	if out == nil {
		out = []api.ComparedSentence{}
	}
	return out
}

// lead chooses the pair by what tells most: tokens for many users, measured or estimated, for one, the speed of
// training, or else the rated bandwidth of the memory.
func (x *finder) lead() {
	bandwidth := display.MustQuantity("memory_bandwidth_gb_s")
	result := func(id string) func(i int) float64 {
		return func(i int) float64 {
			if b := x.Snap.Benchmark(id); b != nil && x.facts.many {
				if r, ok := b.Result(x.Rows[i]); ok {
					return r.Value
				}
			}
			return 0
		}
	}
	for _, of := range []func(i int) float64{
		result(manyMeasured[0]), result(manyMeasured[1]),
		func(i int) float64 { return rateOf(x.service(i)) },
		func(i int) float64 { return rateOf(x.fit(i, x.usual, sizing.Inference)) },
		func(i int) float64 { return rateOf(x.fit(i, "7B", sizing.QLoRA)) },
		func(i int) float64 { v, _ := x.Snap.Number(bandwidth, x.Rows[i]); return v },
	} {
		if pair, ok := x.best(of); ok {
			x.pair = pair
			return
		}
	}
	x.pair = [2]int{1, 0}
	if x.baseline == 1 {
		x.pair = [2]int{0, 1}
	}
}

// best is the card with the most of something and the baseline, or the baseline and the best of the
// others where it has the most itself; false where the baseline or all others have none.
func (x *finder) best(of func(i int) float64) (pair [2]int, ok bool) {
	base, other := of(x.baseline), -1
	for i := range x.Rows {
		if v := of(i); i != x.baseline && v > 0 && (other < 0 || v > of(other)) {
			other = i
		}
	}
	switch {
	case base <= 0 || other < 0:
		return pair, false
	case of(other) >= base:
		return [2]int{other, x.baseline}, true
	}
	return [2]int{x.baseline, other}, true
}

// ordered are the places of cards that have something: the pair first. Where one of the pair has none,
// the baseline and the first other take their place; nil where that is not possible.
func (x *finder) ordered(has func(i int) bool) []int {
	pair := x.pair
	if !has(pair[0]) || !has(pair[1]) {
		other := slices.IndexFunc(x.places(), func(i int) bool { return i != x.baseline && has(i) })
		if !has(x.baseline) || other < 0 {
			return nil
		}
		pair = [2]int{other, x.baseline}
	}
	out := pair[:]
	for i := range x.Rows {
		if has(i) && !slices.Contains(out, i) {
			out = append(out, i)
		}
	}
	return out
}

func (x *finder) places() []int {
	out := make([]int, len(x.Rows))
	for i := range out {
		out[i] = i
	}
	return out
}

func rateOf(f *api.ComparedFit) float64 {
	if f == nil || f.TokensPerS == nil {
		return 0
	}
	return f.TokensPerS.Value
}

// speed compares estimated rates of a job. Those of other software or other weights than the first
// card's are left out: the difference may be theirs. Whole models are pre-trained with what is made for a card, which
// is part of it.
func (x *finder) speed(kind string, of func(i int) *api.ComparedFit) *api.ComparedSentence {
	cards := x.ordered(func(i int) bool { return rateOf(of(i)) > 0 })
	if cards == nil {
		return nil
	}
	lead := of(cards[0])
	alike := func(i int) bool {
		f := of(i)
		return f.Weights == lead.Weights && (f.Framework == lead.Framework || kind == "pretraining")
	}
	if !alike(cards[1]) {
		return nil
	}
	out := &api.ComparedSentence{Kind: kind, Metric: lead.Size, Unit: "tokens/s", Sources: []string{x.software(lead)}}
	for _, i := range cards {
		if alike(i) {
			if with := x.software(of(i)); !slices.Contains(out.Sources, with) {
				out.Sources = append(out.Sources, with)
			}
			out.Cards = append(out.Cards, i)
			out.Values = append(out.Values, of(i).TokensPerS)
		}
	}
	out.Ratio = x.speedRatio(lead, of(out.Cards[1]))
	out.Finding = found(out.Ratio)
	return out
}

// speedRatio is the ratio of two estimated speeds. Their errors are not independent: how far ratios are off was
// measured.
func (f *facts) speedRatio(a, b *api.ComparedFit) *api.ComparedValue {
	factor := 1.0
	if f.together != nil {
		factor = f.together(sizing.Task(a.Task), a.Tier == b.Tier)
	}
	return ratioWithin(a.TokensPerS, b.TokensPerS, factor)
}

// ratioOf is a ratio with its 90 % interval, given those of its parts: the deviations of their logarithms
// add as of values that are independent.
func ratioOf(a, b *api.ComparedValue) *api.ComparedValue { return ratioWithin(a, b, 1) }

// ratioWithin is ratioOf with an interval whose width is multiplied by a factor.
func ratioWithin(a, b *api.ComparedValue, factor float64) *api.ComparedValue {
	half := func(v *api.ComparedValue) float64 {
		if v.Low <= 0 || v.High <= 0 {
			return 0
		}
		return math.Log(v.High/v.Low) / 2
	}
	ratio, reach := a.Value/b.Value, factor*math.Hypot(half(a), half(b))
	out := &api.ComparedValue{Value: display.Significant(ratio, 3)}
	if reach > 0 {
		out.Low = display.Significant(ratio*math.Exp(-reach), 3)
		out.High = display.Significant(ratio*math.Exp(reach), 3)
	}
	return out
}

// found says what a ratio means: nothing where its interval holds 1.
func found(r *api.ComparedValue) string {
	low, high := r.Value, r.Value
	if r.Low > 0 {
		low, high = r.Low, r.High
	}
	switch {
	case low > 1:
		return isMore
	case high < 1:
		return isLess
	case r.Low == 0:
		return isSame
	}
	return isUnclear
}

// rent compares the lowest current rents of one kind: a ratio is of one month only.
func (x *finder) rent() *api.ComparedSentence { return x.priced("rent", x.rents) }

func (x *finder) priced(kind string, of []catalog.Standing) *api.ComparedSentence {
	base := &of[x.baseline]
	cards := x.ordered(func(i int) bool {
		return base.Current > 0 && of[i].Current > 0 && of[i].Best.Kind == base.Best.Kind
	})
	if cards == nil {
		return nil
	}
	lead := of[cards[0]].Best
	out := &api.ComparedSentence{Kind: kind, Metric: string(lead.Kind), Unit: lead.In.Currency}
	for n, i := range cards {
		q := of[i].Best
		if n > 1 && month(q.Date) != month(lead.Date) {
			continue
		}
		out.Cards, out.Values = append(out.Cards, i), append(out.Values, &api.ComparedValue{Value: q.In.Amount()})
		out.Sources, out.Dates = append(out.Sources, q.Seller), append(out.Dates, string(q.Date))
	}
	if month(catalog.Date(out.Dates[0])) != month(catalog.Date(out.Dates[1])) {
		out.Finding = isUnlike
		return out
	}
	out.Ratio = ratioOf(out.Values[0], out.Values[1])
	out.Finding = found(out.Ratio)
	return out
}

// month is a date without its day.
func month(d catalog.Date) string { return string(d[:min(len(d), len("2006-01"))]) }

// token is what a token costs on the pair: rent over speed, where the rents are of one month and the
// speeds of one software.
func (x *finder) token(kind string, speed, rent *api.ComparedSentence) *api.ComparedSentence {
	if speed == nil || rent == nil || rent.Ratio == nil || !slices.Equal(speed.Cards[:2], rent.Cards[:2]) {
		return nil
	}
	out := &api.ComparedSentence{Kind: kind, Metric: speed.Metric, Cards: speed.Cards[:2], Dates: rent.Dates[:2],
		Sources: rent.Sources[:2], Ratio: ratioOf(rent.Ratio, speed.Ratio)}
	for i := range 2 { // a million tokens
		v, hours := speed.Values[i], rent.Values[i].Value*1e6/3600
		cost := &api.ComparedValue{Value: display.Significant(hours/v.Value, 3)}
		if v.Low > 0 { // what was measured has no interval
			cost.Low, cost.High = display.Significant(hours/v.High, 3), display.Significant(hours/v.Low, 3)
		}
		out.Values = append(out.Values, cost)
	}
	out.Unit, out.Finding = rent.Unit, found(out.Ratio)
	return out
}

// manyMeasured are benchmarks of what a card does for many users, the one that more of them have first.
var manyMeasured = [...]string{"mlperf-inference-5.1-llama2-70b-offline", "vllm-8b-throughput"}

// oneMeasured are benchmarks of what a card does for one user, the newer builds of the program first.
var oneMeasured = [...]string{"llama-cpp-7b-decode", "llama-cpp-8b-decode"}

// many compares what cards of data centres do for many users: as it was measured, else as it is estimated; nil for
// other cards.
func (x *finder) many() *api.ComparedSentence {
	if !x.facts.many {
		return nil
	}
	if s := x.firstMeasured(manyMeasured[:]...); s != nil {
		return s
	}
	return x.speed("serve", x.service)
}

// firstMeasured compares the results of the first of some benchmarks of which the pair has any.
func (x *finder) firstMeasured(ids ...string) *api.ComparedSentence {
	for _, id := range ids {
		if b := x.Snap.Benchmark(id); b != nil {
			if s := x.measured(b); s != nil {
				return s
			}
		}
	}
	return nil
}

// measured compares results of one benchmark of which more is better.
func (x *finder) measured(b *catalog.BenchmarkInfo) *api.ComparedSentence {
	has := func(i int) bool { _, ok := b.Result(x.Rows[i]); return ok }
	cards := x.ordered(has)
	if cards == nil || b.Lower {
		return nil
	}
	out := &api.ComparedSentence{Kind: "measured", Metric: b.ID, Unit: b.Unit, Cards: cards}
	for _, i := range cards {
		r, _ := b.Result(x.Rows[i])
		out.Values, out.Runs = append(out.Values, &api.ComparedValue{Value: r.Value}), append(out.Runs, r.Runs)
		out.With = append(out.With, r.With)
		if src := x.Snap.SourceOf(r.In, r.Source); src != nil && !slices.Contains(out.Sources, src.Publisher) {
			out.Sources = append(out.Sources, src.Publisher)
		}
	}
	out.Ratio = ratioOf(out.Values[0], out.Values[1])
	out.Finding = found(out.Ratio)
	return out
}

// context says how much longer a context of the usual model fits.
func (x *finder) context() *api.ComparedSentence {
	rooms := x.rooms[x.usual]
	cards := x.ordered(func(i int) bool { return rooms != nil && rooms[i].known })
	if cards == nil {
		return nil
	}
	a, b := rooms[cards[0]], rooms[cards[1]]
	out := &api.ComparedSentence{Kind: "context", Metric: x.usual, Unit: "tokens", Cards: cards}
	for _, i := range cards {
		out.Values = append(out.Values, &api.ComparedValue{Value: float64(rooms[i].tokens)})
	}
	switch {
	case a.tokens == 0 && b.tokens == 0:
		return nil
	case a.tokens == b.tokens:
		out.Finding = isSame
	case b.tokens == 0:
		out.Finding = isOnly
	case a.tokens == 0:
		out.Finding = isOnly
		out.Cards[0], out.Cards[1], out.Values[0], out.Values[1] = out.Cards[1], out.Cards[0],
			out.Values[1], out.Values[0]
	case a.tokens > b.tokens:
		out.Finding = isMore
	default:
		out.Finding = isLess
	}
	return out
}

// rated compares the bandwidth of memories, and where no speed is estimated the common rate of matrices.
func (x *finder) rated(rate bool) []api.ComparedSentence {
	list := []*catalog.Quantity{display.MustQuantity("memory_bandwidth_gb_s")}
	if q := x.commonRate(); rate && q != nil {
		list = append(list, q)
	}
	var out []api.ComparedSentence
	for _, q := range list {
		cards := x.ordered(func(i int) bool { v, ok := x.Snap.Number(q, x.Rows[i]); return ok && v > 0 })
		if cards == nil {
			continue
		}
		s := api.ComparedSentence{Kind: "rated", Metric: q.ID, Unit: q.Unit, Cards: cards}
		for _, i := range cards {
			v, _ := x.Snap.Number(q, x.Rows[i])
			s.Values = append(s.Values, &api.ComparedValue{Value: v})
		}
		s.Ratio = ratioOf(s.Values[0], s.Values[1])
		s.Finding = found(s.Ratio)
		out = append(out, s)
	}
	return out
}

// exports groups the cards by the verdict on their export; Sources are the verdicts of Cards.
func (x *finder) exports() *api.ComparedSentence {
	if len(x.facts.export) == 0 {
		return nil
	}
	out := &api.ComparedSentence{Kind: "export", Metric: x.Comparison.export.Destination, Finding: isSame,
		Dates: []string{x.Comparison.export.AsOf}}
	for i := range x.Rows {
		out.Cards, out.Sources = append(out.Cards, i), append(out.Sources, x.facts.export[i].Verdict)
		if x.facts.export[i].Verdict != x.facts.export[0].Verdict {
			out.Finding = isUnlike
		}
	}
	return out
}

// buy compares current prices to buy, or says that there is none and what was seen last.
func (x *finder) buy() *api.ComparedSentence {
	if s := x.priced("buy", x.buys); s != nil {
		return s
	}
	out := &api.ComparedSentence{Kind: "no_price", Finding: isNone, Unit: x.Snap.Pricing().Currency}
	for i := range x.Rows {
		if x.buys[i].Current > 0 {
			return nil
		}
		if s := x.buys[i]; s.Priced {
			out.Cards, out.Values = append(
				out.Cards,
				i,
			), append(
				out.Values,
				&api.ComparedValue{Value: s.Last.In.Amount()},
			)
			out.Dates, out.Sources = append(out.Dates, string(s.Last.Date)), append(out.Sources, s.Last.Seller)
		}
	}
	return out
}

// commonRate is the basis of dense 16-bit matrix rates that most cards state, at least two of them; nil
// where each stands alone.
func (c *Comparison) commonRate() *catalog.Quantity {
	var best *catalog.Quantity
	most := 1
	for _, id := range []string{catalog.DefaultBasis, "fp16_matrix_dense_tflops", "fp16_acc16_matrix_dense_tflops"} {
		n := 0
		for _, row := range c.Rows {
			if _, ok := c.Snap.Number(display.MustQuantity(id), row); ok {
				n++
			}
		}
		if n > most {
			best, most = display.MustQuantity(id), n
		}
	}
	return best
}

// short is the name of a card without its brand, where the rest has letters of its own: "RTX 4090".
func (c *Comparison) short(i int) string {
	name := c.Snap.Card(c.Rows[i]).Name
	for _, brand := range []string{"GeForce ", "Radeon ", "Instinct "} {
		if rest, ok := strings.CutPrefix(name, brand); ok &&
			(strings.HasPrefix(rest, "GT") || strings.HasPrefix(rest, "R") ||
				strings.HasPrefix(rest, "MI")) {
			return rest
		}
	}
	return name
}
