package search

import (
	"regexp"
	"strconv"
	"strings"
	"tianti/catalog"
	"tianti/sizing"
	"unicode"
	"unicode/utf8"
)

// isCount reports whether a word is a number of cards.
func isCount(word string) bool {
	n, err := strconv.Atoi(word)
	return err == nil && n >= 1 && (n <= mostCards || isCluster(n))
}

// canName reports whether a piece is long enough to name something: a number of three digits, three letters, or two
// Chinese characters.
func canName(piece string) bool {
	if n, err := strconv.Atoi(piece); err == nil {
		return n >= 100 && piece[0] != '0'
	}
	if utf8.RuneCountInString(piece) < 2 {
		return false
	}
	return utf8.RuneCountInString(piece) > 2 || strings.ContainsFunc(piece, func(r rune) bool {
		return unicode.IsDigit(r) || r > unicode.MaxASCII
	})
}

// names are what a piece names as a whole, or else what its words do, one name behind the other.
func (f *finder) names(piece string) []named {
	whole, ok := f.name(piece)
	words := strings.Fields(piece)
	if len(words) > mostWords {
		words = nil
	}
	if several := f.divided(words); several != nil {
		// "h100 h200" is nearer to two cards than to the one with the chip GH100.
		if !ok || len(whole.rows) > 0 && whole.far >= farOf(several)+catalog.CostWithin {
			return several
		}
	}
	if ok {
		return []named{whole}
	}
	if family := f.ofFamily(piece); family != nil {
		return family
	}
	return f.ofSome(piece)
}

// mostOfSome is how many words of a piece are looked through for names, and longestName of how many a name is made.
const (
	mostOfSome  = 12
	longestName = 4
)

// ofSome are the names that stand among words that name nothing: models and their families, and cards as far as their
// names are unlike other words and numbers.
func (f *finder) ofSome(piece string) (out []named) {
	words := strings.Fields(parted(piece))
	words = words[:min(mostOfSome, len(words))]
	if len(words) < 2 {
		return nil
	}
	for from := 0; from < len(words); {
		next := from + 1
		for to := min(len(words), from+longestName); to > from; to-- {
			if n, ok := f.surely(strings.Join(words[from:to], " ")); ok {
				out, next = append(out, n), to
				break
			}
		}
		from = next
	}
	return out
}

// surely is what a text names that may as well be other words.
func (f *finder) surely(text string) (n named, ok bool) {
	if !canName(text) || gigabytes.MatchString(text) {
		return n, false
	}
	if !strings.ContainsFunc(text, unicode.IsDigit) {
		if len(text) > len("phi") && text[0] < utf8.RuneSelf && !strings.Contains(text, " ") {
			if family := f.ofFamily(text); family != nil {
				return family[0], true
			}
		}
		return n, false
	}
	if n, ok = f.name(text); !ok || len(n.models) > 0 {
		return n, ok
	}
	number, err := strconv.Atoi(text)
	return n, n.far < catalog.CostWithin && (err != nil || number > 1000 && number%100 != 0)
}

// parted is a text with spaces between Chinese characters and others.
func parted(text string) string {
	var b strings.Builder
	var last rune
	for _, r := range text {
		if last != 0 && unicode.Is(unicode.Han, r) != unicode.Is(unicode.Han, last) {
			b.WriteByte(' ')
		}
		b.WriteRune(r)
		last = r
	}
	return b.String()
}

// farOf is how far several names are from what was written.
func farOf(names []named) (far int) {
	for _, n := range names {
		far += n.far
	}
	return far
}

// divided are the names that words are made of, the longest first name that leaves names, unless shorter ones are
// nearer: in "4090 4090d llama 8b" there are two cards. Nil where words are not made of names.
func (f *finder) divided(words []string) []named {
	behind := make([][]named, len(words)+1) // what the words from there on are made of
	for from := len(words) - 1; from >= 0; from-- {
		for to := len(words); to > from; to-- {
			if to < len(words) && behind[to] == nil || from == 0 && to == len(words) {
				continue
			}
			text := strings.Join(words[from:to], " ")
			if to == from+1 && from > 0 && behind[from] == nil && (gigabytes.MatchString(text) || text == "server") {
				behind[from] = append([]named{}, behind[to]...) // "4090 48g", "h20 server": no other card is meant
				continue
			}
			if !canName(text) {
				continue
			}
			n, ok := f.name(text)
			if !ok && to == from+1 { // "qwen3-235b"
				if family := f.ofFamily(text); family != nil {
					n, ok = family[0], true
				}
			}
			if !ok {
				continue
			}
			these := append([]named{n}, behind[to]...)
			if best := behind[from]; best == nil || farOf(best) >= farOf(these)+catalog.CostWithin {
				behind[from] = these
			}
			if n.far < catalog.CostWithin {
				break
			}
		}
	}
	return behind[0]
}

// name is the model or the cards that a text names.
func (f *finder) name(text string) (named, bool) {
	if f.a != nil {
		m, _ := f.a.Models.FindModel(text)
		if m != nil && m.CompletedFrom != "" { // a size alone: "70B", but "910B" is a card
			if rows, far := f.s.Nearest(text, 1); len(rows) > 0 && far < catalog.CostWithin {
				m = nil
			}
		}
		if m != nil {
			n := named{models: []*sizing.Model{m}}
			if format := f.a.Formats.FormatInName(strings.ReplaceAll(text, " ", "-")); format != nil {
				n.weights = format.ID
			}
			return n, true
		}
	}
	if sized.MatchString(text) {
		if n, ok := f.ofSize(text); ok {
			return n, true
		}
	}
	for _, form := range []string{text, strings.TrimSuffix(text, "s")} { // "3090s"
		if rows, far := f.s.Nearest(form, pageLimit); len(rows) > 0 && len(rows) < f.s.Len() {
			return named{rows: rows, far: far}, true
		}
		if !strings.HasSuffix(text, "s") {
			break
		}
	}
	return named{}, false
}

// sized is the name of a family with a size: "llama 70b".
var sized = regexp.MustCompile(`^[a-z][a-z0-9.-]* [0-9.]+b$`)

// ofSize are the models that a family and a size name.
func (f *finder) ofSize(text string) (n named, ok bool) {
	if f.a == nil {
		return n, false
	}
	_, near := f.a.Models.FindModel(text)
	for _, id := range near {
		if m := f.a.Models.Find(id); m != nil && sizing.SameSize(text, m.Name) {
			n.models = append(n.models, m)
		}
	}
	return n, len(n.models) > 0
}

// ofFamily are the models of a family and a size, "llama 70b", or those of a family, "whisper", or some of a large one.
func (f *finder) ofFamily(text string) []named {
	n, ok := f.ofSize(text)
	if ok {
		return []named{n}
	}
	if f.a == nil {
		return nil
	}
	for i := range f.a.Models.All {
		if m := &f.a.Models.All[i]; isOfFamily(m, text) {
			n.models = append(n.models, m)
		}
	}
	if len(n.models) > mostModels {
		n.models = representative(n.models, text)
	}
	if len(n.models) == 0 {
		return nil
	}
	return []named{n}
}

// isOfFamily reports whether a text is the family of a model, or how its name begins.
func isOfFamily(m *sizing.Model, text string) bool {
	rest, begins := strings.CutPrefix(strings.ToLower(m.Name), strings.ReplaceAll(text, " ", "-"))
	return strings.EqualFold(m.Family, text) || begins && (rest == "" || strings.ContainsRune(" -.", firstOf(rest)))
}
