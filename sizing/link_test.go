package sizing

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// cardsApart are cards with and without peers, as the catalogue writes them.
func cardsApart() (apart, bridged, peers *Card) {
	apart = &Card{Name: "GeForce RTX 4090", Architecture: "Ada Lovelace", PCIe: 32 * giga}
	bridged = &Card{Name: "GeForce RTX 3090", Architecture: "Ampere", PCIe: 32 * giga, Link: 56 * giga, Bridge: 2}
	peers = &Card{Name: "RTX 6000 Ada Generation", Architecture: "Ada Lovelace", PCIe: 32 * giga}
	return apart, bridged, peers
}

func TestCardsWithoutPeersShareThroughTheHost(t *testing.T) {
	apart, bridged, peers := cardsApart()
	l, err := ReadLinks(strings.NewReader(`fact,series,architecture,link_gb_s,reached_gb_s,title,address
no peers,GeForce,Ada Lovelace,,,Somebody,https://example.org
no peers,GeForce,Ampere,,,Somebody,https://example.org
staged,GeForce,Ampere,20,5,Somebody,https://example.org
staged,GeForce,Blackwell,20,10,Somebody,https://example.org
`))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []*Card{apart, bridged, peers} {
		c.Staged = l.staged(c)
	}
	for _, test := range []struct {
		card *Card
		n    float64
		want float64 // GB/s
	}{
		{apart, 2, 32 * 0.375}, // nothing was measured of its own: the median of all
		{bridged, 2, 56},
		{bridged, 4, 32 * 0.25}, // of its own
		{peers, 4, 32},
	} {
		if got := linkRate(test.card, test.n) / giga; got != test.want {
			t.Errorf("%v × %s: %v GB/s, want %v", test.n, test.card.Name, got, test.want)
		}
		staged := test.want < 32
		if got := len(between(int(test.n), test.card)) > 0; got != staged {
			t.Errorf("%v × %s: said %t, want %t", test.n, test.card.Name, got, staged)
		}
	}
	if between(1, apart) != nil || between(2, nil) != nil {
		t.Error("one card, or none, shares nothing")
	}
	if (Links{refused: []cardLine{{"GeForce", "Ampere"}}}).staged(bridged) != 0 {
		t.Error("a share out of nothing")
	}
}

func TestWhatIsWrongWithATableOfLinksIsTold(t *testing.T) {
	const head = "fact,series,architecture,link_gb_s,reached_gb_s,title,address\n"
	for row, want := range map[string]string{
		"no peers,,Ampere,,,A,https://example.org":            "series",
		"no peers,GeForce,Ampere,,,,https://example.org":      "title",
		"peers,GeForce,Ampere,,,A,https://example.org":        "fact",
		"staged,GeForce,Ampere,10,11,A,https://example.org":   "reached_gb_s",
		"staged,GeForce,Ampere,10,,A,https://example.org":     "reached_gb_s",
		"staged,GeForce,Ampere,ten,5,A,https://example.org":   "link_gb_s",
		"staged,GeForce,Ampere,10,-5.0,A,https://example.org": "reached_gb_s",
	} {
		if _, err := ReadLinks(strings.NewReader(head + row)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want a word of %s", row, err, want)
		}
	}
}

func FuzzReadLinks(f *testing.F) {
	f.Add("fact,series,architecture,link_gb_s,reached_gb_s,title,address\nstaged,GeForce,Ampere,20,5,A,B\n")
	f.Fuzz(func(t *testing.T, table string) {
		l, err := ReadLinks(strings.NewReader(table))
		if err != nil {
			return
		}
		for of, shares := range l.shares {
			if i := slices.IndexFunc(shares, func(s float64) bool { return !(s > 0 && s <= 1) }); i >= 0 {
				t.Errorf("%v: share %v", of, shares[i])
			}
		}
	})
}

func TestACardWithoutPeersGainsLessFromMoreOfThem(t *testing.T) {
	apart, _, _ := cardsApart()
	apart.Memory, apart.Usable, apart.Bandwidth, apart.FP16, apart.BF16 = 24*gib, 24*gib, 1008*giga, 165e12, 165e12
	k := Constants{}
	for _, b := range (training{}).bounds() {
		k[Constant{"", b.Name}] = b.Start
	}
	m := &Model{Parameters: 8e9, Active: 8e9, Layers: 32, Hidden: 4096, Heads: 32, HeadDim: 128, Intermediate: 14336,
		Vocabulary: 128256}
	rate := func(share float64, stage int) float64 {
		c := *apart
		c.Staged = share
		w := &Workload{Model: m, Task: Full, Cards: 4, Batch: 1, Context: 1024, Sharding: Sharding{Stage: stage}}
		v, lines := (training{}).formula(k, w, &c, true)
		i := slices.IndexFunc(lines, func(l Line) bool { return l.Part == "communication" })
		if want := fmt.Sprint(linkRate(&c, 4)); i < 0 || !slices.ContainsFunc(lines[i].Inputs, func(in Input) bool {
			return in.Symbol == "C" && fmt.Sprint(in.Value) == want
		}) {
			t.Errorf("share %v: the line does not show %s B/s", share, want)
		}
		return v
	}
	if direct, staged := rate(0, 3), rate(0.5, 3); !(staged < direct && staged > direct/2) {
		t.Errorf("through the host %v tokens/s, directly %v", staged, direct)
	}
}

func TestAnEstimateTellsWhichCardsHaveNoPeers(t *testing.T) {
	a := everything(t)
	r := ask(t, a, "model=llama-3.1-70b&framework=vllm&weights=awq&context=4096&cards=4&tensor=4")
	for id, want := range map[string]bool{
		"nvidia-geforce-rtx-4090": true, "nvidia-geforce-rtx-5090": true, "nvidia-geforce-rtx-3090": true,
		"nvidia-rtx-6000-ada": false, "nvidia-l40s": false, "nvidia-h100-sxm5-80gb": false,
	} {
		c := a.Card(id)
		if c == nil {
			t.Fatalf("no card %s", id)
		}
		for n, want := range map[int]bool{1: false, 2: want && c.Link == 0, 4: want} {
			w := r.Workload
			w.Cards, w.Sharding.Tensor = n, n
			e := a.Estimate(w, c, r)
			said := slices.ContainsFunc(e.Assumptions, func(x Assumption) bool { return x.Why == "no_peers" })
			if said != want {
				t.Errorf("%d × %s: said %t, want %t: %v", n, id, said, want, e.Assumptions)
			}
			advised := slices.ContainsFunc(a.Host(&e), func(x Advice) bool { return x.Reason == "no_peer_access" })
			if advised != want {
				t.Errorf("%d × %s: advised %t", n, id, advised)
			}
		}
	}
}
