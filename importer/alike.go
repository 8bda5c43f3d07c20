package importer

import (
	"math"
	"slices"
	"strings"
	"unicode"

	"tianti/catalog"
	"tianti/format"
)

// alike finds cards that a name is like, though none bears it: it may be one of them in other words.
type alike struct {
	snap   *catalog.Snapshot
	byKey  map[string][]int // rows, by what is left of their names
	byChip map[string][]int // rows, by what is left of the names of their chips
	sorted []string         // keys
}

func newAlike(snap *catalog.Snapshot) *alike {
	a := &alike{snap: snap, byKey: map[string][]int{}, byChip: map[string][]int{}}
	chip, _ := catalog.LookupQuantity("chip")
	for row := range snap.Len() {
		c := snap.Card(row)
		for _, name := range append([]string{c.Name}, c.Aliases...) {
			if key := modelOf(name); key != "" && !slices.Contains(a.byKey[key], row) {
				a.byKey[key] = append(a.byKey[key], row)
			}
		}
		if text, known := snap.Text(chip, row); known {
			key := modelOf(text)
			a.byChip[key] = append(a.byChip[key], row)
		}
	}
	for key := range a.byKey {
		a.sorted = append(a.sorted, key)
	}
	slices.Sort(a.sorted)
	return a
}

// series are words of names that do not tell cards apart once their model does: makers, families that some leave out,
// forms, and what is read wrongly for them.
var series = strings.Fields("nvidia amd intel habana huawei ascend radeon instinct geforce tesla quadro firepro gpu " +
	"npu tpu card accelerator graphics pcie pcle pci express sxm sxm2 sxm3 sxm4 sxm5 sxm6 oam nvl module edition " +
	"google cloud")

// modelOf is what is left of a name without such words and sizes of memory: "rtx2080ti" of "NVIDIA GeForce RTX 2080 Ti
// 11GB"; "" where that has no digit.
func modelOf(name string) string {
	var b strings.Builder
	for _, word := range strings.FieldsFunc(strings.ToLower(name), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}) {
		size, isSize := strings.CutSuffix(word, "gb")
		if slices.Contains(series, word) || isSize && size != "" && strings.Trim(size, "0123456789") == "" {
			continue
		}
		b.WriteString(word)
	}
	if key := b.String(); strings.ContainsAny(key, "0123456789") {
		return key
	}
	return ""
}

// find returns the ids of the cards that a name is like: what is left of both is the same, one begins with the other
// and goes on in letters, or the name is that of their chip. A card of another memory is not alike.
func (a *alike) find(name string, memoryGB float64) []string {
	const most = 5
	key := modelOf(name)
	if key == "" {
		return nil
	}
	rows := slices.Clone(a.byKey[key])
	const long = 5 // shorter ones begin too many names
	if at, _ := slices.BinarySearch(a.sorted, key); len(rows) == 0 && len(key) >= long {
		for ; at < len(a.sorted) && strings.HasPrefix(a.sorted[at], key); at++ {
			if rest := a.sorted[at][len(key):]; rest != "" && unicode.IsLetter(rune(rest[0])) {
				rows = append(rows, a.byKey[a.sorted[at]]...)
			}
		}
	}
	if len(rows) == 0 {
		rows = a.byChip[key]
	}
	var ids []string
	for _, row := range rows {
		if has, ok := a.snap.Figures(row).Number("memory_gb"); ok && memoryGB > 0 && math.Abs(has-memoryGB) > 0.1*has {
			continue
		}
		if id := a.snap.Card(row).ID; len(ids) < most && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// tellAlike notes which cards of the catalogue one is like that the import makes.
func (d *drafting) tellAlike(c *catalog.Card, s *format.Subject) {
	const most = 500
	if len(d.summary.Near) >= most {
		return
	}
	if d.alike == nil {
		d.alike = newAlike(d.snap)
	}
	if ids := d.alike.find(s.Name, s.MemoryGB); len(ids) > 0 {
		d.summary.Near = append(d.summary.Near, NearName{s.Name, c.ID, ids})
	}
}
