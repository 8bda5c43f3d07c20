package web_test

import (
	"encoding/csv"
	"encoding/json"
	"flag"
	"fmt"
	"image/png"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"tianti/web"
)

type plotJSON struct {
	X, Y     struct{ Quantity, Unit, Scale, Better, Price string }
	Currency string
	Points   []struct {
		ID, Group   string
		X, Y        any
		Front       bool
		Dominated   int
		DominatedBy []string `json:"dominated_by"`
	}
	Front   []string
	LeftOut []struct{ ID, Reason string } `json:"left_out"`
}

func plotOf(t *testing.T, s *web.Server, query string) plotJSON {
	t.Helper()
	r := get(t, s, "/plot.json?"+query)
	body := bodyOf(t, r)
	var p plotJSON
	if err := json.Unmarshal([]byte(body), &p); err != nil || r.StatusCode != 200 {
		t.Fatalf("%s: status %d, %v: %.300s", query, r.StatusCode, err, body)
	}
	return p
}

func TestPlotPageHasPictureTableAndFiles(t *testing.T) {
	s := builtinServer(t, nil)
	for _, prefix := range []string{"", "/zh"} {
		r := get(t, s, prefix+"/plot")
		body := bodyOf(t, r)
		if r.StatusCode != 200 {
			t.Fatalf("%s: status %d", prefix, r.StatusCode)
		}
		for _, want := range []string{"<svg", "<title", "<desc", "wide", "narrow", prefix + "/plot.svg",
			prefix + "/plot.png", prefix + "/plot.csv", prefix + "/plot.json", prefix + "/plot.md", `id="points"`,
			`id="front"`, `property="og:image"`} {
			if !strings.Contains(body, want) {
				t.Errorf("%s/plot: no %q", prefix, want)
			}
		}
		for _, refused := range []string{" style=", "<style", "%!", "NaN"} {
			if strings.Contains(body, refused) {
				t.Errorf("%s/plot has %q", prefix, refused)
			}
		}
	}
}

func TestPresetPlotsHaveCards(t *testing.T) {
	s := builtinServer(t, nil)
	doc, err := html.Parse(strings.NewReader(bodyOf(t, get(t, s, "/plot"))))
	if err != nil {
		t.Fatal(err)
	}
	var presets []string
	for n := range doc.Descendants() {
		if n.Data == "ul" && hasClass(n, "pills") && presets == nil {
			for a := range n.Descendants() {
				if a.Data == "a" {
					presets = append(presets, attrOf(a, "href"))
				}
			}
		}
	}
	if len(presets) != 7 {
		t.Fatalf("presets: %q, want 7", presets)
	}
	for _, href := range presets {
		u, err := url.Parse(href)
		if err != nil {
			t.Fatal(err)
		}
		p := plotOf(t, s, u.RawQuery)
		if len(p.Points) < 25 {
			t.Errorf("%s: %d cards", href, len(p.Points))
		}
		if body := bodyOf(t, get(t, s, href)); !strings.Contains(body, `aria-current="true"`) ||
			strings.Contains(body, `content="noindex"`) {
			t.Errorf("%s: the preset is not marked as the one shown, or not for search engines", href)
		}
	}
}

func hasClass(n *html.Node, class string) bool {
	return slices.Contains(strings.Fields(attrOf(n, "class")), class)
}

