package locale

import (
	"golang.org/x/text/language"
	"golang.org/x/text/language/display"
)

var (
	englishRegions = display.English.Regions()
	chineseRegions = display.SimplifiedChinese.Regions()
)

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
	names := englishRegions
	if l == chinese {
		names = chineseRegions
	}
	if name := names.Name(region); name != "" {
		return name
	}
	return code
}
