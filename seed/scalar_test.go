package seed

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// TestLongTextsAreRefusedUnread: of each kind that YAML has, also where lines within look like keys; the parser, which
// would hold some hundred megabytes of one, sees none.
func TestLongTextsAreRefusedUnread(t *testing.T) {
	const n, blocks = 3_000_000, 6_000_000
	for name, text := range map[string]string{
		"plain":                      "cards: " + strings.Repeat("x", n),
		"plain words":                "cards: " + strings.Repeat("x ", n/2) + "x",
		"plain lines":                "cards:\n" + strings.Repeat("  xxxxxxx\n", n/10),
		"double quotes":              `cards: "` + strings.Repeat("x", n) + `"`,
		"single quotes":              "cards: '" + strings.Repeat("x''", n/3) + "'",
		"escapes":                    `cards: "` + strings.Repeat(`\x41`, n/4) + `"`,
		"double quotes over lines":   "cards: \"a: b\n" + strings.Repeat("  a: \\\" [b]\n", n/12) + `"`,
		"single quotes over lines":   "cards: 'a: b\n" + strings.Repeat("  a: '' [b]\n", n/12) + `'`,
		"quotes in a list":           "cards: [1, 'a: b\n" + strings.Repeat("  a: '' [b]\n", n/12) + `']`,
		"a block":                    "cards: |\n" + strings.Repeat("  xxxxxxx\n", blocks/10),
		"a block of keys":            "cards: >-\n" + strings.Repeat("  a: b xx\n", blocks/10),
		"a block of an item":         "cards:\n- id: a\n  note: |2+ # so\n" + strings.Repeat("   - a: b\n", blocks/13),
		"a block below a dash":       "cards:\n- |\n" + strings.Repeat("  a: b\n\n", blocks/8),
		"a block of the document":    "|\n" + strings.Repeat("a: bbbbb\n", blocks/9),
		"a comment":                  "# " + strings.Repeat("x", n),
		"a text behind short quotes": "'a': 'b'\nb: 'c" + strings.Repeat("\n d: e", n/6) + "'",
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, problems := Decode([]File{{"f.yaml", []byte(text)}})
		runtime.ReadMemStats(&after)
		if len(problems) != 1 || problems[0].Rule != "size" || !strings.Contains(problems[0].Msg, "want shorter ones") {
			t.Errorf("%s: got %.200v, want that it is too long", name, problems)
		}
		if took := after.TotalAlloc - before.TotalAlloc; took > 40<<20 {
			t.Errorf("%s: took %d MB", name, took>>20)
		}
	}
}

// TestTextsThatAreShortEnoughAreRead: many of them, one after the other, make no long one.
func TestTextsThatAreShortEnoughAreRead(t *testing.T) {
	for name, one := range map[string]string{
		"prices":          "- |\n  a,b,c,d,e,f,g,h\n  - x: [y]\n",
		"blocks of items": "- id: a\n  note: |\n    some: text\n\n    more\n  name: x\n",
		"blocks":          "- |\n  some: text\n- >-\n  more\n",
		"quotes":          "- note: \"some\n    text\"\n  more: 'it''s\n    so'\n- \"a: b\": 'c'\n",
		"plain lines":     "- note: some\n    text\n    more text\n",
		"apostrophes":     "- it's: that's\n- [it's, \"so\"] # isn't\n- a: 'b' # it's\n",
		"commas":          "- a: b, 'c\n  d: e, |\n- f, \"g\n- [h, 'i', \"j\"] , 'k\n",
		"brackets":        "- {a: |b, c: '>'}\n- a | b\n- > c\n  d\n",
	} {
		var scan scalarScan
		for n, line := range strings.Split(strings.Repeat(one, 100), "\n") {
			if scan.line(n+1, line); scan.size > len(one) {
				t.Fatalf("%s: line %d: got a text of %d bytes, want one at most", name, n+1, scan.size)
			}
		}
	}
}

// TestALongTextIsFoundInItsLine says where it begins.
func TestALongTextIsFoundInItsLine(t *testing.T) {
	for _, begin := range []string{"note: |\n", "note: 'a\n", "note: a\n", "- - |\n"} {
		text := "a: b\n\n# c\n" + begin + strings.Repeat("      xxxxxxxxxx\n", maxBlock/16) + "'\n"
		if line, _ := tooLong(text); line != 4 {
			t.Errorf("%s: got line %d, want 4", fmt.Sprintf("%q", begin), line)
		}
	}
}
