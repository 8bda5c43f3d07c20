package compare

import (
	"cmp"
	"math"
	"slices"

	"tianti/catalog"
	"tianti/exportcontrol"
	"tianti/sizing"
	"tianti/sizing/serving"
	"tianti/web/api"
	"tianti/web/display"
	"tianti/web/site"
)

// facts are what a comparison says beyond the figures of the catalogue, by the places of its cards.
type facts struct {
	fits       []api.ComparedFit
	many       bool                     // all cards are of data centres or clouds, where they serve many users
	served     []api.ComparedFit        // for many users, where many is set
	pretrained []api.ComparedFit        // pre-training by eight cards, where many is set
	rooms      map[string][]contextRoom // by size of model
	rents      []catalog.Standing       // of the kind of the pricing
	buys       []catalog.Standing       // in shops, or used where no shop has a current price
	lists      []catalog.Standing       // at launch
	export     []api.ComparedExport
	// usual is the largest size of model of which two cards at least have a speed
	usual string
	names map[string]string // of frameworks and formats, by id
	// together is [sizing.Estimator.RatioFactor]; nil without an estimator
	together func(task sizing.Task, alike bool) float64
}

// contextRoom is the longest context of a served model that surely fits on a card.
type contextRoom struct {
	tokens  int
	atLimit bool // all that the model takes
	known   bool
}

// factsOf gathers them. Without an estimator, estimates are left out: a comparison is not held up by it.
func (h *Handler) factsOf(st *site.State, c *Comparison) *facts {
	f := &facts{many: true}
	for _, row := range c.Rows {
		f.many = f.many && slices.Contains([]string{"datacenter", "cloud"}, c.Snap.Card(row).Segment)
		f.rents = append(f.rents, c.Snap.Stand(row, c.Snap.Pricing().Rent, c.Snap.Pricing(), nil))
		f.lists = append(f.lists, c.Snap.Stand(row, catalog.LaunchPrice, c.Snap.Pricing(), nil))
		f.buys = append(f.buys, buyable(c.Snap, row))
	}
	for i, row := range c.Rows {
		res := exportcontrol.Evaluate(exportcontrol.CardItem(c.Snap, row), c.export)
		f.export = append(f.export, api.ComparedExport{Card: i, Destination: c.export.Destination, AsOf: c.export.AsOf,
			Verdict: string(res.Verdict)})
	}
	if h.site.NewEstimator == nil || st.Snap.Len() > site.MostEstimated {
		return f
	}
	if a, err := st.Estimator(); err == nil {
		f.estimate(a, c)
	}
	return f
}

// buyable is what a card costs today: new, or used where no shop has a current price. Where nobody has,
// it is what was seen last.
func buyable(s *catalog.Snapshot, row int) catalog.Standing {
	street, used := s.Stand(
		row,
		catalog.StreetPrice,
		s.Pricing(),
		nil,
	), s.Stand(
		row,
		catalog.UsedPrice,
		s.Pricing(),
		nil,
	)
	switch {
	case street.Current > 0 || used.Offers == 0:
		return street
	case used.Current > 0 || street.Offers == 0 || used.Newest > street.Newest:
		return used
	}
	return street
}

// fitSizes are the models that stand for their size, and fitTasks what is done with them; the context of
// training is that of the grid on a card's page.
var (
	fitSizes = []struct{ size, model string }{{"7B", "qwen2.5-7b"}, {"14B", "qwen2.5-14b"}, {"32B", "qwen2.5-32b"},
		{"70B", "llama-3.1-70b"}}
	fitTasks = []sizing.Task{sizing.Inference, sizing.LoRA, sizing.QLoRA}
	// serveFormats are weights of 4 bits: the first that the software of a card reads
	serveFormats = []string{"q4_k_m", "awq", "gptq"}
)

const (
	serveContext = 4096
	trainContext = 2048
)

// cannotRun is the verdict of a job that no software runs on a card.
const cannotRun = "cannot_run"

func (f *facts) estimate(a *sizing.Estimator, c *Comparison) {
	f.names, f.together = map[string]string{}, a.RatioFactor
	for i, row := range c.Rows {
		card := a.Card(c.Snap.Card(row).ID)
		if card == nil || card.Usable == 0 {
			continue
		}
		for _, task := range fitTasks {
			for _, s := range fitSizes {
				if m := a.Models.Find(s.model); m != nil {
					f.fits = append(
						f.fits,
						fitOf(a, card, i, s.size, sizing.Workload{Model: m, Task: task, Cards: 1, Batch: 1}),
					)
				}
			}
		}
	}
	for _, x := range f.fits {
		if p := a.Profiles.Find(x.Framework); p != nil {
			f.names[x.Framework] = p.Name
		}
		if w := a.Formats.Find(x.Weights); w != nil {
			f.names[x.Weights] = w.Name
		}
	}
	f.usual = f.usualSize()
	f.longest(a, c)
	f.serve(a, c)
	f.pretrain(a, c)
}

