package sizing

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"tianti/catalog"
)

// The most that one machine of several kinds of cards is asked about.
const (
	mostKinds  = 8
	mostPooled = 64
)

// machineParts are the cards of a machine as people write them: "4090 + 2x3090", "RTX 4090 和 2 × RTX 3090", "4090,
// 3090:2". A name may have a plus of its own, "Ryzen AI Max+ 395": one is a sign between cards where it stands apart,
// or before a number of cards.
func machineParts(v string) []string {
	var out []string
	from := 0
	cut := func(at, next int) {
		out = append(out, v[from:at])
		from = next
	}
	for i, c := range v {
		rest := v[i+len(string(c)):]
		switch {
		case i < from:
		case c == ',' || c == '，' || c == '、' || c == '＋' || c == '和' || c == '与':
			cut(i, i+len(string(c)))
		case c == '+' && (strings.HasSuffix(v[:i], " ") || startsWithCount(rest)):
			cut(i, i+1)
		case c == '+' && !strings.HasPrefix(rest, " ") && rest != "" && isDigit(v[:i]):
			cut(i, i+1) // "4090+3090"
		case c == ' ' && strings.HasPrefix(strings.ToLower(rest), "and "):
			cut(i, i+len(" and "))
		case c == ' ' && startsWithCount(rest) && strings.TrimSpace(v[from:i]) != "":
			cut(i, i+1) // "4090 2x3090", which is what a plus in an address becomes
		}
	}
	out = append(out, v[from:])
	return slices.DeleteFunc(out, func(s string) bool { return strings.TrimSpace(s) == "" })
}

// fewOf is the beginning of a number of cards before their name, and not of a name such as "7900 XTX".
var fewOf = regexp.MustCompile(`^\s*[0-9]{1,2}\s*[xX×*张块片]\s*\S`)

// startsWithCount reports whether a text begins with a number of cards: "2x3090", " 2 × 3090".
func startsWithCount(s string) bool { return fewOf.MatchString(s) }

// isDigit reports whether a text ends with a digit.
func isDigit(s string) bool { return s != "" && unicode.IsDigit(rune(s[len(s)-1])) }

// machine reads the cards of one machine, as a card or as others beside it. What cannot be read is refused.
func (p *parser) machine(v string) []Owned {
	out, e := p.a.MachineNamed(p.param.Name, v)
	if e != nil {
		p.fail(*e)
	}
	return out
}

// MachineNamed are the cards of one machine as people write them, "4090 + 2x3090", each kind once; or an error of the
// parameter that says it.
func (a *Estimator) MachineNamed(param, v string) ([]Owned, *catalog.ParamError) {
	v = strings.TrimSpace(v)
	parts := []string{v}
	var unknown *catalog.ParamError                   // that no card is called all of it
	if id, _, _ := ownedParts(v); a.Card(id) == nil { // an id needs no search, which costs more than all else
		c, e := a.CardNamed(param, v)
		if e == nil {
			return []Owned{{c, 1}}, nil
		}
		parts, unknown = machineParts(v), e
	}
	var out []Owned
	for _, part := range parts {
		part = strings.TrimSpace(part)
		if part != v {
			unknown = nil
		}
		o, e := a.ownedCard(param, part, unknown)
		if e != nil {
			return nil, e
		}
		out = joined(out, o)
	}
	return out, nil
}

// ownedCard reads a card with its number: "id", "name", "id:4" or "4 × name". "7900 XTX" is a name. Where it is known
// already that no card is called so, that is not looked for again.
func (a *Estimator) ownedCard(param, entry string, unknown *catalog.ParamError) (Owned, *catalog.ParamError) {
	id, text, counted := ownedParts(entry)
	if a.Card(id) == nil && unknown == nil {
		c, e := a.CardNamed(param, entry)
		if e == nil {
			return Owned{c, 1}, nil
		}
		unknown = e
	}
	if !counted && unknown != nil {
		return Owned{}, unknown
	}
	n := 1
	if counted {
		v, err := catalog.ReadNumber(text, "张")
		if n = int(v); err != nil || v != math.Trunc(v) || v < 1 || v > MaxCards {
			return Owned{}, &catalog.ParamError{Param: param, Value: entry, Code: catalog.OutOfRange,
				Allowed: "1 … " + strconv.Itoa(MaxCards)}
		}
	}
	c, e := a.CardNamed(param, id)
	return Owned{c, n}, e
}

