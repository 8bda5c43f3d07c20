package job

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"tianti/sizing"
	"tianti/web/ui"
)

// Evidence is what an estimate rests on: its tier, what the measured cases corrected, and those cases.
func (b *Builder) Evidence(id string, e *sizing.Evidence, expected float64,
	of func(float64) string) EvidenceView {
	l := b.L
	out := EvidenceView{ID: "evidence-" + id, Title: l.T("sizing.evidence." + id), Tier: b.Tier(e.Tier)}
	if e.Tier != "" {
		out.Note = l.T("sizing.tiernote." + string(e.Tier))
	}
	if e.Formula > 0 && of(e.Formula) != of(expected) {
		out.Note = l.Sentences(out.Note, l.T("sizing.corrected", of(e.Formula), of(expected)))
	}
	for _, s := range e.Supports {
		c := s.Case
		row := SupportRow{ID: c.ID, What: b.ran(c), Card: "—", Measured: "—", Weight: l.Percent(s.Weight),
			Source: ui.Link{Label: c.Source, Href: DocumentHref(c.Source)}, Note: c.Note}
		if c.Card != nil {
			row.Card = CardName(c.Card)
			if c.Workload.Cards > 1 {
				row.Card = l.T("sizing.times", l.Count(c.Workload.Cards), row.Card)
			}
		}
		if c.Measured > 0 {
			row.Measured = of(c.Measured)
		}
		out.Rows = append(out.Rows, row)
	}
	return out
}

// ran is the job of a case in a few words.
func (b *Builder) ran(c *sizing.Case) string {
	w := &c.Workload
	var parts []string
	if w.Model != nil {
		parts = append(parts, w.Model.Name)
	}
	parts = append(parts, b.L.T("sizing.jobs."+string(w.Task)), b.WordOf("framework", w.Framework))
	if w.Weights != "" {
		parts = append(parts, b.WordOf("weights", w.Weights))
	}
	if w.Batch > 0 || w.Context > 0 {
		parts = append(parts, fmt.Sprintf("%s × %s", b.L.Count(max(1, w.Batch)), b.L.Count(w.Context)))
	}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), " · ")
}

// DocumentHref is the address that a source begins with or names by its arXiv id;
// empty where it has none.
func DocumentHref(source string) string {
	if at := strings.Index(source, "https://"); at >= 0 {
		address, _, _ := strings.Cut(source[at:], " ")
		address = strings.TrimRight(address, ".,;)")
		if _, err := url.Parse(address); err == nil {
			return address
		}
	}
	for _, mark := range []string{"arXiv:", "arXiv "} {
		_, rest, ok := strings.Cut(source, mark)
		if ok && len(rest) >= 10 && strings.Trim(rest[:10], "0123456789.") == "" {
			return "https://arxiv.org/abs/" + rest[:10]
		}
	}
	return ""
}

// EvidenceView is the cases that carry an estimate.
type EvidenceView struct {
	ID, Title string
	Note      string // formula alone, and after correction
	Tier      ui.ExportWord
	Rows      []SupportRow
}

// SupportRow is a measured case.
type SupportRow struct {
	ID, What, Card   string
	Measured, Weight string
	Source           ui.Link
	Note             string
}
