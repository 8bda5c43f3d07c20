package display

import (
	"tianti/catalog"
	"tianti/locale"
)

// Standing says of a card that is not sold that it is announced, and since when; it is
// empty for one that is sold.
func Standing(l *locale.Locale, s *catalog.Snapshot, row int) string {
	if s.OnSale(row) {
		return ""
	}
	date, known := Display(l, s, MustQuantity("launched"), row)
	if !known {
		return UnsoldWord(l, s, row)
	}
	return l.T("unsold."+s.Standing(row), date)
}

// UnsoldWord is [Standing] in the words that a drawing has room for.
func UnsoldWord(l *locale.Locale, s *catalog.Snapshot, row int) string {
	if s.OnSale(row) {
		return ""
	}
	return l.T("standing." + s.Standing(row))
}

// NameAndStanding is a card's vendor and name, with [Standing] in brackets where it is not sold: for tables as text.
func NameAndStanding(l *locale.Locale, s *catalog.Snapshot, row int) string {
	name := s.Card(row).Vendor + " " + s.Card(row).Name
	if unsold := Standing(l, s, row); unsold != "" {
		name += l.Pick(" (", "（") + unsold + l.Pick(")", "）")
	}
	return name
}