// serve estimates how many tokens one card writes for many users, with the promise that /serve makes where nobody
// asks for another: cards of data centres are bought and rented for that. The model is the largest of which the
// weights in 16 bits, which all such cards read, take up to half of the smallest card.
func (f *facts) serve(a *sizing.Estimator, c *Comparison) {
	if !f.many {
		return
	}
	cards, least := make([]*sizing.Card, len(c.Rows)), math.Inf(1)
	for i, row := range c.Rows {
		if card := a.Card(c.Snap.Card(row).ID); card != nil && card.Usable > 0 {
			cards[i], least = card, min(least, card.Usable)
		}
	}
	size, m := "", (*sizing.Model)(nil)
	for _, s := range fitSizes {
		if found := a.Models.Find(s.model); found != nil && (m == nil || 2*found.Parameters <= least/2) {
			size, m = s.size, found
		}
	}
	for i, card := range cards {
		if card == nil {
			continue
		}
		p, errs := serving.Outline(a, serving.Request{Model: m, Card: card, Weights: "bf16", Tensor: 1, Pipeline: 1})
		if len(errs) > 0 || p.Outcome != serving.Served {
			continue
		}
		w := &p.Workload
		f.served = append(f.served, api.ComparedFit{Card: i, Size: size, Model: m.ID, Task: string(sizing.Serve),
			Framework: w.Framework, Weights: w.Weights, TokensPerS: valueOf(p.Expected.Throughput),
			Tier: string(p.Expected.Evidence.Tier)})
	}
	for _, x := range f.served {
		if p, w := a.Profiles.Find(x.Framework), a.Formats.Find(x.Weights); p != nil && w != nil {
			f.names[x.Framework], f.names[x.Weights] = p.Name, w.Name
		}
	}
}

// The model that cards of data centres pre-train, eight of them in a server.
const (
	pretrainSize, pretrainModel = "8B", "llama-3.1-8b"
	inServer                    = 8
)

// pretrain estimates how fast a server of each kind of card pre-trains a small model: cards of data centres are bought
// and rented for that, and adapters of one sequence at a time say little of them.
func (f *facts) pretrain(a *sizing.Estimator, c *Comparison) {
	m := a.Models.Find(pretrainModel)
	if !f.many || m == nil {
		return
	}
	for i, row := range c.Rows {
		card := a.Card(c.Snap.Card(row).ID)
		if card == nil || card.Usable == 0 {
			continue
		}
		x := fitOf(a, card, i, pretrainSize, sizing.Workload{Model: m, Task: sizing.Pretrain, Cards: inServer})
		if x.Verdict != cannotRun {
			f.pretrained = append(f.pretrained, x)
		}
	}
	for _, x := range f.pretrained {
		if p, w := a.Profiles.Find(x.Framework), a.Formats.Find(x.Weights); p != nil && w != nil {
			f.names[x.Framework], f.names[x.Weights] = p.Name, w.Name
		}
	}
}

// fitOf estimates one job on one card.
func fitOf(a *sizing.Estimator, card *sizing.Card, place int, size string, w sizing.Workload) api.ComparedFit {
	var e sizing.Estimate
	if w.Context = trainContext; w.Task.Trains() {
		e = a.Estimate(w, card, sizing.Request{})
	} else {
		w.Context = serveContext
		for _, format := range serveFormats {
			w.Weights = format
			tried := a.Estimate(w, card, sizing.Request{})
			if e.Card == nil || len(tried.Refusals) == 0 {
				e = tried
			}
			if len(tried.Refusals) == 0 {
				break
			}
		}
	}
	done := &e.Workload
	out := api.ComparedFit{
		Card:      place,
		Size:      size,
		Model:     done.Model.ID,
		Task:      string(w.Task),
		Framework: done.Framework,
		Weights:   done.Weights,
		Context:   done.Context,
		Verdict:   cmp.Or(string(e.Memory.Verdict), "unknown"),
	}
	if len(e.Refusals) > 0 {
		out.Verdict = cannotRun
		return out
	}
	if need := e.Memory.PerCard; need.Expected > 0 {
		spare := rounded((e.Memory.Usable - need.Expected) / 1e9)
		out.NeedGB, out.SpareGB = valueOf(sizing.Range{Low: need.Low / 1e9, Expected: need.Expected / 1e9,
			High: need.High / 1e9}), &spare
	}
	if s := e.Rate(); s != nil && s.Rate.Expected > 0 && e.Memory.Verdict != sizing.TooBig {
		out.TokensPerS, out.Tier = valueOf(s.Rate), string(s.Evidence.Tier)
	}
	return out
}

