package search

import (
	"cmp"
	_ "embed"
	"encoding/csv"
	"net/url"
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
	work        = "work"    // what a model is to do, where no word says how: "train"
	instead     = "instead" // a kind of job that is not estimated, and what is nearest to it
	without     = "without" // not from the vendor who is named next
	vendor      = "vendor"  // of cards; see [limits]
	segment     = "segment" // of cards; see [limits]
	machine     = "machine" // segments of cards that such a machine holds
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
		if row[1] == vendor || row[1] == segment { // names of cards may have these words
			limitWords[row[0]] = word{row[0], row[1], row[2]}
			continue
		}
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
	tasks  []string          // all that are said
	pieces []string
	counts []int       // of cards, as many as pieces; 0 where nothing is said
	not    []bool      // as many as pieces: it is not to be that vendor
	count  int         // the first of them, or how many cards there may be
	of     map[int]int // by card: how many of it
	alike  [][]int     // by place of a card: all that its name may mean, the likeliest first
	users  int         // who ask at once; 0 where nothing is said
	media  url.Values  // of images and clips: resolution, frames, steps
	budget catalog.Money

	unknown     float64 // money of a currency that there is no rate of
	unknownCode string

	context       int     // tokens
	tokens, hours float64 // of the whole job
	server        bool    // of one server
	format        string  // of numbers, as it was written: "fp8"
	cheapest      bool
	forWork       bool // what is done for the money counts, not what it costs to begin
	against       bool // cards are compared by a word, not by a comma
	limits
}

// parameters are those of a model: "32B".
var parameters = regexp.MustCompile(`(?i)[0-9] ?b\b`)

// marks are signs that part words and say nothing.
var marks = strings.NewReplacer("(", " ", ")", " ", "（", " ", "）", " ", "：", " ", ": ", " ", "!", " ", "！", " ",
	"。", " ", "“", " ", "”", " ", "\"", " ")

// read takes a search apart. Words of words.csv are found in lower case, in Latin letters only as whole words.
func read(text string) ask {
	a := ask{said: map[string]string{}}
	text = strings.ToLower(catalog.Clip(text))
	text = a.takeBudget(text)
	if m := users.FindStringSubmatchIndex(text); m != nil {
		if n, err := catalog.ReadNumber(text[m[2]:m[3]]); err == nil && n >= 1 && n <= 1e6 {
			a.users = int(n)
		}
		a.said[serve] = ""
		text = text[:m[0]] + " " + text[m[1]:]
	}
	text = a.takeNumbers(text)
	if a.budget.IsZero() && a.unknown == 0 {
		text = a.takeBareBudget(text)
	}
	a.words(marks.Replace(text))
	if n, err := strconv.Atoi(a.said[count]); err == nil && a.count == 0 {
		a.count = n
		for i := range a.counts {
			if a.counts[i] == 0 && (i == 0 || !a.says(sides)) { // of two sides it is the first
				a.counts[i] = n
			}
		}
	}
	a.settleTask()
	return a
}

// words finds the words of a text that say something, and the pieces between them.
func (a *ask) words(text string) {
	var piece strings.Builder
	many, not := 0, false // of the cards that the next piece names
	cut := func() {
		if p := strings.Trim(strings.Join(strings.Fields(piece.String()), " "), ": "); p != "" {
			a.pieces, a.counts, a.not = append(a.pieces, p), append(a.counts, many), append(a.not, not)
			many, not = 0, false
		}
		piece.Reset()
	}
	for at := 0; at < len(text); {
		if endsWord(text[:at]) {
			if n, length := countedAt(text[at:]); n > 0 {
				cut()
				many = n
				a.count = cmp.Or(a.count, many)
				at += length
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
		cut()
		a.say(words[i])
		not = words[i].kind == without || not && words[i].kind == nothing
		at += len(words[i].text)
	}
	cut()
}

// nothing is the kind of words that say nothing.
const nothing = "nothing"

// say keeps what a word means.
func (a *ask) say(w word) {
	switch {
	case w.kind == task:
		a.tasks = append(a.tasks, w.means)
	case w.kind == price && (w.means == "least" || w.means == "work"):
		a.cheapest, a.forWork, w.means = true, w.means == "work", ""
	case w.kind == sides:
		a.against = true
	case w.kind == weights && precisions[w.text] != "":
		a.format = w.text
	case w.kind == machine:
		a.add(w)
	case w.kind == instead:
		a.tasks = append(a.tasks, notEstimated[w.means]...)
	}
	if _, before := a.said[w.kind]; !before {
		a.said[w.kind] = w.means
	}
}

// notEstimated are kinds of jobs that are not estimated, each with the task that is nearest to it.
var notEstimated = map[string][]string{"ppo": {string(sizing.GRPO)}, "pairs": {string(sizing.DPO)}}

// notAtAll is a kind of job to which no task is near.
const notAtAll = "none"

// settleTask chooses among the tasks that are said: what policies are trained by before how they are, adapters before
// a word that says no more than that something is trained.
func (a *ask) settleTask() {
	at := func(tasks ...string) int {
		return slices.IndexFunc(a.tasks, func(t string) bool { return slices.Contains(tasks, t) })
	}
	adapters := []string{string(sizing.LoRA), string(sizing.QLoRA)}
	if i := at(string(sizing.GRPO), string(sizing.DPO)); i >= 0 {
		a.said[task] = a.tasks[i]
		if j := at(adapters...); j >= 0 {
			a.said[tuning] = a.tasks[j]
		}
	} else if i := at(string(sizing.GaLore), string(sizing.Pretrain)); i >= 0 {
		a.said[task] = a.tasks[i]
	} else if len(a.tasks) > 0 {
		a.said[task] = a.tasks[0]
	} else if a.says(work) && !(a.says(trainer) && a.said[work] == string(sizing.Inference)) {
		a.said[task] = a.said[work]
	} else if a.says(trainer) {
		a.said[task] = string(sizing.QLoRA)
	}
	delete(a.said, work)
	if sizing.Task(a.said[task]).Trains() && a.says(task) { // formats of files are of inference
		if four := slices.Contains([]string{fourBits, "int4", "nf4"}, a.said[weights]); four {
			for kind, what := range map[string]string{task: a.said[task], tuning: a.said[tuning]} {
				if what == string(sizing.LoRA) {
					a.said[kind] = string(sizing.QLoRA)
				}
			}
		}
		delete(a.said, weights)
	}
}

// tuning is how the policy is trained in learning from preferences.
const tuning = "tuning"

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
	if after == '.' && strings.TrimLeft(text[at+len(w.text):], ".") == "" { // the end of a sentence
		after = ' '
	}
	return !isWordRune(before) && !isWordRune(after)
}

func isWordRune(r rune) bool {
	return r <= unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("-_./", r))
}
