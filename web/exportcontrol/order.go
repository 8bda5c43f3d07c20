package exportcontrol

import (
	"slices"
	"strings"
	"sync"
)

// The countries in the order of their names, which a test holds against Unicode's collations: English by letters,
// Chinese by pinyin.
const (
	englishOrder = "AF AX AL DZ AS AD AO AI AQ AG AR AM AW AU AT AZ BS BH BD BB BY BE BZ BJ BM BT BO BA BW BV BR " +
		"IO VG BN BG BF BI KH CM CA CV BQ KY CF TD CL CN CX CC CO KM CG CD CK CR CI HR CU CW CY CZ DK DJ DM DO EC " +
		"EG SV GQ ER EE ET FK FO FJ FI FR GF PF TF GA GM GE DE GH GI GR GL GD GP GU GT GG GN GW GY HT HM HN " +
		"HK HU IS IN ID IR IQ IE IM IL IT JM JP JE JO KZ KE KI KW KG LA LV LB LS LR LY LI LT LU MO MK MG MW " +
		"MY MV ML MT MH MQ MR MU YT MX FM MD MC MN ME MS MA MZ MM NA NR NP NL NC NZ NI NE NG NU NF KP MP NO " +
		"OM PK PW PS PA PG PY PE PH PN PL PT PR QA RE RO RU RW WS SM ST SA SN RS SC SL SG SX SK SI SB SO ZA " +
		"GS KR SS ES LK BL SH KN LC MF PM VC SD SR SJ SZ SE CH SY TW TJ TZ TH TL TG TK TO TT TN TR TM TC TV " +
		"UM VI UG UA UA-43 UA-14 UA-09 AE GB US UY UZ VU VA VE VN WF EH YE ZM ZW"
	chineseOrder = "AL DZ AF AR AE AW OM AZ EG ET IE EE AD AO AI AG AT AX AU BB PG BS PK PY PS BH PA BR BY BM BG " +
		"MP BJ BE IS PR PL BA BO BZ BW BT BF BI BV KP GQ DK DE TL TG DO DM RU EC ER FR FO PF GF TF MF VA PH FJ FI " +
		"CV FK GM CG CD CO CR GD GL GE GG CU GP GU GY KZ HT KR NL BQ SX HM ME HN KI DJ KG GN GW CA GH GA KH " +
		"CZ ZW CM QA KY CC KM CI KW HR KE CK CW LV LS LA LB LT LR LY LI RE LU RW RO MG IM MV MT MW MY ML MK " +
		"MH MQ YT MU MR US UM AS VI MN MS BD PE FM MM MD MA MC MZ MX NA ZA AQ GS SS NR NI NP NE NG NU NO NF " +
		"PW PN PT JP SE CH SV WS RS SL SN CY SC SA BL CX ST SH KN LC SM PM VC LK SK SI SJ SZ SD SR SB SO TJ " +
		"TW TH TZ TO TC TT TN TV TR TM TK WF VU GT VE BN UG UA UA-14 UA-09 UA-43 UY UZ GR ES EH SG NC NZ HU " +
		"SY JM AM YE IQ IR IL IT IN ID GB VG IO JO VN ZM JE TD GI CL CF CN MO HK"
)

// countryRanks are the places of countries in the orders.
var countryRanks = sync.OnceValue(func() map[string]map[string]int {
	out := map[string]map[string]int{}
	for code, order := range map[string]string{"en": englishOrder, "zh": chineseOrder} {
		out[code] = map[string]int{}
		for i, country := range strings.Fields(order) {
			out[code][country] = i
		}
	}
	return out
})

// sortCountries sorts codes by the names of the countries in a language.
func sortCountries(codes []string, language string) {
	ranks := countryRanks()[language]
	slices.SortFunc(codes, func(x, y string) int { return ranks[x] - ranks[y] })
}