// rounded keeps tenths.
func rounded(v float64) float64 { return math.Round(v*10) / 10 }

// valueOf is an estimate with as many digits as it is worth.
func valueOf(r sizing.Range) *api.ComparedValue {
	return &api.ComparedValue{Value: display.Significant(r.Expected, 3), Low: display.Significant(r.Low, 3),
		High: display.Significant(r.High, 3)}
}

// software names what a job runs with: "llama.cpp · Q4_K_M".
func (f *facts) software(x *api.ComparedFit) string {
	return cmp.Or(f.names[x.Framework], x.Framework) + " · " + cmp.Or(f.names[x.Weights], x.Weights)
}

// service is what a card does for many users; nil where it was not estimated.
func (f *facts) service(place int) *api.ComparedFit {
	return ofCard(f.served, place)
}

// pretraining is how fast eight of a card pre-train; nil where it was not estimated.
func (f *facts) pretraining(place int) *api.ComparedFit { return ofCard(f.pretrained, place) }

func ofCard(fits []api.ComparedFit, place int) *api.ComparedFit {
	i := slices.IndexFunc(fits, func(x api.ComparedFit) bool { return x.Card == place })
	if i < 0 {
		return nil
	}
	return &fits[i]
}

// fit is a job on a card; nil where it was not estimated.
func (f *facts) fit(place int, size string, task sizing.Task) *api.ComparedFit {
	i := slices.IndexFunc(f.fits, func(x api.ComparedFit) bool {
		return x.Card == place && x.Size == size && x.Task == string(task)
	})
	if i < 0 {
		return nil
	}
	return &f.fits[i]
}

// usualSize is 32B, or a smaller size where fewer than two cards hold it.
func (f *facts) usualSize() string {
	for _, size := range []string{"32B", "14B", "7B"} {
		n := 0
		for _, x := range f.fits {
			if x.Size == size && x.Task == string(sizing.Inference) && x.TokensPerS != nil {
				n++
			}
		}
		if n > 1 {
			return size
		}
	}
	return "7B"
}

// longest finds how long a context of the usual model fits on each card that holds it.
func (f *facts) longest(a *sizing.Estimator, c *Comparison) {
	f.rooms = map[string][]contextRoom{f.usual: make([]contextRoom, len(c.Rows))}
	for i, row := range c.Rows {
		x := f.fit(i, f.usual, sizing.Inference)
		if x == nil || x.Verdict == cannotRun || x.NeedGB == nil {
			continue
		}
		w := sizing.Workload{Task: sizing.Inference, Weights: x.Weights, Framework: x.Framework}
		own := []sizing.Owned{{Card: a.Card(c.Snap.Card(row).ID), Count: 1}}
		for _, fit := range a.WhatFits(own, w, []*sizing.Model{a.Models.Find(x.Model)}) {
			f.rooms[f.usual][i] = contextRoom{fit.Context, fit.AtLimit, len(fit.Refusals) == 0}
		}
	}
}

// cite notes the sources of the prices.
func (f *facts) cite(cited display.Cited) {
	for i := range f.rents {
		for _, s := range []catalog.Standing{f.rents[i], f.buys[i], f.lists[i]} {
			if q := s.Shown(); s.Priced && q.Source != nil {
				cited[q.Source] = true
			}
		}
	}
}

// quotes are the prices in the shape of the API.
func (f *facts) quotes() []api.ComparedQuote {
	out := []api.ComparedQuote{}
	for i := range f.rents {
		for _, s := range []catalog.Standing{f.rents[i], f.buys[i], f.lists[i]} {
			if q := s.Shown(); s.Priced {
				out = append(
					out,
					api.ComparedQuote{Card: i, Kind: string(q.Kind), Amount: q.In.Amount(), Seller: q.Seller,
						Date: string(q.Date), Freshness: q.Freshness.String(), Offers: s.Current},
				)
			}
		}
	}
	return out
}
