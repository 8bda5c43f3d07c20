package api

import (
	"math"
	"strconv"

	"tianti/catalog"
	"tianti/ladder"
)

// ladderData is a tier chart: cards by one basis, in bands of one ratio.
type ladderData struct {
	Envelope
	Basis     string           `json:"basis" example:"fp32_vector_tflops"`
	Label     catalog.Text     `json:"label"`
	Unit      string           `json:"unit,omitempty" doc:"with the currency where the basis is a price" example:"TFLOPS"`
	Better    string           `json:"better" enum:"higher,lower"`
	Segments  []string         `json:"segments" doc:"that were asked for; empty is all"`
	Currency  string           `json:"currency,omitempty" doc:"of prices"`
	AsOf      string           `json:"as_of,omitempty" doc:"day to which prices are reckoned"`
	Reference *ladderReference `json:"reference,omitempty" doc:"the card that is 1; absent when no card has a value"`
	Band      float64          `json:"band" doc:"ratio of the upper to the lower limit of a tier" example:"1.4142135623730951"`
	Measured  *ladderBenchmark `json:"measured,omitempty" doc:"of measured ladders: what was run"`
	Total     int              `json:"total" doc:"cards that match"`
	Bands     []ladderBand     `json:"bands" doc:"named bands of the page and of pictures, the best first; the first is open upwards"`
	Tiers     []ladderTier     `json:"tiers" doc:"from the top; those without a card are there too, so that numbers tell distances"`
	Unplaced  []ladderUnplaced `json:"unplaced" doc:"cards without a value: they are never placed by guess"`
	Method    string           `json:"method" doc:"how the ladder is made, in a few sentences"`
}

// ladderBenchmark is what the cards of a measured ladder were measured in.
type ladderBenchmark struct {
	Version string       `json:"version" doc:"of the program or of the round of results; others are never mixed in"`
	Method  catalog.Text `json:"method"`
	Source  string       `json:"source"`
}

// ladderReference is what ratios are to.
type ladderReference struct {
	ID       string  `json:"id" example:"nvidia-geforce-rtx-4060"`
	Value    float64 `json:"value"`
	Replaced bool    `json:"replaced,omitempty" doc:"the reference that was asked for has no value: this is the best card"`
}

// ladderBand is a named band: the next cards in the order of the tiers.
type ladderBand struct {
	ID        string  `json:"id" enum:"s,a,b,c,d"`
	RatioFrom float64 `json:"ratio_from" doc:"where it begins, as times the reference; 0 is open downwards"`
	Cards     int     `json:"cards" doc:"how many there are"`
}

// ladderTier is a band: values from From up to, not including, To; where less is
// better, above From and up to To.
type ladderTier struct {
	Name      string       `json:"name" doc:"number from the top" example:"1"`
	From      float64      `json:"from" doc:"lower limit, in the unit of the basis"`
	To        float64      `json:"to" doc:"upper limit"`
	RatioFrom float64      `json:"ratio_from" doc:"limit as times the reference"`
	RatioTo   float64      `json:"ratio_to"`
	Cards     []ladderCard `json:"cards" doc:"the best first"`
}

// ladderCard is a card with its place.
type ladderCard struct {
	ID       string   `json:"id" example:"nvidia-geforce-rtx-4090"`
	Value    float64  `json:"value"`
	Ratio    float64  `json:"ratio" doc:"how many times as good as the reference; where less is better, the reference’s value over the card’s"`
	RankFrom int      `json:"rank_from" doc:"first place that the card shares with those within 5 %"`
	RankTo   int      `json:"rank_to" doc:"last of these places"`
	Ties     []string `json:"ties" doc:"ids of the cards within 5 %"`
	*LadderRuns
	Unsold    string `json:"unsold,omitempty" doc:"announced, cancelled, internal or built-in, as standing says of a card; absent where it is sold"`
	Confirmed bool   `json:"confirmed" doc:"false where only community sources, a formula or an old price stand behind the value"`
}

