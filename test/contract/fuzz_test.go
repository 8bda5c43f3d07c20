package contract_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"tianti/test/slow"
	"tianti/web/api"
)

// TestAnswersAreValidAgainstTheDocument asks at random, rightly and wrongly.
func TestAnswersAreValidAgainstTheDocument(t *testing.T) { askAtRandom(t, 600) }

func TestFullAnswersAreValidAgainstTheDocument(t *testing.T) {
	slow.Only(t)
	askAtRandom(t, 5000)
}

func askAtRandom(t *testing.T, n int) {
	s := serve(t)
	const seed = 20261125
	q := questions{rand.New(rand.NewPCG(seed, 1)), s.cards}
	var ops []api.Operation
	for _, o := range s.Operations() {
		if !o.Managed && !o.Stream && o.HTTPMethod() == http.MethodGet {
			ops = append(ops, o)
		}
	}
	statuses := map[int]int{}
	for i := range n {
		o := ops[i%len(ops)]
		target := q.ask(o)
		w := s.get(target)
		statuses[w.Code]++
		if w.Code >= 500 {
			t.Errorf("%s: status %d", target, w.Code)
		}
		s.check(t, o.Path, target, w)
	}
	if statuses[200] < n/4 || statuses[400] < n/20 {
		t.Errorf("of %d questions: %v; want many of both kinds", n, statuses)
	}
	t.Logf("%d questions, answers by status: %v", n, statuses)
}

// questions makes addresses.
type questions struct {
	*rand.Rand
	cards []string
}

func (q questions) ask(o api.Operation) string {
	path, values := o.Path, url.Values{}
	wrong := q.IntN(4) == 0
	for _, p := range o.Params {
		switch {
		case p.In == "path":
			id := cmp.Or(q.value(p, wrong && q.IntN(2) == 0), "-") // an empty one asks for the list
			path = strings.Replace(path, "{"+p.Name+"}", url.PathEscape(id), 1)
		case p.Required || q.IntN(6) == 0:
			times := 1
			if p.Many || wrong && q.IntN(20) == 0 {
				times += 1 + q.IntN(3)
			}
			for range times {
				values.Add(p.Name, q.value(p, wrong && q.IntN(2) == 0))
			}
		}
	}
	if wrong && q.IntN(4) == 0 {
		values.Set([]string{"x", "memry_gb", "vendor", "cursor"}[q.IntN(4)], q.garbage())
	}
	if len(values) == 0 {
		return path
	}
	return path + "?" + values.Encode()
}

// pools are values of parameters of which the document says no list.
var pools = map[string][]string{
	"basis":  {"bf16_matrix_dense_tflops", "memory_bandwidth_gb_s", "memory_gb", "fp64_vector_tflops", "tdp_w"},
	"sort":   {"-memory_gb", "name", "tdp_w,-launched", "-buy_price"},
	"fields": {"memory_gb,tdp_w", "rent_price", "name"},
	"device": {"NVIDIA H100 80GB HBM3", "10de:2330", "Ascend910", "910B3-Ascend-V1", "NVIDIA GB10",
		"A100", "Voodoo"},
	"precision": {"bf16", "fp8", "fp32", "int8", "fp64", "fp4"}, "model": {"llama-3.1-8b", "qwen3-32b", "Qwen3 8B"},
	"q": {"h100", "昇腾", "4090 24G"}, "as_of": {"2024-01-01", "2026-01-01"}, "destination": {"CN", "DE", "HK"},
	"cards": {"1", "2", "8"}, "context": {"4096", "32K"}, "seller": {"AWS", "Lambda"}, "region": {"us-east-1", "US"},
}

func (q questions) value(p api.Param, wrong bool) string {
	pool := pools[p.Name]
	switch {
	case wrong:
		return q.garbage()
	case p.Name == "card" || p.Name == "id" && q.IntN(4) > 0:
		return q.cards[q.IntN(len(q.cards))]
	case len(p.Enum) > 0:
		return p.Enum[q.IntN(len(p.Enum))]
	case len(pool) > 0:
		return pool[q.IntN(len(pool))]
	case p.Example != "":
		return p.Example
	case p.Type == "integer" || p.Type == "number":
		return fmt.Sprint(1 + q.IntN(40))
	}
	return p.Default
}

func (q questions) garbage() string {
	return []string{"", "-1", "1e309", "NaN", "💥", "\x00", "' OR 1=1", strings.Repeat("x", 300), "a,b,,c", "24..80",
		"..", "2026-13-40", "null", "昇腾", "../../etc", "0x10", "¤", "١٢"}[q.IntN(18)]
}