func attrOf(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func TestMissionChartsCompareSeries(t *testing.T) {
	p := plotOf(t, builtinServer(t, nil),
		"x=buy_price&y=fp32_vector_tflops&color=series&vendor=NVIDIA&segment=desktop&architecture=Ada+Lovelace,Ampere,Blackwell,Maxwell,Pascal,Turing")
	groups := map[string]bool{}
	for _, pt := range p.Points {
		groups[pt.Group] = true
	}
	for _, want := range []string{"GTX 900", "GTX 10", "GTX 16", "RTX 20", "RTX 30", "RTX 40", "RTX 50"} {
		if !groups[want] {
			t.Errorf("no card of %s: %v", want, groups)
		}
	}
	if p.X.Price != "launch" || p.Currency != "USD" || p.X.Unit != "USD" || p.X.Better != "lower" {
		t.Errorf("x is %+v in %s, want launch prices in USD", p.X, p.Currency)
	}
}

func TestPlotDominanceHoldsInEveryFormat(t *testing.T) {
	s := builtinServer(t, nil)
	query := "x=tdp_w&y=memory_gb&segment=desktop"
	p := plotOf(t, s, query)
	at := map[string][2]float64{}
	for _, pt := range p.Points {
		at[pt.ID] = [2]float64{pt.X.(float64), pt.Y.(float64)}
	}
	for _, pt := range p.Points {
		beaten := 0
		for _, other := range at {
			x, y := pt.X.(float64), pt.Y.(float64)
			if other[0] <= x && other[1] >= y && (other[0] != x || other[1] != y) {
				beaten++
			}
		}
		if pt.Dominated != beaten || pt.Front != (beaten == 0) || pt.Front != slices.Contains(p.Front, pt.ID) {
			t.Errorf("%s: %+v, want beaten by %d", pt.ID, pt, beaten)
		}
	}
	rows, err := csv.NewReader(strings.NewReader(bodyOf(t, get(t, s, "/plot.csv?"+query)))).ReadAll()
	if err != nil || len(rows) != len(p.Points)+1 {
		t.Fatalf("CSV: %d rows, %v, want %d", len(rows), err, len(p.Points)+1)
	}
	for i, row := range rows[1:] {
		if pt := p.Points[i]; row[0] != pt.ID || row[4] != fmt.Sprint(pt.Y) || row[7] != fmt.Sprint(pt.Front) {
			t.Errorf("CSV row %q, want %+v", row, pt)
		}
	}
	md := bodyOf(t, get(t, s, "/plot.md?"+query))
	if n := strings.Count(md, "\n| "); n != len(rows)+1 {
		t.Errorf("Markdown has %d rows, want %d", n, len(rows)+1)
	}
	page := bodyOf(t, get(t, s, "/plot?"+query))
	for _, id := range p.Front {
		if !strings.Contains(page, "/cards/"+id) {
			t.Errorf("the page does not name %s", id)
		}
	}
}

func TestPlotTakesTheFiltersOfTheCatalogue(t *testing.T) {
	s := builtinServer(t, nil)
	filter := "vendor=AMD,NVIDIA&memory_gb=%3E%3D24&tdp_w=any&memory_bandwidth_gb_s=any"
	p := plotOf(t, s, "x=tdp_w&y=memory_bandwidth_gb_s&"+filter)
	var list struct{ Total int }
	if err := json.Unmarshal([]byte(bodyOf(t, get(t, s, "/api/v1/cards?"+filter))), &list); err != nil {
		t.Fatal(err)
	}
	if list.Total == 0 || len(p.Points) != list.Total {
		t.Errorf("%d cards plotted, the catalogue has %d", len(p.Points), list.Total)
	}
	page := bodyOf(t, get(t, s, "/plot?x=tdp_w&"+filter))
	if !strings.Contains(page, `href="/cards?vendor=AMD,NVIDIA&amp;memory_gb=`) {
		t.Error("the page does not lead to the same cards in the catalogue")
	}
	if body := bodyOf(t, get(t, s, "/cards?"+filter)); !strings.Contains(body,
		`href="/plot?vendor=AMD,NVIDIA&amp;memory_gb=`) {
		t.Error("the catalogue does not lead to the plot of the same cards")
	}
}

func TestEqualPlotsHaveOneAddressAndEqualBytes(t *testing.T) {
	s := builtinServer(t, nil)
	for _, spelling := range []string{"x=tdp_w&y=memory_bandwidth_gb_s&color=vendor&xscale=auto&labels=&vendor=NVIDIA",
		"vendor=nvidia&x=tdp_w"} {
		for _, f := range []string{"", ".svg", ".json", ".csv", ".md"} {
			one, other := get(t, s, "/plot"+f+"?"+spelling),
				get(t, builtinServer(t, nil), "/plot"+f+"?x=tdp_w&vendor=NVIDIA")
			if bodyOf(t, one) != bodyOf(t, other) {
				t.Errorf("/plot%s?%s is not the same as its canonical address", f, spelling)
			}
		}
	}
}

var updateDrawings = flag.Bool("update", false, "rewrite the golden drawings in testdata")

// golden compares text with a kept file.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *updateDrawings {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("no golden drawing: %v (run go test ./web -run Kept -update)", err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s changed (run go test ./web -run Kept -update if that is meant); -want +got:\n%.2000s", name, diff)
	}
}

func TestPlotsLookAsKept(t *testing.T) {
	s := newServer(t, 40, nil)
	golden(t, "plot.svg", bodyOf(t, get(t, s, "/plot.svg")))
	golden(t, "plot-zh.svg", bodyOf(t, get(t, s, "/zh/plot.svg?x=launched&y=tdp_w&color=segment&labels=none")))
}

