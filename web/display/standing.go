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
