package exportcontrol

import (
	_ "embed"
	"encoding/csv"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

//go:embed groups.csv
var groupsCSV string

// groups are the members of the country groups of supplement 1 to part 740 of the Export
// Administration Regulations, with the days and documents of changes that are known. A
// member without a first day was one before the first day that can be asked for.
var groups = readGroups(groupsCSV)

// GroupsAsOf is the day on which the country groups, and the regulations, were read last.
const GroupsAsOf = "2026-09-24"

// GroupsAddress is where.
const GroupsAddress = "https://www.ecfr.gov/current/title-15/subtitle-B/chapter-VII/subchapter-C/part-740"

// A Member is a country that belongs to something, from its first day to its last
// (both included; empty is open).
type Member struct {
	Country, From, To string
	Document, Address string    // that made it one, or that it was read in
	Certainty         Certainty // how the document was read
}

// readGroups reads the embedded table; it panics on a malformed one, which no build that
// passed its tests has.
func readGroups(text string) map[string][]Member {
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		panic(fmt.Sprintf("exportcontrol: embedded country groups: %v", err))
	}
	out := map[string][]Member{}
	for _, r := range rows[1:] {
		out[r[0]] = append(out[r[0]], Member{r[1], r[2], r[3], r[4], r[5], Certainty(r[6])})
	}
	return out
}

func (m Member) on(day string) bool {
	return (m.From == "" || m.From <= day) && (m.To == "" || day <= m.To)
}

func belongs(list []Member, country, day string) bool {
	return slices.ContainsFunc(list, func(m Member) bool { return m.Country == country && m.on(day) })
}

// A Membership is a country group that a country is in.
type Membership struct {
	Group string
	Member
}

// GroupsOf lists the country groups that a country is in on a day.
func GroupsOf(country, day string) []Membership {
	var out []Membership
	for _, g := range slices.Sorted(maps.Keys(groups)) {
		for _, m := range groups[g] {
			if m.Country == under(country) && m.on(day) {
				out = append(out, Membership{g, m})
			}
		}
	}
	return out
}

// under is the country whose rules hold in a place: China's in Hong Kong.
func under(country string) string {
	if country == "HK" {
		return "CN"
	}
	return country
}

// Restricted reports whether a rule may count a country as a destination: it is in
// D:1, D:4 or D:5, or is Macau, on that day.
func Restricted(country, day string) bool {
	return country == "MO" || slices.ContainsFunc([]string{"D:1", "D:4", "D:5"}, func(g string) bool {
		return belongs(groups[g], under(country), day)
	})
}

// Embargoed reports whether a country is in D:5 or is Macau on a day: those are the
// destinations and headquarters to which the strictest terms apply.
func Embargoed(country, day string) bool {
	return country == "MO" || belongs(groups["D:5"], under(country), day)
}

// countries are the codes of ISO 3166-1, and those of ISO 3166-2 of three regions of Ukraine
// that have an embargo of their own.
var countries = strings.Fields(`
	AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ
	CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR
	GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP
	KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT
	MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW
	SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ
	UA UA-09 UA-14 UA-43 UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW`)

// Countries returns the codes that a destination or a headquarters may have. The
// caller must not change it.
func Countries() []string { return countries }

// ParseCountry reads a code of ISO 3166-1 in any case.
func ParseCountry(s string) (string, error) {
	code := strings.ToUpper(strings.TrimSpace(s))
	if strings.ContainsFunc(s, func(r rune) bool { return r > 'z' }) || !slices.Contains(countries, code) {
		return "", fmt.Errorf("%q is not a country: want a two-letter code of ISO 3166-1, such as CN", s)
	}
	return code, nil
}

// FirstDay is the first day that can be asked for.
const FirstDay = "2022-01-01"

// LastDay is the last: a year from today. Rules are known as they were read, and what is
// announced seldom lies further ahead.
func LastDay(today string) string {
	t, err := time.Parse(time.DateOnly, today)
	if err != nil {
		return today
	}
	return t.AddDate(1, 0, 0).Format(time.DateOnly)
}

// ParseDay reads a day that exists, from FirstDay on.
func ParseDay(s string) (string, error) {
	if _, err := time.Parse(time.DateOnly, s); err != nil || s < FirstDay {
		return "", fmt.Errorf("%q is not a day: want YYYY-MM-DD from %s on", s, FirstDay)
	}
	return s, nil
}

// A Scope says for whom a rule holds.
type Scope struct {
	Everywhere   bool
	Abroad       bool     // with Everywhere: but not in the United States, where nothing is exported
	Groups       []string // country groups in scope …
	Except       []string // … unless the country is in one of these
	Countries    []Member // and these countries
	Headquarters bool     // and anybody, anywhere, whose headquarters or parent is in D:5 or Macau
}

// Ground says why a question is in a rule's scope.
type Ground string

const (
	OutOfScope     Ground = ""
	ByEverywhere   Ground = "everywhere"
	ByDestination  Ground = "destination"
	ByHeadquarters Ground = "headquarters"
	ByGroup        Ground = "group"
)

// covers says whether and why a question is in scope, and by which group.
func (s Scope) covers(q Question) (ground Ground, group string) {
	if s.Everywhere && !(s.Abroad && q.Destination == "US") {
		return ByEverywhere, ""
	}
	place := under(q.Destination)
	if belongs(s.Countries, place, q.AsOf) {
		return ByDestination, ""
	}
	excepted := slices.ContainsFunc(s.Except, func(g string) bool { return belongs(groups[g], place, q.AsOf) })
	for _, g := range s.Groups {
		if !excepted && belongs(groups[g], place, q.AsOf) {
			return ByGroup, g
		}
	}
	if s.Headquarters && q.Headquarters != "" && Embargoed(q.Headquarters, q.AsOf) {
		return ByHeadquarters, ""
	}
	return OutOfScope, ""
}
