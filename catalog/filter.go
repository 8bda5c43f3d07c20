package catalog

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

func (p *parser) filter(q *Quantity, expr string) {
	if len(expr) > maxExpression {
		p.fail(ParamError{Param: q.ID, Value: expr, Code: TooLong, Allowed: strconv.Itoa(maxExpression)})
		return
	}
	parts := strings.Split(expr, ",")
	if q.Numeric() {
		parts = q.listed(expr)
	}
	if len(parts) > maxTerms {
		p.fail(ParamError{Param: q.ID, Value: expr, Code: TooMany, Allowed: strconv.Itoa(maxTerms)})
		return
	}
	f := Filter{Quantity: q}
	for _, part := range parts {
		if t, ok := p.term(q, strings.TrimSpace(part)); !ok {
			return
		} else if !slices.ContainsFunc(f.Terms, func(o Term) bool { return o.Text == t.Text && o.Not == t.Not }) {
			f.Terms = append(f.Terms, t)
		}
	}
	p.q.Filters = append(p.q.Filters, f)
}

// listed parts a list of numbers at commas, also wide ones, enumeration commas and semicolons. A
// comma before three digits of which the first is zero stands within a number, "20,000", as a list
// would not have it; so do all that can where the list cannot be read: "1,500..2,500", "$1,500".
// "128,256" stays a list.
func (q *Quantity) listed(expr string) []string {
	expr = strings.NewReplacer("，", ",", "、", ";", "；", ";").Replace(expr)
	parts := strings.FieldsFunc(q.inThousands(expr, groupOfZero), isComma)
	if slices.ContainsFunc(parts, func(s string) bool { return !q.isTerm(s) }) {
		whole := strings.FieldsFunc(q.inThousands(expr, groupOfThree), isComma)
		if !slices.ContainsFunc(whole, func(s string) bool { return !q.isTerm(s) }) {
			return whole
		}
	}
	if len(parts) == 0 {
		return []string{""}
	}
	return parts
}

func isComma(r rune) bool { return r == ',' || r == ';' }

// Commas between groups of three digits, and those before groups that begin with zero.
var (
	groupOfThree = regexp.MustCompile(`(?:^|[^0-9.]|\.\.)([0-9]{1,3}(?:,[0-9]{3})+)(?:$|[^0-9])`)
	groupOfZero  = regexp.MustCompile(
		`(?:^|[^0-9.]|\.\.)([0-9]{1,3}(?:,[0-9]{3})*?,0[0-9]{2}(?:,[0-9]{3})*)(?:$|[^0-9])`)
)

// inThousands takes out the commas within numbers.
func (q *Quantity) inThousands(expr string, groups *regexp.Regexp) string {
	if q.Kind == Day {
		return expr
	}
	for m := groups.FindStringSubmatchIndex(expr); m != nil; m = groups.FindStringSubmatchIndex(expr) {
		expr = expr[:m[2]] + strings.ReplaceAll(expr[m[2]:m[3]], ",", "") + expr[m[3]:]
	}
	return expr
}

// isTerm reports whether a part of a list of numbers can be read.
func (q *Quantity) isTerm(text string) bool {
	body := strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(text), "!"))
	if body == "any" || body == "none" {
		return true
	}
	_, _, ok := q.parseInterval(body)
	return ok
}

func (p *parser) term(q *Quantity, text string) (Term, bool) {
	body, not := strings.CutPrefix(text, "!")
	t := Term{Text: body, Not: not}
	switch body {
	case "any":
		t.word = anyValue
		return t, true
	case "none":
		t.word = noValue
		return t, true
	}
	if q.Numeric() {
		iv, canonical, ok := q.parseInterval(body)
		if !ok {
			p.fail(ParamError{Param: q.ID, Value: text, Code: BadRange})
			return t, false
		}
		t.interval, t.Text = iv, canonical
		return t, true
	}
	return p.categoryTerm(q, t)
}

func (p *parser) categoryTerm(q *Quantity, t Term) (Term, bool) {
	values := p.s.codes[q.index].values
	for i, v := range values {
		if i > 0 && strings.EqualFold(v, t.Text) {
			t.code, t.Text = i, v
			return t, true
		}
	}
	if len(values) > 0 {
		values = values[1:]
	}
	p.fail(Unknown(q.ID, t.Text, values))
	return t, false
}

// signsOf are other ways to write the signs of a range.
var signsOf = strings.NewReplacer("≥", ">=", "≤", "<=", "＞", ">", "＜", "<", "～", "..", "~", "..", "–", "..", "—", "..",
	"至", "..", "到", "..", "…", "..")

// dashed are two numbers with a hyphen between them.
var dashed = regexp.MustCompile(`^([0-9](?:[^-.<>]|\.[0-9])*)-\s*([0-9].*)$`)

// parseInterval reads "24..80", "24..", "..80", "80", ">=300", ">300", "<=300",
// "<300"; both ends of ".." are included. Numbers are read as people write them: "24GB", "2万",
// ranges also as "24~80", "24–80", "24至80" and, of numbers, "24-80".
// Dates take the same forms, and a year or month stands for all its days.
func (q *Quantity) parseInterval(s string) (iv interval, canonical string, ok bool) {
	s = signsOf.Replace(s)
	if m := dashed.FindStringSubmatch(s); m != nil && q.Kind != Day {
		if _, _, _, isNumber := q.parseBound(s); !isNumber { // "1e-3"
			s = m[1] + ".." + m[2]
		}
	}
	iv = interval{lo: math.Inf(-1), hi: math.Inf(1)}
	if lo, hi, isRange := strings.Cut(s, ".."); isRange {
		okLo, okHi := true, true
		if lo = strings.TrimSpace(lo); lo != "" {
			iv.lo, _, lo, okLo = q.parseBound(lo)
		}
		if hi = strings.TrimSpace(hi); hi != "" {
			_, iv.hi, hi, okHi = q.parseBound(hi)
		}
		return iv, lo + ".." + hi, okLo && okHi && lo+hi != "" && iv.lo <= iv.hi
	}
	op := s[:len(s)-len(strings.TrimLeft(s, "<>="))]
	first, last, bound, ok := q.parseBound(strings.TrimSpace(s[len(op):]))
	switch op {
	case "":
		iv.lo, iv.hi = first, last
	case ">=":
		iv.lo = first
	case ">":
		iv.lo, iv.loOpen = last, true
	case "<=":
		iv.hi = last
	case "<":
		iv.hi, iv.hiOpen = first, true
	default:
		return iv, "", false
	}
	return iv, op + bound, ok
}

// parseBound returns the first and last number that a bound stands for, and its
// canonical text.
func (q *Quantity) parseBound(s string) (first, last float64, canonical string, ok bool) {
	if q.Kind == Day {
		d, err := ParseDate(s)
		return float64(d.Ordinal()), float64(d.LastOrdinal()), s, err == nil
	}
	v, err := ReadNumber(s, q.Unit)
	if q.Priced() && err != nil {
		v, _, err = ReadAmount(s)
	}
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return 0, 0, "", false
	}
	return v, v, strconv.FormatFloat(v, 'f', -1, 64), true
}

// Expression is the filter in the syntax that ParseQuery reads.
func (f Filter) Expression() string {
	parts := make([]string, len(f.Terms))
	for i, t := range f.Terms {
		parts[i] = t.String()
	}
	return strings.Join(parts, ",")
}
