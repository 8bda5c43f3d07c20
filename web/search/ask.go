package search

import (
	"cmp"
	_ "embed"
	"encoding/csv"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"tianti/catalog"
	"tianti/locale"
	"tianti/sizing"
	"tianti/sorting"
)

// wordsCSV says what words mean that ask for something besides a card: "vs", "price", "微调".
//
//go:embed words.csv
var wordsCSV string

// What a word of words.csv says.
const (
	sides    = "sides"    // cards on both sides are to be compared
	price    = "price"    // what a card costs
	export   = "export"   // whether it may be exported
	task     = "task"     // what a model is to do
	serve    = "serve"    // a model is to serve many
	least    = "least"    // a size is the least
	memory   = "memory"   // a size is one of memory
	domestic = "domestic" // designed in China
	weights  = "weights"  // the format of a model's weights
	count    = "count"    // how many cards
	engine   = "engine"   // the framework that generates
	trainer  = "trainer"  // the framework that trains
	home     = "home"     // at home: a computer that one buys
	aModel   = "model"    // the model of what is named by a program or a use: "ComfyUI"
	amount   = "amount"   // how many cards it takes is asked
	most     = "most"     // the card with the most of a figure
	figure   = "figure"   // the figure, by its id
	ladder   = "ladder"   // a tier chart
	onHost   = "live"     // what cards are doing now
	// destination: the country where the card is bought
	destination = "destination"
)

type word struct{ text, kind, means string }

// vocabulary is words.csv with the names of countries, by the first letter, the longest first.
var vocabulary = func() map[rune][]word {
	rows, err := csv.NewReader(strings.NewReader(wordsCSV)).ReadAll()
	if err != nil {
		panic("search: words.csv: " + err.Error())
	}
	words, known := map[rune][]word{}, map[string]bool{}
	add := func(w word) {
		if !known[w.text] {
			known[w.text] = true
			words[firstOf(w.text)] = append(words[firstOf(w.text)], w)
		}
	}
	for _, row := range rows[1:] {
		add(word{row[0], row[1], row[2]})
	}
	for _, c := range locale.Countries() {
		add(word{strings.ToLower(c.En), destination, c.Code})
		add(word{c.Zh, destination, c.Code})
	}
	for _, of := range words {
		sorting.Func(of, func(a, b word) int { return len(b.text) - len(a.text) })
	}
	return words
}()

// An ask is a search taken apart: what it says, and the names that stand between those words.
type ask struct {
	said   map[string]string // by kind: what the first such word means
	pieces []string
	counts []int       // of cards, as many as pieces; 0 where nothing is said
	count  int         // the first of them
	of     map[int]int // by card: how many of it
	alike  [][]int     // by place of a card: all that its name may mean, the likeliest first
	users  int         // who ask at once; 0 where nothing is said
	budget catalog.Money
}

// money is an amount: with a sign or a word for it, or in ten thousands, which are of yuan.
var money = regexp.MustCompile(`(?:us)?[$¥￥€£]\s*[0-9][0-9.,]*\s*[k万千]?|` +
	`[0-9][0-9.,]*\s*[k万千]?\s*(?:usd|dollars|美元|美金|cny|rmb|yuan|元|块钱|人民币|eur|euros|欧元|gbp|pounds|英镑|jpy|yen|日元)|` +
	`[1-9][0-9]{2,}\s*块|[0-9][0-9.]*\s*万|[一二两三四五六七八九十百千]+[千万][一二三四五六七八九]?(?:块钱|块|元)?`)

// takeBudget cuts the first amount of money out of a text.
func (a *ask) takeBudget(text string) string {
	m := money.FindStringIndex(text)
	if m == nil {
		return a.takeBareBudget(text)
	}
	v, currency, err := catalog.ReadAmount(strings.TrimSuffix(text[m[0]:m[1]], "块"))
	if err != nil || v <= 0 || v > 1e9 {
		return text
	}
	a.budget = catalog.Money{Micros: int64(v * 1e6), Currency: cmp.Or(currency, "CNY")}
	return text[:m[0]] + " " + text[m[1]:]
}

// bare is money without a sign: what is said before or behind it tells that it is a limit.
var bare = regexp.MustCompile(`\b(?:under|below|within|up to|at most|less than|budget|budget of|max)\s+` +
	`([0-9][0-9.,]*k?)\b|预算\s*([0-9][0-9.,]*k?)|([0-9][0-9.,]*k?)\s*(?:以内|以下|左右)`)

// leastBare is the least that a number without a sign is taken for money.
const leastBare = 100

