package reference

import (
	"strings"
	"testing"

	"tianti/locale"
)

func TestDataHealthSaysWhichCardsHaveAPriceOfTheYear(t *testing.T) {
	for _, l := range locale.All() {
		p := sampleHealth(l)
		p.PriceYear, p.Priced = "2026", []pricedRow{{"Desktop", 128, 109, 0.852, l.Percent(0.852), "since 2018"}}
		var b strings.Builder
		if err := p.Page().Render(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
		_, section, _ := strings.Cut(b.String(), `<section id="prices">`)
		for _, want := range []string{l.T("health.priced.title", "2026"), "128", "109", l.Percent(0.852),
			"since 2018"} {
			if !strings.Contains(section, want) {
				t.Errorf("%s: no %q", l.Path("/data-health"), want)
			}
		}
	}
}
