package browser

import (
	"bytes"
	"flag"
	"fmt"
	"maps"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"golang.org/x/image/font/gofont/goregular"

	"tianti/test/slow"
)

var update = flag.Bool("update", false, "write the golden files")

// Stories are the golden pages of the features, which are of made-up figures: their looks change with the design alone.
const (
	stories     = "../../web/*/testdata/*/*.html"
	goldenLooks = "testdata/looks.txt"
)

// shown are the stories of main pages, which are looked at each day; all are in the golden file.
var shown = []string{
	"home/overview", "cards/cards", "cards/card", "compare/compare", "ladders/ladder", "plot/plot", "prices/prices",
	"recommend/recommend", "estimate/estimate", "serving/serve", "exportcontrol/export", "live/live",
}

// A looks is how a story looks: at each width the landmarks of the page with their place, at the first with their
// colours in both schemes.
type looks map[string][]landmark // by "home/overview zh 390"

// A landmark is an element with its place on the page in CSS pixels and its colours: of text and ground, in light and
// in dark.
type landmark struct {
	Name    string     `json:"name"`
	Box     [4]float64 `json:"box"`
	Colours []string   `json:"-"`
}

// found are the first landmarks that can be seen.
const found = `[...document.querySelectorAll("header.top, header.top nav, .find input, main, h1, h2, h3, .lede, " +
	".finding + p, form, .sentence, fieldset, .picks > li, .tiles, .switch, table, thead, tbody > tr:first-child, " +
	"[role=region], main svg, .btn.primary, .chips, .pager, aside, footer")].
	filter(e => e.checkVisibility({ visibilityProperty: true }) && e.getBoundingClientRect().width > 1).slice(0, 36)`

// placed is where they are, coloured what colours they have.
const (
	placed = found + `.map(e => { const r = e.getBoundingClientRect(); return {
		name: e.localName + (e.classList[0] ? "." + e.classList[0] : ""),
		box: [r.x + scrollX, r.y + scrollY, r.width, r.height] } })`
	coloured = found + `.map(e => {
		const two = n => (+n).toString(16).padStart(2, "0");
		const hex = c => c.startsWith("rgb(") ? "#" + c.match(/\d+/g).map(two).join("") : c;
		let g = e;
		while (g.parentElement && getComputedStyle(g).backgroundColor.endsWith(", 0)")) g = g.parentElement;
		return hex(getComputedStyle(e).color) + "/" + hex(getComputedStyle(g).backgroundColor);
	})`
)

// TestPagesLookAsTheyDid holds the stories of main pages against the golden file: on a desk and on a phone, in light
// and dark colours, in both languages. Letters are those of one font, whatever the machine has.
func TestPagesLookAsTheyDid(t *testing.T) {
	t.Parallel()
	wantLooks(t, shown)
}

// TestFullAllPagesLookAsTheyDid does so with all of them.
func TestFullAllPagesLookAsTheyDid(t *testing.T) {
	slow.Only(t)
	wantLooks(t, nil)
}

func wantLooks(t *testing.T, names []string) {
	server := serveStories(t)
	got := looks{}
	p := newTabAt(t, server.URL)
	for _, path := range storyPaths(t) {
		if *update || names == nil || slices.Contains(names, storyOf(path)) {
			maps.Copy(got, p.look(path))
		}
	}
	if *update {
		if err := os.WriteFile(goldenLooks, got.text(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want := readLooks(t)
	for _, page := range slices.Sorted(maps.Keys(got)) {
		for _, d := range differences(want[page], got[page]) {
			t.Errorf("%s: %s", page, d)
		}
	}
	if names == nil && len(want) != len(got) {
		t.Errorf("%d golden looks, %d stories: write them with -update", len(want), len(got))
	}
	if len(got) < 4*len(names) {
		t.Errorf("%d looks of %d stories", len(got), len(names))
	}
}

// storyPaths are the addresses of all stories, "/home/en/overview.html".
func storyPaths(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(stories)
	if err != nil || len(files) == 0 {
		t.Fatalf("no stories: %v", err)
	}
	var out []string
	for _, f := range files {
		f = strings.TrimPrefix(filepath.ToSlash(f), "../../web")
		out = append(out, strings.Replace(f, "/testdata/", "/", 1))
	}
	return out
}

// storyOf is the name of a story without its language, "home/overview".
func storyOf(path string) string {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	return parts[0] + "/" + strings.TrimSuffix(parts[2], ".html")
}

var scripts = regexp.MustCompile(`(?s)<script.*?</script>`)

// serveStories serves the stories with the style sheet of the product, without scripts and in one font.
func serveStories(t *testing.T) *httptest.Server {
	t.Helper()
	const style = `<style>@font-face { font-family: golden; src: url(/font.ttf); } ` +
		`* { font-family: golden !important; }`
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
		switch {
		case r.URL.Path == "/font.ttf":
			w.Write(goregular.TTF)
		case parts[0] == "static":
			http.ServeFile(w, r, filepath.Join("../../static", filepath.Base(r.URL.Path)))
		case len(parts) == 3:
			page, err := os.ReadFile(filepath.Join("../../web", parts[0], "testdata", parts[1], parts[2]))
			if err != nil {
				http.NotFound(w, r)
				return
			}
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			w.Write(bytes.Replace(scripts.ReplaceAll(page, nil), []byte("</head>"),
				[]byte(style+"</style></head>"), 1))
		default:
			w.Header().Set("Content-Type", "image/svg+xml")
			w.Write([]byte(`<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"/>`))
		}
	}))
	t.Cleanup(s.Close)
	return s
}

