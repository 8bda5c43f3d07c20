package search

import (
	"cmp"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"tianti/catalog"
	"tianti/sizing"
)

// money is an amount: with a sign or a word for it, or in ten thousands, which are of yuan.
var money = regexp.MustCompile(`(?:us)?[$¥￥€£]\s*[0-9](?:[0-9.,]*[0-9])?\s*[k万千]?|` +
	`[0-9](?:[0-9.,]*[0-9])?\s*[k万千]?\s*` +
	`(?:usd|dollars|美元|美金|cny|rmb|yuan|元|块钱|人民币|eur|euros|欧元|gbp|pounds|英镑|jpy|yen|日元)|` +
	`[1-9][0-9]{2,}\s*块|[0-9][0-9.]*\s*万|[一二两三四五六七八九十百千]+[千万][一二三四五六七八九]?(?:块钱|块|元)?`)

// others are words and signs of currencies that no rate is kept of, by their codes.
var others = []struct{ code, words string }{
	{"RUB", `rubles?|roubles?|rub|руб(?:лей|ля|\.)?|₽|卢布`}, {"INR", `rupees?|inr|₹|卢比`}, {"KRW", `krw|₩|韩元|韩币`},
	{"HKD", `hkd|hk\$|港币|港元`}, {"TWD", `twd|ntd|nt\$|新台币|台币`}, {"AUD", `aud|au\$|a\$|澳元`},
	{"CAD", `cad|ca\$|c\$|加元`}, {"SGD", `sgd|s\$|新加坡元|新币`}, {"CHF", `chf|francs?|瑞士法郎|瑞郎`},
	{"BRL", `brl|r\$|雷亚尔`}, {"TRY", `lira|₺|里拉`}, {"AED", `aed|dirhams?|迪拉姆`}, {"SAR", `sar|riyals?|里亚尔`},
	{"IRR", `irr|rials?|tomans?|土曼`}, {"PLN", `pln|zloty|zł|兹罗提`}, {"SEK", `sek|kronor`}, {"NOK", `nok|kroner`},
	{"DKK", `dkk`}, {"CZK", `czk|koruna|kč`}, {"THB", `thb|baht|฿|泰铢`}, {"VND", `vnd|₫|越南盾`}, {"IDR", `idr|rupiah|印尼盾`},
	{"MYR", `myr|ringgit|马币|林吉特`}, {"PHP", `php|₱`}, {"MXN", `mxn|mex\$|pesos?`}, {"ZAR", `zar`},
	{"UAH", `uah|hryvnias?|₴`},
	{"ILS", `ils|shekels?|₪|谢克尔`},
}

// unknownMoney is an amount in each of them, its sign or word before the number or behind it.
var unknownMoney = func() []*regexp.Regexp {
	const number = `[0-9]+(?:[., ][0-9]{3})*(?:\.[0-9]+)?`
	var out []*regexp.Regexp
	for _, of := range others {
		words, amount := `(?:`+of.words+`)`, `(`+number+`)\s*([k万千亿]|million\b)?`
		out = append(out, regexp.MustCompile(`(?:^|[^a-z])(?:`+words+`\s*`+amount+`|`+
			amount+`\s*`+words+`(?:$|[^a-z]))`))
	}
	return out
}()

// anyOther finds whether a text has one of them at all.
var anyOther = func() *regexp.Regexp {
	var words []string
	for _, of := range others {
		words = append(words, of.words)
	}
	return regexp.MustCompile(strings.Join(words, "|"))
}()

// takeBudget cuts the first amount of money out of a text: one of a currency that there is no rate of first.
func (a *ask) takeBudget(text string) string {
	for i, of := range unknownMoney {
		if i == 0 && !anyOther.MatchString(text) {
			break
		}
		m := of.FindStringSubmatchIndex(text)
		if m == nil {
			continue
		}
		group := func(n int) string {
			if m[n] < 0 {
				return ""
			}
			return text[m[n]:m[n+1]]
		}
		factor := cmp.Or(group(4), group(8))
		v, _, err := catalog.ReadAmount(strings.TrimSpace(cmp.Or(group(2), group(6))) +
			strings.Replace(factor, "million", "m", 1))
		if err != nil || v <= 0 || v > 1e12 {
			continue
		}
		a.unknown, a.unknownCode = v, others[i].code
		return text[:m[0]] + " " + text[m[1]:]
	}
	for from := 0; from < len(text); {
		m := money.FindStringIndex(text[from:])
		if m == nil {
			break
		}
		start, end := from+m[0], from+m[1]
		from = end
		v, currency, err := catalog.ReadAmount(strings.TrimSuffix(text[start:end], "块"))
		if err != nil || v <= 0 || v > 1e9 || currency == "" && countsOther(text[end:]) {
			continue
		}
		a.budget = catalog.Money{Micros: int64(v * 1e6), Currency: cmp.Or(currency, "CNY")}
		return text[:start] + " " + text[end:]
	}
	return text
}

