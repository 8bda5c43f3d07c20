package locale

import (
	"golang.org/x/text/language"
	"golang.org/x/text/language/display"
)

var (
	englishRegions = display.English.Regions()
	chineseRegions = display.SimplifiedChinese.Regions()
)

// Region is the name of a country or territory by its ISO 3166-1 code; a code
// without a name comes back as it is.
func (l *Locale) Region(code string) string {
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
