package api

import (
	"fmt"

	"tianti/catalog"
	"tianti/exportcontrol"
)

// ExportControl is what export rules say of one card.
type ExportControl struct {
	Envelope
	ExportCard
	AsOf         string             `json:"as_of" doc:"day, YYYY-MM-DD" example:"2026-01-15"`
	Destination  string             `json:"destination" doc:"ISO 3166-1 code" example:"CN"`
	Headquarters string             `json:"headquarters,omitempty" doc:"of the end user or its ultimate parent, ISO 3166-1 code"`
	Evaluations  []ExportEvaluation `json:"evaluations" doc:"one for each rule in force on that day, and for bills put forward by then"`
	History      []exportChange     `json:"history" doc:"how the verdict changed, from launch or the first rule to the day asked for"`
	RulesRead    string             `json:"rules_read" doc:"day on which the rules were last read; what changed since is not known here" example:"2026-09-24"`
	Disclaimer   string             `json:"disclaimer" doc:"what the answer rests on, and which rules are not modelled"`
}

// ExportCard is a card's amounts and verdict.
type ExportCard struct {
	Card               string             `json:"card" example:"nvidia-h100-sxm5-80gb"`
	TPP                *float64           `json:"tpp" doc:"total processing performance: dense tera-operations per second × operand bits; null when not known"`
	PerformanceDensity *float64           `json:"performance_density" doc:"TPP for each mm² of non-planar logic die; null when not known or when the dies are planar"`
	Interconnect       *float64           `json:"interconnect_gb_s" doc:"all inputs and outputs but memory, both directions, PCIe included; null when not known"`
	MemoryBandwidth    *float64           `json:"memory_bandwidth_gb_s" doc:"DRAM bandwidth; null when not known"`
	Datacenter         *bool              `json:"datacenter" doc:"sold for data centres; null when not known"`
	LowerBounds        []string           `json:"lower_bounds,omitempty" doc:"which of these amounts are only lower bounds"`
	UpperBounds        map[string]float64 `json:"upper_bounds,omitempty" doc:"what those amounts cannot exceed, where that is known"`
	ECCN               string             `json:"eccn,omitempty" doc:"as the vendor publishes it"`
	Overall            string             `json:"overall" doc:"the strictest verdict of the rules that count" enum:"general_prohibition_10,presumption_of_denial,case_by_case,licence_required,licence_not_enforced,unknown,cloud_only,domestic_design,not_controlled"`
	Exception          string             `json:"exception,omitempty" doc:"licence exception that may apply: NAC or ACA"`
	Disputed           bool               `json:"disputed,omitempty" doc:"two texts in force have another review policy: denial, or case by case"`
	Likely             bool               `json:"likely,omitempty" doc:"the verdict rests on a letter that speaks of data-centre chips, and this is not one"`
	Because            []string           `json:"because,omitempty" doc:"ids of the rules that the verdict rests on"`
	Statuses           map[string]string  `json:"statuses,omitempty" doc:"status by rule id; in the matrix only"`
}

// ExportEvaluation is what one rule says.
type ExportEvaluation struct {
	Rule      string         `json:"rule" example:"US-BIS-2023-3A090"`
	Title     string         `json:"title"`
	Kind      string         `json:"kind" enum:"regulation,letter,guidance,tariff,foreign,proposed"`
	Status    string         `json:"status" example:"3A090.a"`
	Possible  []string       `json:"possible,omitempty" doc:"what an unknown status may be"`
	Missing   []string       `json:"missing,omitempty" doc:"the quantities that are not known"`
	Exception string         `json:"exception,omitempty"`
	Counted   bool           `json:"counted" doc:"whether the rule has a part in the overall verdict"`
	Read      string         `json:"read" doc:"day on which the rule was last read" example:"2026-09-24"`
	Certainty string         `json:"certainty" doc:"how its conditions were read" enum:"quoted,excerpt,secondary,unverified"`
	Reasons   []exportReason `json:"reasons" doc:"each comparison written out, or what decided instead"`
	Citation  string         `json:"citation"`
	Address   string         `json:"address,omitempty"`
}