// behindMoney are the characters that may follow a number of yuan directly: "两万以内", "一万的卡".
const behindMoney = "以之内左上的预买元块，。、？！"

// countsOther reports whether what stands behind a number in ten thousands says that it counts something else than
// yuan: "一千万篇文档", "10 万 token".
func countsOther(rest string) bool {
	if next := firstOf(rest); unicode.Is(unicode.Han, next) {
		return !strings.ContainsRune(behindMoney, next)
	}
	rest = strings.TrimLeft(rest, " ")
	return slices.ContainsFunc(counts, func(unit string) bool { return strings.HasPrefix(rest, unit) })
}

// bare is money without a sign: what is said before or behind it tells that it is a limit.
var bare = regexp.MustCompile(`\b(?:under|below|within|up to|at most|less than|budget|budget of|max)\s+` +
	`([0-9](?:[0-9.,]*[0-9])?k?)\b|预算\s*([0-9](?:[0-9.,]*[0-9])?k?)|([0-9](?:[0-9.,]*[0-9])?k?)\s*(?:以内|以下|左右)`)

// leastBare is the least that a number without a sign is taken for money.
const leastBare = 100

// counts are what numbers count that are no money, at their beginning.
var counts = []string{"g", "t", "b", "w", "m", "人", "个", "张", "卡", "瓦", "x ", "users", "people", "card", "ms", "篇",
	"条", "次", "页", "字", "句", "并发", "用户", "亿", "参数", "小时", "天", "hours", "days", "documents", "pages", "requests",
	"images", "servers", "nodes", "rented", "concurrent", "parameters"}

// takeBareBudget cuts out the first limit that names no currency: who writes Chinese pays in yuan, others in dollars.
func (a *ask) takeBareBudget(text string) string {
	m := bare.FindStringSubmatchIndex(text)
	if m == nil {
		return text
	}
	for at := 2; at < len(m); at += 2 {
		if m[at] < 0 {
			continue
		}
		rest := strings.TrimLeft(text[m[at+1]:], " ")
		v, _, err := catalog.ReadAmount(text[m[at]:m[at+1]])
		if err != nil || v < leastBare || v > 1e9 ||
			slices.ContainsFunc(counts, func(unit string) bool { return strings.HasPrefix(rest, unit) }) {
			return text
		}
		currency := "USD"
		if strings.ContainsFunc(text, func(r rune) bool { return unicode.Is(unicode.Han, r) }) {
			currency = "CNY"
		}
		a.budget = catalog.Money{Micros: int64(v * 1e6), Currency: currency}
		return text[:m[0]] + " " + text[m[1]:]
	}
	return text
}

var users = regexp.MustCompile(`([1-9][0-9]{0,5}(?:\s*[万千k])?|[1-9][0-9]{0,2},[0-9]{3})\s*` +
	`(?:concurrent |simultaneous )?(?:users|people|requests|concurrent\b|[个名位]?(?:人|用户)|路?并发)`)

const some = `([0-9]+(?:[.,][0-9]+)*(?:e[0-9]{1,2})?)\s*`

