package sizing

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func TestALineIsWhatItsFormulaGivesWithItsInputs(t *testing.T) {
	jobs(t, func(w *Workload, k Constants) {
		_, lines := memory{training: w.Task.Trains()}.formula(k, w, nil, true)
		for _, l := range lines {
			got, err := evaluate(l)
			if err != nil || !near(got, l.Value, 1e-9) {
				t.Errorf("%s = %s with %v: got %v (%v), want %v", l.Part, l.Formula, l.Inputs, got, err, l.Value)
			}
			if l.Source == "" {
				t.Errorf("%s has no source", l.Part)
			}
		}
	})
}

// evaluate computes the formula of a line as a reader does who puts the inputs in.
func evaluate(l Line) (float64, error) {
	if l.Formula == "fitted" || l.Formula == "documented" {
		return l.Inputs[0].Value, nil
	}
	symbols := map[string]float64{}
	for _, in := range l.Inputs {
		symbols[in.Symbol] = in.Value
	}
	if global, ok := symbols["L_global"]; ok {
		symbols["L_local"] = symbols["L"] - global
	}
	p := formulaParser{rest: l.Formula, symbols: symbols}
	for name := range symbols {
		p.names = append(p.names, name)
	}
	slices.SortFunc(p.names, func(a, b string) int { return len(b) - len(a) }) // "kv·d" before "kv"
	v := p.sum()
	if p.rest != "" && p.err == nil {
		p.err = fmt.Errorf("cannot read %q", p.rest)
	}
	return v, p.err
}

// A formulaParser reads sums and products, min and max.
type formulaParser struct {
	rest    string
	names   []string
	symbols map[string]float64
	err     error
}

func (p *formulaParser) take(prefix string) bool {
	rest, ok := strings.CutPrefix(strings.TrimLeft(p.rest, " "), prefix)
	if ok {
		p.rest = rest
	}
	return ok
}

func (p *formulaParser) sum() float64 {
	v := p.product()
	for {
		switch {
		case p.take("+"):
			v += p.product()
		case p.take("−"):
			v -= p.product()
		default:
			return v
		}
	}
}

func (p *formulaParser) product() float64 {
	v := p.factor()
	for {
		switch {
		case p.take("·"):
			v *= p.factor()
		case p.take("÷"):
			v /= p.factor()
		default:
			return v
		}
	}
}

func (p *formulaParser) factor() float64 {
	for name, f := range map[string]func(float64, float64) float64{"max(": math.Max, "min(": math.Min} {
		if p.take(name) {
			a := p.sum()
			p.take(",")
			b := p.sum()
			p.take(")")
			return f(a, b)
		}
	}
	if p.take("(") {
		v := p.sum()
		p.take(")")
		return v
	}
	spaced := func(s string) string { return strings.ReplaceAll(s, "·", " · ") }
	for _, name := range p.names {
		if p.take(name) || strings.Contains(name, "·") && p.take(spaced(name)) {
			return p.symbols[name]
		}
	}
	rest := strings.TrimLeft(p.rest, " ")
	n := len(rest) - len(strings.TrimLeft(rest, "0123456789."))
	v, err := strconv.ParseFloat(rest[:n], 64)
	if err != nil && p.err == nil {
		p.err = fmt.Errorf("no number and no input at %q", rest)
		p.rest = ""
		return 0
	}
	p.rest = rest[n:]
	return v
}