// exportReason is a sentence with the figures that went into it.
type exportReason struct {
	Text   string        `json:"text" example:"a.1: tpp 15840 ≥ 4800: yes"`
	Inputs []exportInput `json:"inputs"`
}

// exportInput is a figure behind a quantity.
type exportInput struct {
	Metric string  `json:"metric" example:"fp8_matrix_dense_tflops"`
	Value  float64 `json:"value"`
	Source string  `json:"source,omitempty" doc:"id of the source, as in /api/v1/cards/{id}"`
}

// exportChange is a step of a card's history.
type exportChange struct {
	From    string   `json:"from"`
	To      string   `json:"to,omitempty"`
	Overall string   `json:"overall"`
	Because []string `json:"because,omitempty"`
}

// exportMatrixAnswer is the matrix of cards and rules.
type exportMatrixAnswer struct {
	Envelope
	AsOf         string       `json:"as_of"`
	Destination  string       `json:"destination"`
	Headquarters string       `json:"headquarters,omitempty"`
	Items        []ExportCard `json:"items"`
	Total        int          `json:"total"`
	RulesRead    string       `json:"rules_read" doc:"day on which the rules were last read" example:"2026-09-24"`
	Disclaimer   string       `json:"disclaimer"`
}

const disclaimer = "An engineer's reading of the rules, last read on " + exportcontrol.GroupsAsOf +
	"; not legal advice. " +
	"Not modelled: end use and end user (15 CFR 744.21, 744.23), Entity List, OFAC sanctions, jurisdiction and de " +
	"minimis, other countries' lists. not_controlled means: not caught by the rules modelled here; " +
	"licence_not_enforced: the text asks for a licence, and BIS says that it does not enforce it. See " +
	"/methodology#export-control."

// Export evaluates one card.
func Export(s *catalog.Snapshot, row int, q exportcontrol.Question) ExportControl {
	it := exportcontrol.CardItem(s, row)
	res := exportcontrol.Evaluate(it, q)
	out := ExportControl{Envelope: EnvelopeOf(s), ExportCard: exportCard(it.ID, it.ECCN, &it.Amounts, &res.Summary),
		AsOf: q.AsOf, Destination: q.Destination,
		Headquarters: q.Headquarters,
		Evaluations:  []ExportEvaluation{}, History: []exportChange{}, RulesRead: exportcontrol.GroupsAsOf,
		Disclaimer: disclaimer}
	inputs := exportInputs(s, row, it)
	for _, e := range res.Evaluations {
		out.Evaluations = append(out.Evaluations, exportEvaluation(e, inputs))
	}
	for _, c := range exportcontrol.History(it, q) {
		out.History = append(out.History, exportChange{From: c.Day, To: c.Last, Overall: string(c.Verdict),
			Because: ruleIDs(c.Because)})
	}
	return out
}

// ExportMatrix is what a survey says of the cards in some rows, in their order.
func ExportMatrix(s *catalog.Snapshot, all *exportcontrol.Survey, rows []int) exportMatrixAnswer {
	out := exportMatrixAnswer{Envelope: EnvelopeOf(s), AsOf: all.AsOf, Destination: all.Destination,
		Headquarters: all.Headquarters,
		Items:        []ExportCard{}, Total: len(rows), RulesRead: exportcontrol.GroupsAsOf, Disclaimer: disclaimer}
	for _, row := range rows {
		sum := all.Of(row)
		c := exportCard(s.Card(row).ID, s.Figures(row).Text("eccn"), all.Amounts(row), sum)
		c.Statuses = map[string]string{}
		for _, e := range sum.Evaluations {
			if e.Rule.Evaluable() {
				c.Statuses[e.Rule.ID] = string(e.Status)
			}
		}
		out.Items = append(out.Items, c)
	}
	return out
}