// Numbers with what they count, each with the number as its first group that is not empty.
var (
	contextLength = regexp.MustCompile(some + `(k?|万)[ -]*(?:个)?(?:tokens?\s*)?(?:of )?(?:context\b|ctx\b|上下文|长度)|` +
		`(?:\bcontext|\bctx|\bsequences?|上下文|序列|长度)(?: length| window|长度)?\s*(?:of|is|为|是|[:：])?\s*` +
		some + `(k?)\b|` +
		`\bat ` + some + `(k?) tokens\b`)
	tokensOfJob = regexp.MustCompile(some + `(billion|million|trillion|万亿|百万|十亿|[bmt万亿]|)\s*(?:个|of )?\s*` +
		`(?:training )?tokens?(/| per |\s*每)?`)
	hoursOfJob = regexp.MustCompile(`(?:within|in|under|at most|less than)\s+(an?|one|two|three|` + some +
		`)\s*(hours?|days?|weeks?)\b|([0-9]+|[一两二三四五六七八十])\s*(小时|天|周)\s*(?:之内|以内|内)`)
	// a width and a height, or the lines of a clip; names of cards are above 2,048, but for the RTX 2060
	resolution = regexp.MustCompile(`\b([1-9][0-9]{2,3})\s*[x×*]\s*([1-9][0-9]{2,3})\b`)
	lines      = regexp.MustCompile(`\b(480|720|1080)p\b`)
	frames     = regexp.MustCompile(`\b([1-9][0-9]{0,3})[ -]*(?:frames?\b|帧)`)
	steps      = regexp.MustCompile(`\b([1-9][0-9]{0,2})[ -]*(?:(?:denoising |sampling |inference )?steps?\b|步)`)

	watts = regexp.MustCompile(`(?:<=?|≤)?\s*\b([1-9][0-9]{1,3})\s*(?:w\b|watts?\b|瓦)`)
	plug  = regexp.MustCompile(`(?:no|without|without an?|without any|needs no) ` +
		`(?:(?:external|extra|additional|pcie) )?power(?: (?:plug|connector|cable)s?)?\b|(?:slot|bus)[- ]powered|` +
		`免供电|免外接供电|(?:无需|不用|不需要|不要|无)(?:外接|额外|独立)?(?:供电|电源)`)
	lowProfile = regexp.MustCompile(`\blow[- ]profile\b|\bhalf[- ]height\b|半高|刀卡`)
	slots      = regexp.MustCompile(`\b(single|one|1|dual|double|two|2)[- ]slots?\b|([单一双两])槽(?:位)?`)
	cardCount  = regexp.MustCompile(`(?:^|[^0-9a-z._/-])(` + countWord + `)(?:\s*|-)` +
		`(?:(?:rented|rental|cloud|used|single|workstation|desktop|server|datacenter|identical)[ -])*` +
		`(?:cards?|gpus?|npus?|tpus?|accelerators?)\b`)
	onACard   = regexp.MustCompile(`\bon an? (?:rented |single |workstation |desktop )?(?:card|gpu)\b`)
	aServerOf = regexp.MustCompile(`\b(?:one|single|an?|1) (?:[a-z0-9-]+ )?server\b|单机|单台服务器|一台服务器`)
)

// sizeOf are the sizes of clips, by how many lines they have.
var sizeOf = map[string]string{"480": "832x480", "720": "1280x720", "1080": "1920x1080"}

const countWord = `[1-9][0-9]{0,4}|one|two|three|four|six|eight|sixteen|single|dual|quad`