// counts are what numbers count that are no money, at their beginning.
var counts = []string{"g", "t", "b", "w", "m", "人", "个", "张", "卡", "瓦", "x ", "users", "people", "card", "ms"}

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

var users = regexp.MustCompile(`([1-9][0-9]{0,5})\s*(?:concurrent |simultaneous )?` +
	`(?:users|people|requests|concurrent\b|[个名位]?(?:人|用户)|路?并发)`)

// parameters are those of a model: "32B".
var parameters = regexp.MustCompile(`(?i)[0-9] ?b\b`)

// counted is how many cards, before their name: "8x", "8 张".
var counted = regexp.MustCompile(`^([1-9][0-9]{0,2})\s*[x×*张块卡]\s*`)

// read takes a search apart. Words of words.csv are found in lower case, in Latin letters only as whole words.
func read(text string) ask {
	a := ask{said: map[string]string{}}
	text = strings.ToLower(catalog.Clip(text))
	text = a.takeBudget(text)
	take := func(pattern *regexp.Regexp) (n int) {
		if m := pattern.FindStringSubmatchIndex(text); m != nil {
			n, _ = strconv.Atoi(text[m[2]:m[3]])
			text = text[:m[0]] + " " + text[m[1]:]
		}
		return n
	}
	if a.users = take(users); a.users > 0 {
		a.said[serve] = ""
	}
	var piece strings.Builder
	many := 0 // of the cards that the next piece names
	cut := func() {
		if p := strings.Join(strings.Fields(piece.String()), " "); p != "" {
			a.pieces, a.counts = append(a.pieces, p), append(a.counts, many)
			many = 0
		}
		piece.Reset()
	}
	for at := 0; at < len(text); {
		if before, _ := utf8.DecodeLastRuneInString(text[:at]); !isWordRune(before) {
			if m := counted.FindStringSubmatch(text[at:]); m != nil {
				cut()
				many, _ = strconv.Atoi(m[1])
				a.count = cmp.Or(a.count, many)
				at += len(m[0])
				continue
			}
		}
		if strings.HasPrefix(text[at:], "，") || strings.ContainsRune(",、;；", firstOf(text[at:])) {
			a.said[sides] = ""
			cut()
			at += utf8.RuneLen(firstOf(text[at:]))
			continue
		}
		words := vocabulary[firstOf(text[at:])]
		i := slices.IndexFunc(words, func(w word) bool { return w.standsAt(text, at) })
		if i < 0 {
			r, n := utf8.DecodeRuneInString(text[at:])
			piece.WriteRune(r)
			at += n
			continue
		}
		w := words[i]
		cut()
		if _, before := a.said[w.kind]; !before {
			a.said[w.kind] = w.means
		}
		at += len(w.text)
	}
	cut()
	if n, err := strconv.Atoi(a.said[count]); err == nil && a.count == 0 {
		a.count = n
		for i := range a.counts {
			if a.counts[i] == 0 && (i == 0 || !a.says(sides)) { // of two sides it is the first
				a.counts[i] = n
			}
		}
	}
	if a.says(trainer) && !a.says(task) {
		a.said[task] = string(sizing.QLoRA)
	}
	return a
}

// framework is the one that was said for a task; empty where none was.
func (a *ask) framework(t sizing.Task) string {
	if t.Trains() {
		return a.said[trainer]
	}
	return a.said[engine]
}

// says reports whether a word of a kind was said.
func (a *ask) says(kind string) bool { _, ok := a.said[kind]; return ok }

func firstOf(s string) rune { r, _ := utf8.DecodeRuneInString(s); return r }

// standsAt reports whether a word begins at a place of a text. Words in Latin letters end where letters, digits and
// hyphens end; "vs" stands between numbers, too.
func (w word) standsAt(text string, at int) bool {
	if !strings.HasPrefix(text[at:], w.text) {
		return false
	}
	if first := firstOf(w.text); first > unicode.MaxASCII || !isWordRune(first) {
		return true
	}
	before, _ := utf8.DecodeLastRuneInString(text[:at])
	after := firstOf(text[at+len(w.text):])
	if w.text == "vs" && (unicode.IsDigit(before) || unicode.IsDigit(after)) {
		return !(before <= unicode.MaxASCII && unicode.IsLetter(before) || after <= unicode.MaxASCII &&
			unicode.IsLetter(after))
	}
	return !isWordRune(before) && !isWordRune(after)
}

func isWordRune(r rune) bool {
	return r <= unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("-_./", r))
}