// joined adds cards to a machine.
func joined(machine []Owned, o Owned) []Owned {
	if i := slices.IndexFunc(machine, func(x Owned) bool { return x.Card == o.Card }); i >= 0 {
		machine[i].Count += o.Count
		return machine
	}
	return append(machine, o)
}

// cards sets the cards that are looked at, or those of an estimate.
func (p *parser) cards(v string) {
	if p.use == ForEstimate {
		p.oneMachine(v)
		return
	}
	p.r.Cards = p.list(v)
}

// oneMachine sets the card of an estimate, its number, and those beside it.
func (p *parser) oneMachine(v string) {
	cards := p.machine(v)
	if len(cards) == 0 {
		return
	}
	p.r.Cards = []string{cards[0].Card.ID}
	p.r.With = cards[1:]
	switch n := cards[0].Count; {
	case len(cards) == 1 && n == 1:
	case p.given["cards"] && p.r.Workload.Cards != n:
		p.fail(catalog.ParamError{Param: "cards", Value: strconv.Itoa(p.r.Workload.Cards), Code: catalog.Contradicts,
			Allowed: "card=" + clip(v)})
	default:
		p.r.Workload.Cards, p.given["cards"] = n, true
	}
	if len(p.r.With) > 0 {
		p.given["with"] = true
	}
}

// beside adds cards of other kinds, and more of the same to those that are there.
func (p *parser) beside(v string) {
	for _, o := range p.machine(v) {
		if len(p.r.Cards) == 1 && o.Card.ID == p.r.Cards[0] {
			p.r.Workload.Cards, p.given["cards"] = max(1, p.r.Workload.Cards)+o.Count, true
			continue
		}
		p.r.With = joined(p.r.With, o)
	}
}

// pool refuses what cards of several kinds in one machine are not asked about.
func (p *parser) pool() {
	with := p.r.With
	if len(with) == 0 {
		return
	}
	fail := func(param, allowed string) {
		p.fail(catalog.ParamError{Param: param, Value: p.param.Name, Code: catalog.Contradicts, Allowed: allowed})
	}
	w := &p.r.Workload
	n := max(1, w.Cards)
	for _, o := range with {
		n += o.Count
	}
	switch {
	case len(with)+1 > mostKinds:
		p.fail(catalog.ParamError{Param: "with", Value: strconv.Itoa(len(with)), Code: catalog.TooMany,
			Allowed: strconv.Itoa(mostKinds - 1)})
	case n > mostPooled:
		p.fail(catalog.ParamError{Param: "with", Value: strconv.Itoa(n), Code: catalog.OutOfRange,
			Allowed: "2 … " + strconv.Itoa(mostPooled)})
	case w.Host.Layers > 0:
		fail("offload_layers", "0")
	case w.Sharding.Offload != "" && w.Sharding.Offload != "none" && !w.Task.Trains():
		fail("offload", "none")
	case p.r.Costs.BuyPrice > 0:
		fail("buy_price", "")
	case p.r.Costs.RentPrice > 0:
		fail("rent_price", "")
	}
}

// encodeWith is the parameter that names cards beside the first.
func encodeWith(r *Request) string {
	parts := make([]string, len(r.With))
	for i, o := range r.With {
		parts[i] = o.Card.ID
		if o.Count > 1 {
			parts[i] += ":" + strconv.Itoa(o.Count)
		}
	}
	return strings.Join(parts, ",")
}