// numerals are small numbers in words.
var numerals = map[string]int{"a": 1, "an": 1, "one": 1, "single": 1, "two": 2, "dual": 2, "double": 2, "three": 3,
	"four": 4, "quad": 4, "six": 6, "eight": 8, "sixteen": 16, "一": 1, "单": 1, "二": 2, "两": 2, "双": 2, "三": 3,
	"四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9, "十": 10}

// slotWatts is what a slot of a PC gives a card, which needs no plug up to that (PCI Express Card Electromechanical
// Specification).
const slotWatts = 75

func numeral(word string) int {
	if n, ok := numerals[word]; ok {
		return n
	}
	n, _ := strconv.Atoi(word)
	return n
}

// takeNumbers cuts numbers out of a text that count something else than money: tokens, hours, watts, slots, cards.
func (a *ask) takeNumbers(text string) string {
	// groups are those of a match that are not empty; use says whether it is used, and cut out.
	cut := func(pattern *regexp.Regexp, use func(groups []string) bool) {
		m := pattern.FindStringSubmatchIndex(text)
		if m == nil {
			return
		}
		var groups []string
		for at := 2; at < len(m); at += 2 {
			if m[at] >= 0 {
				groups = append(groups, text[m[at]:m[at+1]])
			}
		}
		if use(groups) {
			text = text[:m[0]] + " " + text[m[1]:]
		}
	}
	a.media = url.Values{}
	cut(resolution, func(g []string) bool {
		w, h := numeral(g[0]), numeral(g[1])
		if least, most := min(w, h), max(w, h); least < 256 || most > 2048 {
			return false
		}
		a.media.Set("resolution", g[0]+"x"+g[1])
		return true
	})
	cut(lines, func(g []string) bool { a.media.Set("resolution", sizeOf[g[0]]); return true })
	cut(frames, func(g []string) bool { a.media.Set("frames", g[0]); return true })
	cut(steps, func(g []string) bool { a.media.Set("steps", g[0]); return true })
	cut(contextLength, func(g []string) bool {
		v, err := catalog.ReadTokens(g[0] + g[1])
		if err == nil && v >= 128 && v <= 1e8 {
			a.context = int(v)
		}
		return a.context > 0
	})
	cut(tokensOfJob, func(g []string) bool {
		v, err := catalog.ReadNumber(g[0])
		v *= map[string]float64{"billion": 1e9, "b": 1e9, "十亿": 1e9, "million": 1e6, "m": 1e6, "百万": 1e6, "t": 1e12,
			"trillion": 1e12, "万亿": 1e12, "万": 1e4, "亿": 1e8, "": 1}[g[1]]
		if err == nil && v >= 1e5 && v <= 1e18 && len(g) == 2 {
			a.tokens = v
		}
		return a.tokens > 0
	})
	if a.tokens > 0 {
		cut(hoursOfJob, func(g []string) bool {
			n := float64(numeral(g[0]))
			if n == 0 {
				n, _ = catalog.ReadNumber(g[0])
			}
			unit := g[len(g)-1]
			a.hours = n * map[bool]float64{true: 24, false: 1}[strings.HasPrefix(unit, "day") || unit == "天"]
			if strings.HasPrefix(unit, "week") || unit == "周" {
				a.hours *= 7 * 24
			}
			return a.hours > 0
		})
	}
	cut(watts, func(g []string) bool { a.watts = numeral(g[0]); return true })
	for _, pattern := range []*regexp.Regexp{plug, lowProfile} {
		cut(pattern, func([]string) bool {
			a.low = a.low || pattern == lowProfile
			if a.watts == 0 || a.watts > slotWatts {
				a.watts = slotWatts
			}
			return true
		})
	}
	cut(slots, func(g []string) bool { a.slots = numeral(g[0]); return true })
	if m := cardCount.FindStringSubmatchIndex(text); m != nil {
		if n := numeral(text[m[2]:m[3]]); isFleet(n) {
			a.count = n
			text = text[:m[2]] + " " + strings.TrimPrefix(text[m[3]:], "-")
		}
	} else if onACard.MatchString(text) {
		a.count = 1
	}
	a.server = aServerOf.MatchString(text)
	return text
}

// isFleet reports whether a number before "cards" may be how many there are: in "3090 GPU" it is a name.
func isFleet(n int) bool {
	return n >= 1 && n <= 64 || isCluster(n) || n <= mostCounted && (n == 72 || n == 96 || n >= 400 && n%100 == 0)
}

// isCluster reports whether a number is a power of two, as clusters have so many cards, and no card is called so.
func isCluster(n int) bool { return n >= 1 && n <= sizing.MaxCards && n&(n-1) == 0 }

// mostCounted is the most cards that a number of another kind counts: above it are names of cards.
const mostCounted = 1024

// counted is how many cards, before their name: "8x", "8 张", "两张".
var counted = regexp.MustCompile(`^(?:([1-9][0-9]{0,4})\s*[x×*张块卡]|([一两二三四五六七八十])[张块卡]|(千|万)卡)\s*`)

// countedAt is the number of cards that stands at the beginning of a text, and how long it is.
func countedAt(text string) (n, length int) {
	m := counted.FindStringSubmatch(text)
	switch {
	case m == nil:
		return 0, 0
	case m[3] != "":
		return map[string]int{"千": 1000, "万": 10_000}[m[3]], len(m[0])
	case m[2] != "":
		return numeral(m[2]), len(m[0])
	}
	if n, _ = strconv.Atoi(m[1]); n > mostCounted && !isCluster(n) {
		return 0, 0
	}
	return n, len(m[0])
}

// endsWord reports whether what stands before a place of a text is no part of a word in Latin letters.
func endsWord(text string) bool {
	before, _ := utf8.DecodeLastRuneInString(text)
	return !isWordRune(before)
}