func exportCard(id, eccn string, amounts *exportcontrol.Amounts, sum *exportcontrol.Summary) ExportCard {
	c := ExportCard{Card: id, ECCN: eccn, Overall: string(sum.Verdict), Exception: sum.Exception,
		Disputed: sum.Disputed, Likely: sum.Likely}
	if sum.Verdict != exportcontrol.NotControlled {
		c.Because = ruleIDs(sum.Because)
	}
	for _, a := range []struct {
		q  exportcontrol.Quantity
		to **float64
	}{{exportcontrol.TPP, &c.TPP}, {exportcontrol.PerformanceDensity, &c.PerformanceDensity},
		{exportcontrol.IO, &c.Interconnect}, {exportcontrol.Memory, &c.MemoryBandwidth}} {
		switch v := amounts.Amount(a.q); v.Known {
		case exportcontrol.AtLeast:
			c.LowerBounds = append(c.LowerBounds, string(a.q))
			*a.to = &v.Value
			if v.Most > 0 {
				if c.UpperBounds == nil {
					c.UpperBounds = map[string]float64{}
				}
				c.UpperBounds[string(a.q)] = v.Most
			}
		case exportcontrol.Exact:
			*a.to = &v.Value
		}
	}
	if amounts.Datacenter.Known == exportcontrol.Exact {
		dc := amounts.Datacenter.Value == 1
		c.Datacenter = &dc
	}
	return c
}

func ruleIDs(rules []*exportcontrol.Rule) []string {
	var out []string
	for _, r := range rules {
		out = append(out, r.ID)
	}
	return out
}

func exportEvaluation(e exportcontrol.Evaluation, inputs map[exportcontrol.Quantity][]exportInput) ExportEvaluation {
	out := ExportEvaluation{Rule: e.Rule.ID, Title: e.Rule.Title.En, Kind: string(e.Rule.Kind),
		Status: string(e.Status), Exception: e.Exception,
		Counted: e.Rule.Counted(), Read: e.Rule.LastRead(), Certainty: string(e.Rule.Certainty.Conditions),
		Citation: e.Rule.Citation,
		Address:  e.Rule.Address, Reasons: []exportReason{}}
	if e.Status == exportcontrol.Unknown {
		for _, s := range e.Possible {
			out.Possible = append(out.Possible, string(s))
		}
		for _, q := range e.Missing {
			out.Missing = append(out.Missing, string(q))
		}
	}
	if text := e.Reason.String(); text != "" {
		out.Reasons = append(out.Reasons, exportReason{Text: text, Inputs: []exportInput{}})
	}
	if e.Ground == exportcontrol.OutOfScope {
		return out
	}
	for _, c := range e.Comparisons {
		r := exportReason{Text: c.String(), Inputs: inputs[c.Quantity]}
		if r.Inputs == nil {
			r.Inputs = []exportInput{}
		}
		out.Reasons = append(out.Reasons, r)
	}
	for _, o := range e.Other {
		out.Reasons = append(out.Reasons, exportReason{Text: fmt.Sprintf("another reading gives %s: %s", o.Status, o),
			Inputs: []exportInput{}})
	}
	return out
}

// exportInputs are the figures behind each quantity.
func exportInputs(s *catalog.Snapshot, row int, it *exportcontrol.Item) map[exportcontrol.Quantity][]exportInput {
	facts := s.Facts(row)
	input := func(ids ...string) []exportInput {
		var out []exportInput
		for _, id := range ids {
			f := facts[id].Shown
			if f.Source == nil || f.Quantity.Kind != catalog.Number {
				continue
			}
			out = append(out, exportInput{Metric: id, Value: f.Number, Source: f.Source.ID})
		}
		return out
	}
	var tpp []string
	if len(it.Performance.Rates) > 0 {
		tpp = append(tpp, it.Performance.Rates[0].Quantity.ID)
	}
	tpp = append(tpp, "published_tpp")
	links := []string{"interconnect_gb_s", "pcie_generation", "pcie_lanes"}
	return map[exportcontrol.Quantity][]exportInput{
		exportcontrol.TPP: input(append(tpp, "ics_per_card")...),
		exportcontrol.PerformanceDensity: input(append(tpp, "nonplanar_die_mm2", "die_mm2", "process_nm",
			"ics_per_card")...),
		exportcontrol.IO:          input(links...),
		exportcontrol.Memory:      input("memory_bandwidth_gb_s", "ics_per_card"),
		exportcontrol.MemoryAndIO: input(append([]string{"memory_bandwidth_gb_s", "ics_per_card"}, links...)...),
	}
}