func TestRooflineLooksAsKept(t *testing.T) {
	page := bodyOf(t, get(t, newServer(t, 0, nil), "/cards/acme-x1-40gb"))
	_, section, ok := strings.Cut(page, `<section id="roofline">`)
	section, _, end := strings.Cut(section, "</section>")
	if !ok || !end {
		t.Fatal("the page has no roofline")
	}
	golden(t, "roofline.html", strings.ReplaceAll(section, "<g", "\n<g"))
	if page := bodyOf(t, get(t, newServer(t, 0, nil), "/cards/acme-x1-80gb")); strings.Contains(page, `id="roofline"`) {
		t.Error("a card without rates has a roofline")
	}
}

func TestPlotIsPaintedForSharing(t *testing.T) {
	r := get(t, builtinServer(t, nil), "/zh/plot.png?x=memory_gb&y=tdp_w")
	c, err := png.DecodeConfig(r.Body)
	if err != nil || c.Width != 1200 || c.Height != 630 || r.Header.Get("Content-Type") != "image/png" {
		t.Errorf("%s, %d × %d, %v; want a PNG of 1200 × 630", r.Header.Get("Content-Type"), c.Width, c.Height, err)
	}
}

func TestLargestPlotIsLightOnTheWire(t *testing.T) {
	s := builtinServer(t, nil)
	for _, prefix := range []string{"", "/zh"} {
		for _, coding := range []string{"gzip", "zstd"} {
			r := get(t, s, prefix+"/plot?x=memory_gb&y=memory_bandwidth_gb_s&color=segment", "Accept-Encoding", coding)
			if n := len(bodyOf(t, r)); r.Header.Get("Content-Encoding") != coding || n > 60<<10 {
				t.Errorf("%s %s: %d bytes, want at most 60 KB", prefix, coding, n)
			}
		}
	}
}

func TestBadPlotsAreRefusedByName(t *testing.T) {
	s := builtinServer(t, nil)
	for query, want := range map[string]string{
		"x=memry_gb": "memory_gb",
		"y=vendor":   "y",
		"y=fp32_vector_tflops,bf16_matrix_dense_tflops": "different bases",
		"y=memory_gb&y=tdp_w":                           "different bases",
		"x=buy_price&buy=launch,street":                 "different kinds",
		"currency=XYZ":                                  "currency",
		"buy=cheap":                                     "launch",
		"segment=dektop":                                "desktop",
		"xscale=logarithmic":                            "auto, linear, log",
		"x=launched&xscale=log":                         "linear",
		"color=price":                                   "series",
		"labels=many":                                   "front",
		"best=z:higher":                                 "x:lower",
		"best=x:more":                                   "x:lower",
		"sort=-memory_gb":                               "sort",
		"limit=5":                                       "limit",
		"memory_gb=lots":                                "memory_gb",
		"z=1":                                           "z",
		"color=vendor&color=segment":                    "once",
	} {
		for _, f := range []string{".json", ".svg", ".png", ".csv", ".md"} {
			r := get(t, s, "/plot"+f+"?"+query)
			body := bodyOf(t, r)
			if r.StatusCode != 400 || r.Header.Get("Content-Type") != "application/problem+json" ||
				!strings.Contains(body, want) {
				t.Errorf("/plot%s?%s: status %d %s, want a problem with %q: %.300s", f, query, r.StatusCode,
					r.Header.Get("Content-Type"), want, body)
			}
		}
		for _, prefix := range []string{"", "/zh"} {
			r := get(t, s, prefix+"/plot?"+query)
			if body := bodyOf(t, r); r.StatusCode != 400 || !strings.Contains(body, `class="problem"`) {
				t.Errorf("%s/plot?%s: status %d, or no word of what is wrong", prefix, query, r.StatusCode)
			}
		}
	}
	if r := get(t, s, "/plot.xml"); r.StatusCode != 404 {
		t.Errorf("/plot.xml: status %d, want 404", r.StatusCode)
	}
}

