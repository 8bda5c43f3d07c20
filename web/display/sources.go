package display

import (
	"strings"

	"tianti/catalog"
	"tianti/locale"
)

// mostCited is how many sources stand at the end of a printed page; how many more there are is said.
const mostCited = 40

// Cited are the sources of what a page says, for its end on paper.
type Cited map[*catalog.SourceRef]bool

// Figures adds the sources of the figures that are shown of a card; of all that it has where no quantity is named.
func (c Cited) Figures(s *catalog.Snapshot, row int, quantities ...string) {
	facts := s.Facts(row)
	if len(quantities) == 0 {
		for id := range facts {
			quantities = append(quantities, id)
		}
	}
	for _, id := range quantities {
		if src := facts[id].Shown.Source; src != nil {
			c[src] = true
		}
	}
}

// Lines are the sources in the order of the catalogue: who, what, of which day, and where.
func (c Cited) Lines(s *catalog.Snapshot, l *locale.Locale) []string {
	var out []string
	all := s.Sources()
	for i := range all {
		src := &all[i]
		if !c[src] {
			continue
		}
		text := src.Title
		if !strings.HasPrefix(text, src.Publisher) {
			text = src.Publisher + l.T("colon") + text
		}
		if src.Published != "" {
			text += l.T("comma") + string(src.Published)
		}
		if src.URL != "" {
			text += l.T("comma") + strings.TrimPrefix(src.URL, "https://")
		}
		out = append(out, text)
	}
	if more := len(out) - mostCited; more > 0 {
		out = append(out[:mostCited], l.T("paper.more", more))
	}
	return out
}
