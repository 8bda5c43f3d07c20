package locale

import (
	_ "embed"
	"encoding/csv"
	"maps"
	"slices"
	"strings"
	"sync"

	"golang.org/x/text/language"
)

// regionsCSV are the names of countries, territories and parts of the world by ISO 3166-1 and UN M49, as Unicode has
// them. They stand here because golang.org/x/text/language/display brings those of all languages.
//
//go:embed regions.csv
var regionsCSV string

var regionNames = sync.OnceValue(func() map[string][2]string {
	rows, err := csv.NewReader(strings.NewReader(regionsCSV)).ReadAll()
	if err != nil {
		panic("locale: regions.csv: " + err.Error())
	}
	out := map[string][2]string{}
	for _, row := range rows[1:] {
		out[row[0]] = [2]string{row[1], row[2]}
	}
	return out
})

// regions of Ukraine that have export rules of their own, by ISO 3166-2: English, Chinese.
var regions = map[string][2]string{
	"UA-09": {"Ukraine: occupied Luhansk region", "乌克兰：被占卢甘斯克地区"},
	"UA-14": {"Ukraine: occupied Donetsk region", "乌克兰：被占顿涅茨克地区"},
	"UA-43": {"Ukraine: Crimea", "乌克兰：克里米亚"},
}

// Region is the name of a country or territory by its ISO 3166-1 code, or of one of a few
// regions by its ISO 3166-2 code; a code without a name comes back as it is.
func (l *Locale) Region(code string) string {
	if names, ok := regions[code]; ok {
		return l.Pick(names[0], names[1])
	}
	region, err := language.ParseRegion(code)
	if err != nil {
		return code
	}
	if names, ok := regionNames()[region.String()]; ok {
		return l.Pick(names[0], names[1])
	}
	return code
}

// Country is a country or territory by its ISO 3166-1 code of two letters, with its names.
type Country struct{ Code, En, Zh string }

// Countries are those that have names, in the order of their codes.
func Countries() []Country {
	all := regionNames()
	var out []Country
	for _, code := range slices.Sorted(maps.Keys(all)) {
		if len(code) == 2 {
			out = append(out, Country{code, all[code][0], all[code][1]})
		}
	}
	return out
}
