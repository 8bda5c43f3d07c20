package filterform

import (
	"cmp"
	"slices"

	"tianti/catalog"
	"tianti/locale"
	"tianti/sorting"
	"tianti/web/display"
	"tianti/web/site"
	"tianti/web/ui"
)

// Facets are the categories that the catalogue counts.
var Facets = []string{"vendor", "kind", "segment", "architecture", "form_factor", "memory_type", "standing"}

// rangeFields are the numbers that the catalogue has a field for; every other can
// be filtered in the address, and gets a field as soon as it is.
var rangeFields = []string{"memory_gb", "memory_bandwidth_gb_s", "bf16_matrix_dense_tflops", "fp16_matrix_dense_tflops",
	"fp8_matrix_dense_tflops", "fp32_vector_tflops", "interconnect_gb_s", "tdp_w", "launched", "bf16_tflops_per_w",
	"buy_price", "price_per_bf16_tflops", "price_per_gb", "rent_price"}

// A Form makes the controls by which a page chooses cards: text, facets, ranges, chips,
// and the links to other pages of the result.
type Form struct {
	Snap    *catalog.Snapshot
	Request *site.Request
	Query   catalog.Query
	Result  catalog.Result
	Keeps   []KeptBy                   // what cards are chosen by besides quantities, see catalog.Query.Keep
	At      func(catalog.Query) string // the address of the page with another query
	Limit   int                        // rows of a page where the query names none; 0: as the catalogue
}

// KeptBy is a filter that is none of a quantity.
type KeptBy struct {
	Label, Value string
	Suggest      bool // a table without cards proposes to drop it
}

// preset is a question that many ask.
type preset struct{ key, query string }

var presets = []preset{
	{"preset.training", "segment=datacenter&memory_gb=%3E%3D80&interconnect_gb_s=%3E%3D600"},
	{"preset.onecard7b", "memory_gb=%3E%3D24&bf16=true&segment=desktop,workstation"},
	{"preset.inference", "tdp_w=..150&segment=datacenter"},
	{"preset.lowpower", "tdp_w=..75"},
	{"preset.china", "vendor=Huawei,Cambricon,Hygon,Moore%20Threads,Kunlunxin,Biren,MetaX,Enflame,Iluvatar"},
	{
		"preset.value",
		"segment=desktop&sort=price_per_gb&price_per_gb=any&fields=memory_gb,memory_bandwidth_gb_s,fp16_matrix_dense_tflops,fp32_vector_tflops,tdp_w,launched,buy_price,price_per_gb,price_per_gb_s,price_per_fp32_tflops",
	},
	{
		"preset.rent",
		"sort=rent_per_bf16_tflops_hour&rent_per_bf16_tflops_hour=any&fields=bf16_matrix_dense_tflops,memory_gb,memory_bandwidth_gb_s,interconnect_gb_s,rent_price,rent_per_bf16_tflops_hour",
	},
	{"preset.efficient", "sort=-bf16_tflops_per_w&bf16_tflops_per_w=any"},
}

func PresetLinks(s *catalog.Snapshot, l *locale.Locale, current string) []ui.Link {
	var out []ui.Link
	for _, p := range presets {
		q, errs := s.ParseQuery(site.ParseQuery(p.query))
		if len(errs) > 0 || s.Select(&q, 1).Total == 0 {
			continue
		}
		out = append(
			out,
			ui.Link{Label: l.T(p.key), Href: l.Path("/cards") + "?" + q.Encode(), Active: q.Encode() == current},
		)
	}
	return out
}

// URL is the address of the catalogue after a change to the query. Every change
// but one of columns leads back to the first page.
func (b *Form) URL(change func(*catalog.Query)) string {
	q := b.Query
	q.Filters = slices.Clone(q.Filters)
	q.Page, q.Cursor = 0, ""
	change(&q)
	return b.At(q)
}

// Facets count what the cards are, by category.
func (b *Form) Facets() []ui.Facet {
	var out []ui.Facet
	for _, id := range Facets {
		q := display.MustQuantity(id)
		f := ui.Facet{Param: id, Label: display.Pick(b.Request.Loc, q.Label)}
		for _, c := range b.Snap.Facet(b.Result, q) {
			f.Options = append(
				f.Options,
				ui.Option{
					Value:    c.Value,
					Label:    display.ValueText(b.Request.Loc, q, c.Value),
					Count:    c.Cards,
					Counted:  true,
					Selected: c.Selected,
				},
			)
		}
		sorting.Func(
			f.Options,
			func(a, b ui.Option) int { return display.BoolRank(b.Selected) - display.BoolRank(a.Selected) },
		)
		if id == "standing" && len(f.Options) == 1 && !f.Options[0].Selected {
			continue // all are sold: there is nothing to choose
		}
		if len(f.Options) > 0 {
			out = append(out, f)
		}
	}
	return out
}

// Pager leads to the other pages by number.
func (b *Form) Pager() ui.Pager {
	limit := cmp.Or(b.Query.Limit, b.Limit, site.PageLimit)
	pages, current := (b.Result.Total+limit-1)/limit, max(1, b.Query.Page)
	if pages < 2 || b.Query.Cursor != "" {
		return ui.Pager{}
	}
	at := func(n int) string { return b.URL(func(q *catalog.Query) { q.Page = n }) }
	var p ui.Pager
	if current > 1 {
		p.Previous = at(current - 1)
	}
	if current < pages {
		p.Next = at(current + 1)
	}
	last := 0
	for n := 1; n <= pages; n++ {
		if n != 1 && n != pages && (n < current-2 || n > current+2) {
			continue
		}
		if n > last+1 {
			p.Pages = append(p.Pages, ui.Link{Label: "…"})
		}
		p.Pages = append(p.Pages, ui.Link{Label: b.Request.Loc.Count(n), Href: at(n), Active: n == current})
		last = n
	}
	return p
}
