package bulk

import (
	"maps"
	"slices"
	"strconv"

	"tianti/catalog"
	"tianti/locale"
	"tianti/web/display"
	"tianti/web/jsonld"
	"tianti/web/site"
)

// builtinLicense is that of the data that come with the program.
const builtinLicense = "https://www.apache.org/licenses/LICENSE-2.0"

// Dataset is the catalogue for search engines, in a language, with its files.
func (h *Handler) Dataset(st *site.State, l *locale.Locale, description string) jsonld.Dataset {
	origin := h.site.Origin
	out := jsonld.Dataset{Type: "Dataset", ID: origin + "/#catalogue", Name: l.T("site.name") + " · " +
		l.T("site.tagline"),
		Description: description, URL: origin + l.Path("/cards"), Version: strconv.FormatInt(st.Snap.Revision, 10),
		Modified: string(st.Snap.Newest()), Languages: []string{"en", "zh-Hans"}, Free: true,
		Creator:  jsonld.NewOrganization(l.T("site.name"), origin+l.Path("/")),
		Keywords: []string{"GPU", "NPU", "TPU", "AI accelerator", "AI 加速器"}}
	if sets := st.Snap.Datasets(); len(sets) == 1 && sets[0].Rank == catalog.BuiltinRank {
		out.License = builtinLicense
	}
	for _, id := range []string{"memory_gb", "memory_bandwidth_gb_s", "bf16_matrix_dense_tflops", "tdp_w"} {
		out.Measured = append(out.Measured, display.Pick(l, display.MustQuantity(id).Label))
	}
	for _, end := range slices.Sorted(maps.Keys(types)) {
		if end != "db" || h.sqlite != nil {
			out.Distributions = append(out.Distributions,
				jsonld.NewDownload(types[end], origin+l.Path("/catalogue."+end)))
		}
	}
	return out
}
