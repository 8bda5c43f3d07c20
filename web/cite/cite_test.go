package cite

import (
	"encoding/json"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"tianti/catalog"
	"tianti/locale"
)

var hostile = []string{"plain", `50% & $5 #1 a_b ~x ^y \end{document}`, "}{", "two\nlines\r\nER  - ", "\xff\x00\u2028x",
	"天梯：A100 “80 GB”",
	`: - ? [x] {y} "q" 'r' # no`, "---", "@misc{x,", ""}

func of(title, source string) *citation {
	return &citation{Key: keyOf("/cards/x", title, "7"), Title: clean(title), Author: "The Tianti Authors",
		Site:     "Tianti",
		Revision: "7", Date: "2026-11", Accessed: "2026-11-20", URL: "https://x.example/cards/x",
		Notes: []string{"Revision 7", clean(source)}, loc: locale.Of("en")}
}

// untex undoes what is done for TeX, and fails at what TeX would take for a command or a group of its own.
func untex(t *testing.T, s string) string {
	t.Helper()
	var b strings.Builder
	for s != "" {
		done := false
		for _, e := range [][2]string{{`\textbackslash{}`, `\`}, {`\textbraceleft{}`, `{`}, {`\textbraceright{}`, `}`},
			{`\textasciitilde{}`, `~`}, {`\textasciicircum{}`, `^`}, {`\$`, `$`}, {`\&`, `&`}, {`\#`, `#`},
			{`\%`, `%`}, {`\_`, `_`}} {
			if rest, ok := strings.CutPrefix(s, e[0]); ok {
				b.WriteString(e[1])
				s, done = rest, true
				break
			}
		}
		if done {
			continue
		}
		if strings.ContainsRune(`\{}$&#%_~^`, rune(s[0])) {
			t.Fatalf("%q is special to TeX", s)
		}
		b.WriteByte(s[0])
		s = s[1:]
	}
	return b.String()
}

func FuzzCitation(f *testing.F) {
	for _, a := range hostile {
		f.Add(a, hostile[3])
	}
	risLine := regexp.MustCompile(`^[A-Z][A-Z0-9]  - [^\r\n]*$`)
	f.Fuzz(func(t *testing.T, title, source string) {
		c := of(title, source)
		if !utf8.ValidString(c.Title) || strings.ContainsAny(c.Title, "\r\n\x00") {
			t.Fatalf("%q is not clean", c.Title)
		}

		// BibTeX: one entry whose braces match, and the title comes back.
		bib := string(c.bibtex())
		depth := 0
		for i, r := range bib {
			switch r {
			case '{':
				depth++
			case '}':
				depth--
			}
			if depth < 0 || depth == 0 && i > 0 && strings.TrimSpace(bib[i+utf8.RuneLen(r):]) != "" &&
				i > len("@misc{") {
				t.Fatalf("the entry ends early: %q", bib[i:])
			}
		}
		if depth != 0 {
			t.Fatalf("braces do not match in %q", bib)
		}
		field := regexp.MustCompile(`(?m)^  title = \{\{(.*)\}\},$`).FindStringSubmatch(bib)
		if field == nil || untex(t, field[1]) != c.Title {
			t.Fatalf("got %q, want the title %q", field, c.Title)
		}

		// RIS: a tag on each line, the title in one, the end once and last.
		lines := strings.Split(strings.TrimSuffix(string(c.ris()), "\r\n"), "\r\n")
		ends, titles := 0, 0
		for i, l := range lines {
			if !risLine.MatchString(l) {
				t.Fatalf("line %d is %q", i, l)
			}
			if strings.HasPrefix(l, "ER  -") {
				ends++
			}
			if l == "TI  - "+c.Title {
				titles++
			}
		}
		if ends != 1 || lines[len(lines)-1] != "ER  - " || lines[0] != "TY  - ELEC" || titles != 1 && c.Title != "" {
			t.Fatalf("got %q", lines)
		}

		// CSL JSON.
		body, err := c.csl()
		if err != nil {
			t.Fatal(err)
		}
		var items []map[string]any
		if err := json.Unmarshal(body, &items); err != nil || len(items) != 1 || items[0]["title"] != c.Title {
			t.Fatalf("%v: %s", err, body)
		}
		if n := strings.Count(string(c.text()), "\n"); n != len(c.Notes) {
			t.Fatalf("%d lines of text", n)
		}
	})
}

func FuzzAddress(f *testing.F) {
	for _, a := range []string{"/cards/x", "/zh/cards?q=}%7D", "//evil/cards", "/cards/../admin",
		"/cards/%2e%2e/admin", "/cards/a\nb",
		"https://x/cards", "/admin", "/cite/text?page=/cards", "/compare?card=a&card=b", "/cards/%0d%0aX",
		"/r/7/zh/cards", "/r/7/r/8/cards", "/r/x/cards", "/r/7//evil/cards"} {
		f.Add(a)
	}
	f.Fuzz(func(t *testing.T, page string) {
		at, ok := addressOf(page)
		if !ok {
			return
		}
		path, query := at.Path, at.Query
		if strings.Trim(at.Revision, "0123456789") != "" {
			t.Fatalf("%q gives revision %q", page, at.Revision)
		}
		if !citable(path) || strings.ContainsAny(path+query, "{}\\ \r\n\"<>") || strings.Contains(path, "/.") {
			t.Fatalf("%q gives %q and %q", page, path, query)
		}
		u, err := url.Parse(path + "?" + query)
		if err != nil || u.Path != path || u.Host != "" {
			t.Fatalf("%q: %v, %v", path, u, err)
		}
		if key := keyOf(path, query, "1"); !regexp.MustCompile(`^[A-Za-z0-9-]{1,120}$`).MatchString(key) {
			t.Fatalf("key %q", key)
		}
	})
}

func TestDatesGoAsFarAsTheyAreKnown(t *testing.T) {
	for date, want := range map[string]string{"2026": "DA  - 2026///", "2026-11": "DA  - 2026/11//",
		"2026-11-20": "DA  - 2026/11/20/"} {
		c := of("x", "y")
		c.Date = catalog.Date(date)
		if got := string(c.ris()); !strings.Contains(got, want+"\r\n") {
			t.Errorf("%s: got %q, want %s", date, got, want)
		}
	}
}
