package prices

import (
	"testing"

	"tianti/catalog"
	"tianti/locale"
)

func TestAComputerSaysWhetherItIsUsed(t *testing.T) {
	quote := func(kind catalog.PriceKind, en, zh string) *catalog.Quote {
		return &catalog.Quote{PriceInfo: catalog.PriceInfo{Price: &catalog.Price{Kind: kind, Seller: "Craigslist",
			Instance: "Mac Studio, 64 GB", Note: catalog.Text{En: en, Zh: zh}}}}
	}
	used := quote(catalog.ComputerPrice, "used, asked; the only one found", "二手要价；只找到这一台")
	for code, want := range map[string]string{
		"en": "Craigslist · Mac Studio, 64 GB (used, asked)", "zh": "Craigslist · Mac Studio, 64 GB（二手要价）",
	} {
		if got := offerName(locale.Of(code), used); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	for _, q := range []*catalog.Quote{quote(catalog.ComputerPrice, "", ""), quote(catalog.UsedPrice, "asked", "要价")} {
		if got := condition(locale.Of("en"), q); got != "" {
			t.Errorf("got %q, want nothing: the kind says it, or nobody does", got)
		}
	}
}