// LadderRuns is of which runs the value of a measured ladder is.
type LadderRuns struct {
	Runs      int           `json:"n,omitempty" doc:"runs or submissions that the value is of, on measured ladders"`
	Spread    *LadderSpread `json:"spread,omitempty" doc:"lowest and highest of them, where the source tells"`
	With      string        `json:"with,omitempty" doc:"interface, program or number format" example:"OptiX"`
	Date      string        `json:"date,omitempty" doc:"of the runs"`
	Source    string        `json:"source,omitempty" doc:"id of the source of the result"`
	Estimated bool          `json:"estimated,omitempty" doc:"nobody has measured the card: the value follows from its figures"`
	Kin       int           `json:"estimated_from,omitempty" doc:"of an estimate: how many measured cards it is made from"`
}

// LadderSpread is the lowest and the highest of some runs.
type LadderSpread struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// ladderUnplaced is a card that has no place.
type ladderUnplaced struct {
	ID      string   `json:"id"`
	Reason  string   `json:"reason" enum:"not_stated,not_supported,not_derivable,not_sold,no_price,old_price,not_measured,zero,does_not_fit,cannot_run,no_estimate,runs_disagree"`
	Missing []string `json:"missing,omitempty" doc:"ids of what the value would be computed from, or of the format that the card lacks"`
}

const ladderMethod = "One basis; the scale is logarithmic. Tiers are bands of one ratio, centred on the reference " +
	"and numbered from the top. " +
	"Cards within 5 % of each other are ties and share their ranks. A card without a value is listed " +
	"apart with the reason."

// LadderOf puts a ladder into the shape of the API; runs tells of which runs the value of a
// card is, nil where it is of none.
func LadderOf(s *catalog.Snapshot, b *ladder.Basis, l *ladder.Ladder, bands []ladder.NamedBand,
	runs func(row int) *LadderRuns) ladderData {
	out := ladderData{Envelope: EnvelopeOf(s), AsOf: string(s.Day), Basis: b.ID, Label: b.Label, Unit: b.Unit,
		Better:   "higher",
		Segments: []string{}, Band: l.Step,
		Bands: []ladderBand{}, Tiers: []ladderTier{}, Unplaced: []ladderUnplaced{}, Method: ladderMethod}
	if b.Benchmark != nil {
		out.Measured = &ladderBenchmark{b.Benchmark.Version, b.Definition, b.Benchmark.Source}
	}
	if b.Lower {
		out.Better = "lower"
	}
	if l.Reference.Placeable() {
		out.Reference = &ladderReference{l.Reference.ID, l.Reference.Value, l.Replaced}
	}
	for _, b := range bands {
		named := ladderBand{ID: b.ID, RatioFrom: round9(b.Low), Cards: b.Count}
		out.Bands = append(out.Bands, named)
	}
	for i := range l.Bands {
		band := &l.Bands[i]
		tier := ladderTier{strconv.Itoa(band.Number), round9(band.From), round9(band.To), round9(band.Low),
			round9(band.High), []ladderCard{}}
		for j, p := range l.Of(band) {
			c := ladderCard{ID: p.ID, Value: p.Value, Ratio: round9(p.Ratio), RankFrom: p.From, RankTo: p.To,
				Ties: []string{}, LadderRuns: runs(p.Row), Confirmed: p.Confirmed}
			if !s.OnSale(p.Row) {
				c.Unsold = s.Standing(p.Row)
			}
			for _, tie := range l.Ties(band.First + j) {
				c.Ties = append(c.Ties, l.Places[tie].ID)
			}
			tier.Cards = append(tier.Cards, c)
		}
		out.Tiers = append(out.Tiers, tier)
	}
	for _, e := range l.Unplaced {
		out.Unplaced = append(out.Unplaced, ladderUnplaced{e.ID, string(e.Reason), e.Missing})
	}
	return out
}

// round9 leaves nine significant digits: what is beyond them is of the arithmetic.
func round9(v float64) float64 {
	if v == 0 {
		return 0
	}
	scale := math.Pow(10, 8-math.Floor(math.Log10(math.Abs(v))))
	return math.Round(v*scale) / scale
}

