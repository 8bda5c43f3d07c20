package prices

import (
	"testing"

	"tianti/catalog"
)

func TestAnOfferOfOneCardKnowsItsNode(t *testing.T) {
	for _, x := range []struct {
		cards          int
		instance, note string
		want           int
	}{
		{8, "p5.48xlarge", "", 8}, {1, "8x H100 SXM", "", 8},
		{1, "ND96isr_H100_v5", "per card of an 8-card instance", 8},
		{1, "BM.GPU.L40S.4", "per GPU; the whole machine of 4 is rented", 4},
		{1, "HGX", "per card; sold as 8-card nodes", 8}, {1, "", "per card; bare metal of 8 cards, 30 days", 8},
		{1, "1x H100 SXM", "", 1}, {1, "g5.8xlarge", "median of 4 verified offers", 1}, {0, "", "", 1},
	} {
		q := &catalog.Quote{PriceInfo: catalog.PriceInfo{Price: &catalog.Price{Cards: x.cards, Instance: x.instance,
			Note: catalog.Text{En: x.note}}}}
		if got := node(q); got != x.want {
			t.Errorf("%q, %q: got a node of %d, want %d", x.instance, x.note, got, x.want)
		}
	}
}
