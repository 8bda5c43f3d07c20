package prices

import (
	"net/url"
	"slices"
	"strings"

	"tianti/catalog"
	"tianti/web/display"
)

// A priceFilter keeps some of the observations. An empty list keeps all.
type priceFilter struct {
	kinds            []catalog.PriceKind
	sellers, regions []string
	from, to         catalog.Date // empty: no bound
}

// dated reports whether days bound what is kept.
func (f *priceFilter) dated() bool { return f.from != "" || f.to != "" }

// days are the days that a date may have to mean.
func (f *priceFilter) days() catalog.Days {
	return catalog.Days{From: f.from.Ordinal(), To: f.to.LastOrdinal()}
}

func (f *priceFilter) keeps(p *catalog.Price) bool {
	return (len(f.kinds) == 0 || slices.Contains(f.kinds, p.Kind)) && f.keepsOffer(p)
}

// keepsOffer reports whether seller and region are among those kept, whatever the kind.
func (f *priceFilter) keepsOffer(p *catalog.Price) bool {
	return (len(f.sellers) == 0 || slices.Contains(f.sellers, p.Seller)) &&
		(len(f.regions) == 0 || slices.Contains(f.regions, p.Region))
}

// encode adds the filter to the parameters of an address.
func (f *priceFilter) encode() []string {
	var parts []string
	for _, p := range []struct {
		name   string
		values []string
	}{{"kind", namesOf(f.kinds)}, {"region", f.regions}, {"seller", f.sellers}} {
		if len(p.values) > 0 {
			parts = append(parts, p.name+"="+url.QueryEscape(strings.Join(p.values, ",")))
		}
	}
	return parts
}

func namesOf(kinds []catalog.PriceKind) []string {
	out := make([]string, len(kinds))
	for i, k := range kinds {
		out[i] = string(k)
	}
	return out
}

// tokens are what the values of a parameter list, parted by commas.
func tokens(given []string) []string {
	var out []string
	for _, v := range given {
		for part := range strings.SplitSeq(v, ",") {
			if part = strings.TrimSpace(part); part != "" && !slices.Contains(out, part) {
				out = append(out, part)
			}
		}
	}
	return out
}

// maxChosen bounds the values of a list that a filter takes.
const maxChosen = 64

// parsePriceFilter reads kind, seller and region. Sellers and regions are those of the catalogue; case does not count.
func parsePriceFilter(s *catalog.Snapshot, values url.Values, kinds []catalog.PriceKind) (f priceFilter,
	errs []catalog.ParamError) {
	counts := s.PriceStats()
	for _, p := range []struct {
		name  string
		known []string
		keep  func(string)
	}{
		{"kind", namesOf(kinds), func(v string) { f.kinds = append(f.kinds, catalog.PriceKind(v)) }},
		{"seller", counts.SellerNames(), func(v string) { f.sellers = append(f.sellers, v) }},
		{"region", counts.RegionNames(), func(v string) { f.regions = append(f.regions, v) }},
	} {
		asked := tokens(values[p.name])
		if len(asked) > maxChosen {
			errs = append(errs, catalog.ParamError{Param: p.name, Code: catalog.TooMany, Allowed: "≤ 64"})
			continue
		}
		var found []string
		for _, v := range asked {
			at := slices.IndexFunc(p.known, func(k string) bool { return strings.EqualFold(k, v) })
			if at < 0 {
				errs = append(errs, display.UnknownValue(p.name, v, p.known))
				continue
			}
			found = append(found, p.known[at])
		}
		slices.SortFunc(found, func(a, b string) int { return slices.Index(p.known, a) - slices.Index(p.known, b) })
		for _, v := range slices.Compact(found) {
			p.keep(v)
		}
	}
	return f, errs
}
