package ladders

import (
	"slices"

	"tianti/catalog"
	"tianti/ladder"
	"tianti/locale"
	"tianti/web/display"
	"tianti/web/ui"
)

// CardLadders are ladders on which a card has a place, with the card as the reference.
func CardLadders(l *locale.Locale, s *catalog.Snapshot, row int) []ui.Link {
	c := s.Card(row)
	var out []ui.Link
	for _, id := range []string{"bf16_matrix_dense_tflops", "fp32_vector_tflops",
		"memory_bandwidth_gb_s", "memory_gb"} {
		basis, bad := ladder.Find(id)
		if bad != nil {
			continue
		}
		if v, ok := s.Number(basis.Quantity, row); !ok || v <= 0 {
			continue
		}
		out = append(out, ui.Link{Label: display.Pick(l, basis.Label), Href: l.Path("/ladders/"+id) + "?segment=" +
			c.Segment + "&reference=" + c.ID})
	}
	return out
}

// LadderOfCards is the address of the ladder of the cards that a query chooses, by the
// first of its columns that a ladder can have.
func LadderOfCards(l *locale.Locale, q catalog.Query) string {
	basis := catalog.DefaultBasis
	for _, key := range q.Order() {
		if found, bad := ladder.Find(key.Quantity.ID); bad == nil {
			basis = found.ID
			break
		}
	}
	path := l.Path("/ladders/" + basis)
	cards := catalog.Query{Text: q.Text, Filters: q.Filters, Pricing: q.Pricing}
	if query := cards.Encode(); query != "" {
		path += "?" + query
	}
	return path
}

// LadderPaths are the ladders that search engines should know: the overview, all that have places, and those that
// people ask for first by segment. speeds: there are those of speeds.
func LadderPaths(s *catalog.Snapshot, speeds bool) []string {
	paths := []string{"/ladders"}
	for _, basis := range ladder.Measured(s) {
		paths = append(paths, "/ladders/"+basis.ID)
	}
	segments := s.Values(display.MustQuantity("segment"))
	for _, basis := range ladder.Bases() {
		switch {
		case basis.Quantity == nil && !speeds, basis.Priced() && s.PriceCount() == 0,
			basis.Quantity != nil && !basis.Priced() && s.Coverage(basis.Quantity) == 0:
			continue
		}
		paths = append(paths, "/ladders/"+basis.ID)
		if basis.Quantity == nil || basis.Priced() || !slices.Contains(ladderBases, basis.ID) {
			continue
		}
		for _, segment := range ladderSegments {
			if segment != "" && slices.Contains(segments, segment) {
				paths = append(paths, "/ladders/"+basis.ID+"?segment="+segment)
			}
		}
	}
	return paths
}