func TestPlotOfNothingIsClear(t *testing.T) {
	s := builtinServer(t, nil)
	for _, query := range []string{"memory_gb=%3E%3D90000", "x=mig_instances&vendor=Apple",
		"x=interconnect_gb_s&xscale=log&interconnect_gb_s=0"} {
		for _, prefix := range []string{"", "/zh"} {
			r := get(t, s, prefix+"/plot?"+query)
			if body := bodyOf(t, r); r.StatusCode != 200 || strings.Contains(body, `<figure class="drawing"`) ||
				!strings.Contains(body, `class="empty"`) {
				t.Errorf("%s/plot?%s: status %d, want a page that says that there is nothing", prefix,
					query, r.StatusCode)
			}
		}
		for _, f := range []string{".svg", ".png"} {
			if r := get(t, s, "/plot"+f+"?"+query); r.StatusCode != 404 ||
				r.Header.Get("Content-Type") != "application/problem+json" {
				t.Errorf("/plot%s?%s: status %d %s, want a problem", f, query, r.StatusCode,
					r.Header.Get("Content-Type"))
			}
		}
		if p := plotOf(t, s, query); len(p.Points) != 0 || p.Points == nil {
			t.Errorf("%s: points %v, want an empty list", query, p.Points)
		}
		for _, f := range []string{".csv", ".md"} {
			if r := get(t, s, "/plot"+f+"?"+query); r.StatusCode != 200 {
				t.Errorf("/plot%s?%s: status %d", f, query, r.StatusCode)
			}
		}
	}
}

func TestLogAxisLeavesOutWhatItHasNoPlaceFor(t *testing.T) {
	p := plotOf(t, newServer(t, 0, nil), "x=memory_gb&y=memory_bandwidth_gb_s&xscale=log")
	if len(p.Points) != 1 || len(p.LeftOut) != 1 || p.LeftOut[0].Reason != "no_y" {
		t.Errorf("got %+v", p)
	}
}

func TestPlotOfTooManyCardsAsksForFewer(t *testing.T) {
	s := newServer(t, 2500, nil)
	r := get(t, s, "/plot")
	if body := bodyOf(t, r); r.StatusCode != 200 || !strings.Contains(body, `class="empty"`) {
		t.Errorf("status %d, want a page that asks for fewer", r.StatusCode)
	}
	if r := get(t, s, "/plot.svg"); r.StatusCode != 404 {
		t.Errorf("SVG: status %d, want 404", r.StatusCode)
	}
}

func TestDirectionsOfAPlotCanBeChosen(t *testing.T) {
	s := builtinServer(t, nil)
	if p := plotOf(t, s, "x=launched&y=shader_cores&vendor=NVIDIA"); p.Front != nil || p.X.Better != "none" {
		t.Errorf("a date has a direction: %+v %v", p.X, p.Front)
	}
	p := plotOf(t, s, "x=launched&y=shader_cores&vendor=NVIDIA&best=x:lower")
	if len(p.Front) == 0 {
		t.Fatal("no records")
	}
	day, cores := "", 0.0
	for _, id := range p.Front { // each later one has more than all before
		for _, pt := range p.Points {
			if pt.ID == id {
				if pt.X.(string) < day || pt.Y.(float64) < cores {
					t.Errorf("%s of %v with %v after %v with %v", id, pt.X, pt.Y, day, cores)
				}
				day, cores = pt.X.(string), pt.Y.(float64)
			}
		}
	}
	if body := bodyOf(t, get(t, s, "/plot?x=launched&y=shader_cores&vendor=NVIDIA")); !strings.Contains(body,
		"best=x:lower") {
		t.Error("the page does not offer directions")
	}
}

func TestPlotNumbersArePricedInTheCurrency(t *testing.T) {
	s := builtinServer(t, nil)
	usd, cny := plotOf(t, s, "x=buy_price&vendor=NVIDIA"), plotOf(t, s, "x=buy_price&vendor=NVIDIA&currency=CNY")
	if usd.Currency != "USD" || cny.Currency != "CNY" || len(usd.Points) == 0 {
		t.Fatalf("currencies %q and %q, %d cards", usd.Currency, cny.Currency, len(usd.Points))
	}
	dollars := map[string]float64{}
	for _, pt := range usd.Points {
		dollars[pt.ID] = pt.X.(float64)
	}
	for _, pt := range cny.Points {
		if d, ok := dollars[pt.ID]; ok && (pt.X.(float64) < 4*d || pt.X.(float64) > 12*d) {
			t.Errorf("%s: USD %v and CNY %v", pt.ID, d, pt.X)
		}
	}
}

// A plot of what may be shipped says how the rules were read.
func TestAPlotByExportControlSaysHowTheRulesWereRead(t *testing.T) {
	s := newServer(t, 20, nil)
	for address, want := range map[string]bool{"/plot?destination=CN&export=any": true, "/plot": false} {
		page := bodyOf(t, get(t, s, address))
		if got := strings.Contains(page, `<a href="/methodology#export-control"`); got != want {
			t.Errorf("%s: says what is not modelled: %v, want %v", address, got, want)
		}
	}
}