// look visits a story and looks at it.
func (p *tab) look(path string) looks {
	p.t.Helper()
	p.visit(path)
	p.settle()
	return p.lookAgain(path)
}

// lookAgain looks at the story that is shown.
func (p *tab) lookAgain(path string) looks {
	p.t.Helper()
	out := looks{}
	name := storyOf(path) + " " + strings.Split(path, "/")[2]
	for i, width := range []int64{1440, 390} {
		call(p, emulation.SetDeviceMetricsOverride,
			emulation.SetDeviceMetricsOverrideParams{Width: width, Height: 900, DeviceScaleFactor: 1})
		marks := js[[]landmark](p, placed)
		if i == 0 {
			p.scheme("dark")
			dark := js[[]string](p, coloured)
			p.scheme("light")
			light := js[[]string](p, coloured)
			for j := range marks {
				marks[j].Colours = []string{light[j], dark[j]}
			}
		}
		out[name+" "+strconv.FormatInt(width, 10)] = marks
	}
	return out
}

// text is the golden file: a line with the page, and one for each landmark of it.
func (l looks) text() []byte {
	var b bytes.Buffer
	for _, page := range slices.Sorted(maps.Keys(l)) {
		fmt.Fprintln(&b, page)
		for _, m := range l[page] {
			fmt.Fprintln(&b, "\t"+m.String())
		}
	}
	return b.Bytes()
}

func (m landmark) String() string {
	s := m.Name
	for _, v := range m.Box {
		s += fmt.Sprintf(" %.0f", v)
	}
	return strings.Join(append([]string{s}, m.Colours...), " ")
}

func readLooks(t *testing.T) looks {
	t.Helper()
	text, err := os.ReadFile(goldenLooks)
	if err != nil {
		t.Fatal(err)
	}
	out, page := looks{}, ""
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if !strings.HasPrefix(line, "\t") {
			page = strings.TrimSpace(line)
			out[page] = nil
			continue
		}
		m := landmark{Name: fields[0], Colours: fields[5:]}
		for i := range m.Box {
			if m.Box[i], err = strconv.ParseFloat(fields[i+1], 64); err != nil {
				t.Fatalf("%s: %v", page, err)
			}
		}
		out[page] = append(out[page], m)
	}
	return out
}

// differences are what a person would see: landmarks that came, went or changed places, sizes, and colours. Some pixels
// are left to browsers, whose controls differ.
func differences(want, got []landmark) []string {
	for i := range min(len(want), len(got)) {
		if want[i].Name != got[i].Name {
			return []string{fmt.Sprintf("got %s where %s was", got[i], want[i])}
		}
	}
	if len(want) != len(got) {
		return []string{fmt.Sprintf("%d landmarks, want %d", len(got), len(want))}
	}
	var out []string
	for i := range want {
		w, g := want[i], got[i]
		var above [2]float64 // what lies above has been told of already
		if i > 0 {
			above = [2]float64{want[i-1].Box[1], got[i-1].Box[1]}
		}
		far := apart(w.Box[0], g.Box[0]) || apart(w.Box[2], g.Box[2]) || apart(w.Box[3], g.Box[3]) ||
			apart(w.Box[1]-above[0], g.Box[1]-above[1])
		if far || !slices.Equal(w.Colours, g.Colours) {
			out = append(out, fmt.Sprintf("got %s, was %s", g, w))
		}
		if len(out) == 3 {
			return append(out, "…")
		}
	}
	return out
}

func apart(want, got float64) bool { return math.Abs(want-got) > 4+math.Abs(want)*0.02 }

// Goldens that nothing offends would be worthless, and so would be such that a pixel offends.
func TestChangesOfLooksAreSeen(t *testing.T) {
	t.Parallel()
	const path = "/serving/en/serve.html"
	p := newTabAt(t, serveStories(t).URL)
	was := p.look(path)
	js[chromedp.Void](p, `document.head.append(Object.assign(document.createElement("style"), { id: "more" }))`)
	for style, seen := range map[string]bool{
		".sentence input { width: 100% !important }":                                true, // wide fields
		"h1 { font-size: 3rem !important }":                                         true, // another line
		".picks { display: none }":                                                  true,
		"@media (max-width: 40rem) { header.top nav { display: none !important } }": true,
		// unreadable in the dark
		"@media (prefers-color-scheme: dark) { h1 { color: #1d1b18 !important } }":       true,
		"main { padding-top: 4rem !important }":                                          true,
		"h2 { letter-spacing: .1px } main { padding-top: calc(var(--s5) + 1px) }":        false,
		".btn { border-radius: 9px } .sentence select { padding-bottom: 3px !important}": false,
	} {
		js[chromedp.Void](p, `document.querySelector("#more").textContent = `+quote(style))
		is, n := p.lookAgain(path), 0
		for page := range was {
			n += len(differences(was[page], is[page]))
		}
		if (n > 0) != seen {
			t.Errorf("%s: %d differences", style, n)
		}
	}
}
