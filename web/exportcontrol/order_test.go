package exportcontrol

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/collate"
	"golang.org/x/text/language"

	"tianti/exportcontrol"
	"tianti/locale"
)

// The tables of collations take more than a megabyte of a program, so the order that they give is written down.
func TestCountriesStandInTheOrderOfTheirNames(t *testing.T) {
	for _, l := range locale.All() {
		want := slices.Clone(exportcontrol.Countries())
		order := collate.New(language.Make(l.Tag()))
		slices.SortFunc(want, func(x, y string) int { return order.CompareString(l.Region(x), l.Region(y)) })
		if got := (ExportBuilder{L: l}).Countries(); !slices.Equal(got, want) {
			t.Errorf("%s: got %v; write into order.go:\n%s", l.Code(), got, strings.Join(want, " "))
		}
	}
}