var GetLadder = Operation{
	ID: "get-ladder", Path: "/api/v1/ladders/{basis}", Answer: ladderData{}, Errors: []int{400, 404},
	Filters: true, Long: true,
	Summary: catalog.Text{En: "A ladder of cards", Zh: "加速卡天梯"},
	Description: catalog.Text{En: "Cards by one basis on a scale of ratios, in tiers of one width around a " +
		"reference. Takes the filters of the list of cards, such as segment and vendor. Cards within 5 % are ties; " +
		"those without a value are listed apart with the reason. Bases are never mixed.",
		Zh: "按单一口径把加速卡排在比例刻度上，以参照卡为中心按固定比值划分梯队。可用列表的全部筛选条件，如 segment 与 vendor。相差 5% 以内视为并列；无数值者单列并注明原因。口径绝不混用。"},
	Params: append([]Param{
		{Name: "basis", In: "path", Type: "string", Required: true, Description: catalog.Text{
			En: "id of a metric or derived value of which more or less is better, or decode_8b, prefill_8b, lora_7b",
			Zh: "有高低优劣之分的指标或派生值 id，或 decode_8b、prefill_8b、lora_7b"}, Example: "fp32_vector_tflops"},
		{Name: "q", Type: "string", Description: catalog.Text{En: "words that must all occur in a card’s names",
			Zh: "须全部出现在名称中的词"}},
		{Name: "reference", Type: "string", Default: "a well-known card of the segment", Description: catalog.Text{
			En: "id of the card that is 100 %", Zh: "作为 100% 的卡的 id"}, Example: "nvidia-geforce-rtx-4060"},
		{Name: "band", Type: "number", Default: "√2", Description: catalog.Text{En: "ratio of a tier, 1.05 to 10",
			Zh: "每个梯队的比值，1.05 至 10"}, Example: "2"},
		{
			Name: "mine",
			Type: "string",
			Description: catalog.Text{
				En: "name or id of a card of yours, which is marked in pages and pictures; the answer does not " +
					"depend on it",
				Zh: "你的卡的名称或 id，在页面与图中标出；不影响结果",
			},
		},
		{Name: "columns", Type: "string", Default: "vendor", Enum: []string{"vendor", "generation", "segment"},
			Description: catalog.Text{En: "columns of the drawing; the answer does not depend on it",
				Zh: "图中的分列方式；不影响结果"}},
	}, PricingParams...),
	Examples: []string{"/api/v1/ladders/fp32_vector_tflops?segment=desktop&launched=2022..",
		"/api/v1/ladders/memory_bandwidth_gb_s?segment=datacenter&band=2"},
}

var GetMeasuredLadder = Operation{
	ID: "get-measured-ladder", Path: "/api/v1/ladders/measured/{id}", Answer: ladderData{}, Errors: []int{400, 404},
	Filters: true, Long: true,
	Summary: catalog.Text{En: "A measured ladder of cards", Zh: "实测天梯"},
	Description: catalog.Text{
		En: "The same as a ladder of a basis, by what cards reached in one piece of work with one " +
			"version of one program; each value with its number of runs and their spread. The id desktop is of " +
			"desktop cards: measured values, and estimated ones of cards that nobody has measured, which are marked.",
		Zh: "与按口径的天梯相同，但按实测成绩排名：同一任务、同一程序版本，并给出测试次数与离散范围。id 为 desktop 时是台式机显卡：优先实测值，无实测的卡给出估算值并注明。",
	},
	Params: append([]Param{{Name: "id", In: "path", Type: "string", Required: true, Description: catalog.Text{
		En: "id of a benchmark of the data, or desktop", Zh: "数据中某项测试的 id，或 desktop"}, Example: "blender-4.5"}},
		GetLadder.Params[1:]...),
	Examples: []string{"/api/v1/ladders/measured/blender-4.5?segment=desktop", "/api/v1/ladders/measured/desktop"},
}
