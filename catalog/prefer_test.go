package catalog

import "testing"

func TestPreferredFact(t *testing.T) {
	sources := map[string]*Source{
		"sheet":       {Kind: "datasheet", Published: "2022"},
		"sheet-march": {Kind: "datasheet", Published: "2022-03"},
		"sheet-2023":  {Kind: "datasheet", Published: "2023"},
		"sheet-new":   {Kind: "datasheet", Published: "2023"},
		"undated":     {Kind: "datasheet"},
		"press":       {Kind: "press", Published: "2026-01-01"},
		"wiki":        {Kind: "community", Published: "2026-11"},
	}
	old := Text{En: "wrong", Zh: "有误"}
	for _, tt := range []struct {
		name  string
		facts []Fact
		want  int
	}{
		{"nothing", nil, -1},
		{"the only one", []Fact{{Source: "wiki"}}, 0},
		{"only superseded ones", []Fact{{Source: "sheet", Superseded: old}}, -1},
		{"a superseded one yields to a worse source", []Fact{{Source: "sheet", Superseded: old}, {Source: "wiki"}}, 1},
		{"the better kind beats the later date", []Fact{{Source: "press"}, {Source: "sheet"}}, 1},
		{"the later date within a kind", []Fact{{Source: "sheet"}, {Source: "sheet-2023"}}, 1},
		{"the month is later than its year", []Fact{{Source: "sheet"}, {Source: "sheet-march"}}, 1},
		{"a date beats none", []Fact{{Source: "undated"}, {Source: "sheet"}}, 1},
		{"the first of equals", []Fact{{Source: "sheet-2023"}, {Source: "sheet-new"}}, 0},
		{"an unknown source comes last", []Fact{{Source: "lost"}, {Source: "wiki"}}, 1},
		{"an unknown source is better than none", []Fact{{Source: "lost"}}, 0},
	} {
		if got := Preferred(tt.facts, sources); got != tt.want {
			t.Errorf("%s: got %d, want %d", tt.name, got, tt.want)
		}
	}
}
