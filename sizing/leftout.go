package sizing

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
)

// A LeaveOut is a way of cross-validation: which cases are left out with the one that is
// estimated.
type LeaveOut string

// Ways of cross-validation. A case is estimated from the remaining cases; where
// groups are left out, the constants of the formulas are fitted without them too.
const (
	OutItself    LeaveOut = "itself"          // the case alone, with other rows of the same run
	OutModel     LeaveOut = "framework_model" // all cases of its framework and model
	OutCard      LeaveOut = "card"            // all cases on its card
	OutFramework LeaveOut = "framework"       // all cases of its framework
	OutSource    LeaveOut = "source"          // all cases of the repository or page that reports it
)

// LeaveOuts are all ways, from what is known best to what is least.
var LeaveOuts = []LeaveOut{OutItself, OutModel, OutCard, OutFramework, OutSource}

// widens reports whether the intervals of a quantity are judged by a way of leaving out. The memory of
// a job is the same on all cards: to leave one out only leaves few cases, nearly all of which ran on one
// or two of them, and come from few sources.
func (l LeaveOut) widens(q Quantity) bool { return !q.isMemory() || l != OutCard && l != OutSource }

// groupsOf is the group of cases that a way leaves out together. Rows that report the same
// run are one case.
func (q *field) groupsOf(l LeaveOut) By {
	switch l {
	case OutModel:
		return ByFrameworkModel
	case OutCard:
		return ByCard
	case OutFramework:
		return ByFramework
	case OutSource:
		return BySource
	}
	first := map[string]string{} // of each case, the first that reports the run
	return func(c *Case) string {
		id, ok := first[c.ID]
		if !ok {
			id = c.ID
			if same := q.copies(c); len(same) > 0 {
				id = q.cases[same[0]].ID
			}
			first[c.ID] = id
		}
		return id
	}
}

// A LeftOut is the estimate of a case that was held back.
type LeftOut struct {
	Case    string // id
	Way     LeaveOut
	Range   Range // as a share of what was measured; zero where only whether it ran is known
	Tier    Tier
	Verdict Verdict // of memory on a card whose memory is known
}

// leftOut are the estimates of the trusted cases that are held back, with verdicts
// on all of which it is known whether they ran.
func leftOut(held []heldBack, cal *Calibration, cases []*Case) []LeftOut {
	all := &field{gauge: gauges[cal.Quantity], Calibration: cal, cases: usable(gauges[cal.Quantity], cases)}
	var out []LeftOut
	for i := range held {
		h := &held[i]
		predicted := map[*Case]*Prediction{}
		for j := range h.predictions {
			p := &h.predictions[j]
			p.by.Reach, p.by.Sure, p.by.Widths = cal.Reach, cal.Sure, cal.Widths
			predicted[p.Case] = p
		}
		groups := map[string][]int{}
		for j, c := range all.cases {
			groups[h.by(c)] = append(groups[h.by(c)], j)
		}
		for _, c := range cases {
			if !c.Trusted {
				continue
			}
			l := LeftOut{Case: c.ID, Way: h.way}
			if p := predicted[c]; p != nil {
				reach := p.by.reachOf(&c.Workload, c.Card, p.evidence.unknown, p.Tier, roughOf(all.gauge, c))
				r := p.by.intervalOf(&c.Workload, c.Card, p.evidence, reach, p.by.scale(&c.Workload, c.Card))
				l.Range, l.Tier = r.times(1/c.Measured), p.Tier
			}
			if c.Quantity.isMemory() && c.Card != nil && c.Card.Usable > 0 {
				by, without := h.fields[h.by(c)], []int(nil)
				if by == nil {
					by, without = all, groups[h.by(c)]
				}
				l.Verdict = by.verdictWithout(c, without)
			}
			if l.Tier != "" || l.Verdict != "" {
				out = append(out, l)
			}
		}
	}
	return out
}

// verdictWithout says whether a run fits, some cases left out. The memory
// that counts is what the driver sees, whatever the case counts.
func (q *field) verdictWithout(c *Case, without []int) Verdict {
	w := c.Workload
	w.Reading = ""
	r, _, _, ok := q.estimate(&w, c.Card, false, without)
	if !ok {
		return ""
	}
	return q.fits(&w, c.Card, r)
}

// leftOutColumns is the header of the file of estimates that were held back.
var leftOutColumns = []string{"case", "left_out", "expected", "low", "high", "tier", "verdict"}

// WriteLeftOut writes the estimates of calibrations that were held back as CSV, to four digits.
func WriteLeftOut(w io.Writer, cs []*Calibration) error {
	out := csv.NewWriter(w)
	if err := out.Write(leftOutColumns); err != nil {
		return err
	}
	number := func(v float64) string {
		if v == 0 {
			return ""
		}
		return strconv.FormatFloat(digits(v), 'g', -1, 64)
	}
	for _, c := range cs {
		for _, l := range c.LeftOut {
			err := out.Write([]string{l.Case, string(l.Way), number(l.Range.Expected), number(l.Range.Low),
				number(l.Range.High), string(l.Tier), string(l.Verdict)})
			if err != nil {
				return err
			}
		}
	}
	out.Flush()
	return out.Error()
}

// ReadLeftOut reads what [WriteLeftOut] wrote.
func ReadLeftOut(r io.Reader) ([]LeftOut, error) {
	in := csv.NewReader(r)
	in.ReuseRecord = true
	header, err := in.Read()
	if err != nil {
		return nil, fmt.Errorf("estimates held back: %w", err)
	}
	if !slices.Equal(header, leftOutColumns) {
		return nil, fmt.Errorf("estimates held back: columns %q, want %q", header, leftOutColumns)
	}
	var out []LeftOut
	known := texts{}
	for {
		row, err := in.Read()
		if errors.Is(err, io.EOF) {
			return slices.Clone(out), nil // as long as it is: it stays
		}
		if err != nil {
			return nil, fmt.Errorf("estimates held back: %w", err)
		}
		l := LeftOut{Case: known.one(row[0]), Way: LeaveOut(known.one(row[1])), Tier: Tier(known.one(row[5])),
			Verdict: Verdict(known.one(row[6]))}
		for i, into := range []*float64{&l.Range.Expected, &l.Range.Low, &l.Range.High} {
			if s := row[2+i]; s != "" {
				if *into, err = strconv.ParseFloat(s, 64); err != nil {
					line, _ := in.FieldPos(2 + i)
					return nil, fmt.Errorf("estimates held back: line %d, %s: %q is no number", line, header[2+i], s)
				}
			}
		}
		out = append(out, l)
	}
}
