//go:build unix

package web

import (
	"net/http"
	"testing"

	"tianti/catalog"
	"tianti/seed"
	"tianti/web/site"
)

// BenchmarkPlot computes and renders the plot of the built-in catalogue that has the
// most cards, in each of its forms. Prices are converted once a day.
func BenchmarkPlot(b *testing.B) {
	d, err := seed.Builtin()
	if err != nil {
		b.Fatal(err)
	}
	s := benchServer(b, 1)
	s.Swap(catalog.NewSnapshot(1, d))
	for _, f := range []site.Format{site.HTML, site.AsSVG, site.AsPNG, site.AsJSON} {
		b.Run(string("."+f), func(b *testing.B) {
			address := "/plot?x=memory_gb&y=memory_bandwidth_gb_s&color=segment"
			if f != site.HTML {
				address = "/plot." + string(f) + "?x=memory_gb&y=memory_bandwidth_gb_s&color=segment"
			}
			httpReq, err := http.NewRequest(http.MethodGet, address, nil)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				r := site.NewRequest(httpReq)
				if err := r.Parse(); err != nil {
					b.Fatal(err)
				}
				pl, err := s.pageAt("/plot")(s.site.State.Load(), r)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := pl.Render(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
