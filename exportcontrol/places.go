package exportcontrol

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Country groups of supplement 1 to part 740 of the Export Administration
// Regulations, as the eCFR had them on 2026-09-24, with the changes since August
// 2022 that are known: the United Arab Emirates left D:4 for A:5 on 2026-07-10.
// Of A:5 only the members that some rule's other groups also hold are listed.
var groups = map[string][]Member{
	"D:1": members("AM AZ BY MM KH CN GE IQ KZ KP KG LA LY MO MD MN NI RU TJ TM UZ VE VN YE"),
	"D:4": append(members("BH BY CN EG IR IQ IL JO KP KW LB LY MO OM PK QA RU SA SY VE YE"),
		Member{"AE", "", "2026-07-09"}),
	"D:5": members("AF BY MM CF CN CD CU ER HT IR IQ KP LB LY NI RU SO SS SD SY VE ZW"),
	"A:5": append(members("IN"), Member{"AE", "2026-07-10", ""}),
	"A:6": members("AL CY IL MT MX ZA SG TW"),
}

// GroupsAsOf is the day on which the country groups were read.
const GroupsAsOf = "2026-09-24"

// GroupsAddress is where.
const GroupsAddress = "https://www.ecfr.gov/current/title-15/subtitle-B/chapter-VII/subchapter-C/part-740"

// A Member is a country that belongs to something, from its first day to its last
// (both included; empty is open).
type Member struct{ Country, From, To string }

func members(codes string) []Member {
	var out []Member
	for _, c := range strings.Fields(codes) {
		out = append(out, Member{Country: c})
	}
	return out
}

func (m Member) on(day string) bool {
	return (m.From == "" || m.From <= day) && (m.To == "" || day <= m.To)
}

func belongs(list []Member, country, day string) bool {
	return slices.ContainsFunc(list, func(m Member) bool { return m.Country == country && m.on(day) })
}

// GroupsOf lists the country groups that a country is in on a day.
func GroupsOf(country, day string) []string {
	var out []string
	for _, g := range []string{"A:5", "A:6", "D:1", "D:4", "D:5"} {
		if belongs(groups[g], under(country), day) {
			out = append(out, g)
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

// countries are the codes of ISO 3166-1.
var countries = strings.Fields(`
	AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ
	CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR
	GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP
	KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT
	MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW
	SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ
	UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW`)

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

// FirstDay and LastDay bound the days that can be asked for.
const (
	FirstDay = "2022-01-01"
	LastDay  = "2035-12-31"
)

// ParseDay reads a day that exists, between FirstDay and LastDay.
func ParseDay(s string) (string, error) {
	if _, err := time.Parse(time.DateOnly, s); err != nil || s < FirstDay || s > LastDay {
		return "", fmt.Errorf("%q is not a day: want YYYY-MM-DD from %s to %s", s, FirstDay, LastDay)
	}
	return s, nil
}

// A Scope says for whom a rule holds.
type Scope struct {
	Everywhere   bool
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
	if s.Everywhere {
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
