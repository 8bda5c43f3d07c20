package web_test

import (
	"encoding/csv"
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tianti/catalog"
	"tianti/exportcontrol"
	"tianti/locale"
	"tianti/seed"
	"tianti/web"
)

// builtin is the catalogue that comes with the program, read once.
var builtin = sync.OnceValues(func() (*catalog.Snapshot, error) {
	d, err := seed.Builtin()
	if err != nil {
		return nil, err
	}
	return catalog.NewSnapshot(1, d), nil
})

// builtinServer serves the built-in catalogue, on a day after every rule unless
// change sets another clock.
func builtinServer(t testing.TB, change func(*web.Config)) *web.Server {
	t.Helper()
	snap, err := builtin()
	if err != nil {
		t.Fatal(err)
	}
	cfg := web.Config{Now: func() time.Time { return time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC) }}
	if change != nil {
		change(&cfg)
	}
	s := web.New(cfg)
	t.Cleanup(s.Close)
	s.Swap(snap)
	return s
}

const h100, a800 = "nvidia-h100-sxm5-80gb", "nvidia-a800-sxm4-80gb"

// matrixCards are the ids of the cards in the first table of a page, in its order.
func matrixCards(t testing.TB, page string) []string {
	t.Helper()
	table, _, ok := strings.Cut(page, "</tbody>")
	if !ok {
		t.Fatal("the page has no table")
	}
	return allSubmatches(matrixCard, table)
}

// everyPart are the cards of all parts of the matrix at an address.
func everyPart(t testing.TB, s *web.Server, address string) []string {
	t.Helper()
	var out []string
	for n := 1; ; n++ {
		sign := "?"
		if strings.Contains(address, "?") {
			sign = "&"
		}
		page := bodyOf(t, get(t, s, address+sign+"page="+strconv.Itoa(n)))
		out = append(out, matrixCards(t, page)...)
		if !strings.Contains(page, "page="+strconv.Itoa(n+1)+"#matrix-title") {
			return out
		}
	}
}

var matrixCard = regexp.MustCompile(`<th scope="row"><a href="(?:/zh)?/cards/([^?"]+)\?`)

func allSubmatches(re *regexp.Regexp, text string) []string {
	var out []string
	for _, m := range re.FindAllStringSubmatch(text, -1) {
		out = append(out, m[1])
	}
	return out
}

// exportItem is a card in the matrix for programs.
type exportItem struct {
	Card, Overall string
	TPP           *float64
}

func readMatrix(t testing.TB, r *http.Response) (items []exportItem) {
	t.Helper()
	var list struct {
		Items []exportItem
		Total int
	}
	if err := json.NewDecoder(r.Body).Decode(&list); err != nil {
		t.Fatal(err)
	}
	if list.Total != len(list.Items) {
		t.Errorf("total %d of %d items", list.Total, len(list.Items))
	}
	return list.Items
}

func idsOf(items []exportItem) []string {
	var ids []string
	for _, item := range items {
		ids = append(ids, item.Card)
	}
	return ids
}

func TestTheExportMatrixHoldsTheSameCardsInAllFormats(t *testing.T) {
	s := builtinServer(t, nil)
	for _, query := range []string{"", "?as_of=2026-01-14&vendor=NVIDIA&segment=datacenter",
		"?destination=vn&verdict=licence_required", "?destination=SG&headquarters=CN&verdict=unknown",
		"?as_of=2022-01-01&verdict=case_by_case"} {
		for _, prefix := range []string{"", "/zh"} {
			body := map[string]string{}
			for suffix, want := range map[string]string{"": "text/html; charset=utf-8", ".json": "application/json",
				".csv": "text/csv; charset=utf-8; header=present", ".md": "text/markdown; charset=utf-8"} {
				r := get(t, s, prefix+"/export-control"+suffix+query)
				body[suffix] = bodyOf(t, r)
				if got := r.Header.Get("Content-Type"); r.StatusCode != 200 || got != want {
					t.Fatalf("%s%s%s: got %d %s, want %s", prefix, suffix, query, r.StatusCode, got, want)
				}
			}
			rows, err := csv.NewReader(strings.NewReader(body[".csv"])).ReadAll()
			if err != nil {
				t.Fatal(err)
			}
			var inCSV []string
			for _, row := range rows[1:] {
				inCSV = append(inCSV, row[0])
			}
			var onScreen []string
			if len(inCSV) > 0 {
				onScreen = everyPart(t, s, prefix+"/export-control"+query)
			}
			if diff := cmp.Diff(onScreen, inCSV); diff != "" {
				t.Errorf("%s%s: the screen and CSV differ: %s", prefix, query, diff)
			}
			if got := strings.Count(body[".md"], "\n|") - 2; got != len(inCSV) {
				t.Errorf("%s%s: %d rows in Markdown, %d in CSV", prefix, query, got, len(inCSV))
			}
			ids := idsOf(readMatrix(t, get(t, s, prefix+"/export-control.json"+query)))
			slices.Sort(ids)
			slices.Sort(inCSV)
			if diff := cmp.Diff(inCSV, ids); diff != "" {
				t.Errorf("%s%s: CSV and JSON differ: %s", prefix, query, diff)
			}
			if empty := query == "?as_of=2022-01-01&verdict=case_by_case"; empty != (len(ids) == 0) {
				t.Errorf("%s%s: %d cards", prefix, query, len(ids))
			}
		}
	}
}

func TestTheExportMatrixHasTheStrictestVerdictsFirst(t *testing.T) {
	s := builtinServer(t, nil)
	overall := map[string]string{}
	tpp := map[string]float64{}
	for _, item := range readMatrix(t, get(t, s, "/export-control.json?as_of=2026-02-01")) {
		overall[item.Card] = item.Overall
		if item.TPP != nil {
			tpp[item.Card] = *item.TPP
		}
	}
	shown := everyPart(t, s, "/export-control?as_of=2026-02-01")
	then, err := s.Snapshot().AsOf(t.Context(), "2026-02-01")
	if err != nil {
		t.Fatal(err)
	}
	if len(shown) != then.Len() || len(shown) < 400 {
		t.Errorf("%d cards, want all %d of that day", len(shown), then.Len())
	}
	rank := func(id string) int { return slices.Index(exportcontrol.Verdicts, exportcontrol.Status(overall[id])) }
	for i := 1; i < len(shown); i++ {
		before, after := shown[i-1], shown[i]
		if rank(before) > rank(after) || rank(before) == rank(after) && tpp[before] < tpp[after] {
			t.Errorf(
				"%s (%s, TPP %v) stands before %s (%s, TPP %v)",
				before,
				overall[before],
				tpp[before],
				after,
				overall[after],
				tpp[after],
			)
		}
	}
}

func TestFiltersOfTheExportMatrixKeepWhatTheyName(t *testing.T) {
	s := builtinServer(t, nil)
	snap := s.Snapshot()
	all := readMatrix(t, get(t, s, "/export-control.json?as_of=2026-02-01"))
	for filter, keeps := range map[string]func(c *catalog.Card, item exportItem) bool{
		"vendor=AMD":           func(c *catalog.Card, _ exportItem) bool { return c.Vendor == "AMD" },
		"segment=workstation":  func(c *catalog.Card, _ exportItem) bool { return c.Segment == "workstation" },
		"verdict=case_by_case": func(_ *catalog.Card, item exportItem) bool { return item.Overall == "case_by_case" },
		"vendor=NVIDIA&segment=datacenter&verdict=not_controlled": func(c *catalog.Card, item exportItem) bool {
			return c.Vendor == "NVIDIA" && c.Segment == "datacenter" && item.Overall == "not_controlled"
		},
	} {
		var want []string
		for _, item := range all {
			row, _ := snap.Find(item.Card)
			if keeps(snap.Card(row), item) {
				want = append(want, item.Card)
			}
		}
		got := idsOf(readMatrix(t, get(t, s, "/export-control.json?as_of=2026-02-01&"+filter)))
		if diff := cmp.Diff(want, got); diff != "" || len(want) == 0 || len(want) == len(all) {
			t.Errorf("%s keeps %d of %d cards: %s", filter, len(want), len(all), diff)
		}
	}
}

func TestBadQuestionsOnExportControlAreRefusedByName(t *testing.T) {
	s := newServer(t, 5, nil)
	const (
		matrix = "/export-control"
		sheet  = "/export-control/worksheet"
	)
	for _, c := range []struct{ path, query, param string }{
		{matrix, "as_of=2026-02-31", "as_of"}, {matrix, "as_of=1999-01-01", "as_of"},
		{matrix, "as_of=2036-01-01", "as_of"}, {matrix, "as_of=20260101", "as_of"},
		{matrix, "destination=XX", "destination"}, {matrix, "destination=China", "destination"},
		{matrix, "headquarters=ZZ", "headquarters"},
		{matrix, "verdict=maybe", "verdict"}, {matrix, "vendor=Nobody", "vendor"},
		{matrix, "segment=toaster", "segment"},
		{matrix, "asof=2026-01-01", "asof"}, {matrix, "destination=CN&destination=VN", "destination"},
		{"/export-control/US-BIS-2023-3A090", "as_of=2026-02-31", "as_of"}, {"/export-control/US-BIS-2023-3A090",
			"vendor=Acme", "vendor"},
		{"/cards/acme-x1-40gb", "as_of=2026-02-31", "as_of"}, {"/cards/acme-x1-40gb", "destination=XX", "destination"},
		{"/cards/acme-x1-40gb", "headquarters=ZZ", "headquarters"}, {"/cards/acme-x1-40gb", "vendor=Acme", "vendor"},
		{sheet, "as_of=2026-02-31", "as_of"}, {sheet, "destination=XX", "destination"},
		{sheet, "headquarters=ZZ", "headquarters"},
		{sheet, "fp16_matrix_dense_tflops=-4", "fp16_matrix_dense_tflops"}, {sheet, "fp16_matrix_dense_tflops=1e99",
			"fp16_matrix_dense_tflops"},
		{sheet, "fp16_matrix_dense_tflops=NaN", "fp16_matrix_dense_tflops"}, {sheet, "fp16_matrix_dense_tflops=0x10",
			"fp16_matrix_dense_tflops"},
		{sheet, "fp16_matrix_dense_tflops=Inf", "fp16_matrix_dense_tflops"}, {sheet, "fp16_matrix_dense_tflops=1_0",
			"fp16_matrix_dense_tflops"},
		{sheet, "pcie_generation=8", "pcie_generation"}, {sheet, "datacenter=perhaps", "datacenter"},
		{sheet, "tdp_w=4", "tdp_w"}, {sheet, "memory_bandwidth_gb_s=1&memory_bandwidth_gb_s=2",
			"memory_bandwidth_gb_s"},
	} {
		for _, prefix := range []string{"", "/zh"} {
			target := prefix + c.path + "?" + c.query
			r := get(t, s, target)
			body := bodyOf(t, r)
			if r.StatusCode != 400 || !strings.Contains(body, "“"+c.param+"”") {
				t.Errorf("%s: got %d, want 400 that names %s", target, r.StatusCode, c.param)
			}
			if !strings.HasPrefix(r.Header.Get("Content-Type"), "text/html") ||
				r.Header.Get("Cache-Control") != "no-store" {
				t.Errorf("%s: got %v, want a page that is not kept", target, r.Header)
			}
		}
		if c.path != matrix {
			continue
		}
		for _, suffix := range []string{".json", ".csv", ".md"} {
			var p struct {
				Errors []struct{ Parameter, Detail string }
			}
			r := get(t, s, c.path+suffix+"?"+c.query)
			if err := json.NewDecoder(r.Body).Decode(&p); err != nil {
				t.Fatal(err)
			}
			if r.StatusCode != 400 || len(p.Errors) != 1 || p.Errors[0].Parameter != c.param ||
				p.Errors[0].Detail == "" {
				t.Errorf("%s%s?%s: got %d %+v, want 400 for %s", c.path, suffix, c.query, r.StatusCode, p, c.param)
			}
		}
	}
}

func TestACardPageTakesAQuestionAndStaysCanonical(t *testing.T) {
	s := builtinServer(t, func(c *web.Config) { c.Origin = "https://tianti.example" })
	canonical := `<link rel="canonical" href="https://tianti.example/cards/` + h100 + `">`
	plain := bodyOf(t, get(t, s, "/cards/"+h100))
	if !strings.Contains(plain, canonical) || strings.Contains(plain, "noindex") {
		t.Error("the plain page is not canonical, or may not be indexed")
	}
	for query, verdict := range map[string]string{
		"as_of=2026-01-14&destination=CN":                 "licence, presumption of denial",
		"as_of=2026-01-15&destination=CN":                 "licence, case-by-case review",
		"as_of=2022-04-01&destination=CN":                 "not caught by the rules modelled here",
		"as_of=2026-02-01&destination=FR":                 "licence by the text, which BIS says it does not enforce",
		"as_of=2026-02-01&destination=FR&headquarters=CN": "licence, presumption of denial",
	} {
		page := bodyOf(t, get(t, s, "/cards/"+h100+"?"+query))
		_, section, _ := strings.Cut(page, `class="verdictline"`)
		if got := allSubmatches(regexp.MustCompile(`^><span[^>]*>([^<]*)`), section); len(got) != 1 ||
			got[0] != verdict {
			t.Errorf("%s: got verdict %q, want %q", query, got, verdict)
		}
		if strings.Contains(page, canonical) || !strings.Contains(page, "noindex") {
			t.Errorf("%s: the page of a day passes as that of now, or may be indexed", query)
		}
	}
	page := bodyOf(t, get(t, s, "/cards/"+h100+"?destination=FR"))
	if !strings.Contains(page, canonical) || !strings.Contains(page, "noindex") {
		t.Error("the page for a destination is its own canonical, or may be indexed")
	}
	// Without a destination it is the page of that day, with the rules of that day.
	page = bodyOf(t, get(t, s, "/cards/"+h100+"?as_of=2026-01-14"))
	if !strings.Contains(page, ">licence, presumption of denial<") || strings.Contains(page, canonical) ||
		!strings.Contains(page, "As of 2026-01-14") {
		t.Error("the page of a day has no rules of that day, or passes as that of now")
	}
	for _, suffix := range []string{".json", ".csv", ".md"} {
		if r := get(t, s, "/cards/"+h100+suffix+"?as_of=2026-01-15&destination=CN"); r.StatusCode != 400 ||
			!strings.Contains(bodyOf(t, r), "destination") {
			t.Errorf("%s: got %d, want 400 that names destination", suffix, r.StatusCode)
		}
	}
}

func TestTheHistoryOfACardOnItsPage(t *testing.T) {
	s := builtinServer(t, nil)
	step := regexp.MustCompile(`<span class="when">\s*([^<]*?)\s*</span>\s*<span[^>]*>([^<]*)</span>`)
	for prefix, want := range map[string][][2]string{
		"": {{"from 2022-11-08", "not caught by the rules modelled here"}, {"from 2023-10-23", "licence required"},
			{"from 2023-11-17", "licence, presumption of denial"}, {"from 2026-01-15", "licence, case-by-case review"}},
		"/zh": {{"自 2022-11-08", "本站所收规则均未涉及"}, {"自 2023-10-23", "需要许可"}, {"自 2023-11-17", "需要许可，推定拒绝"},
			{"自 2026-01-15", "需要许可，个案审查"}},
	} {
		_, history, _ := strings.Cut(bodyOf(t, get(t, s, prefix+"/cards/"+a800)), `class="history"`)
		history, _, _ = strings.Cut(history, "</ol>")
		var got [][2]string
		for _, m := range step.FindAllStringSubmatch(history, -1) {
			got = append(got, [2]string{m[1], m[2]})
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: -want +got: %s", prefix, diff)
		}
	}
}

// TestTodayIsTheDayOfTheClock asks on the evening before China's case-by-case rule
// and on the next morning, when what was asked for again and again is in the cache.
func TestTodayIsTheDayOfTheClock(t *testing.T) {
	now := time.Date(2026, 1, 15, 7, 59, 59, 0, time.FixedZone("Beijing", 8*3600)) // 2026-01-14 in UTC
	s := builtinServer(t, func(c *web.Config) { c.Now = func() time.Time { return now } })
	const card = "&card=" + h100
	addresses := map[string][2]string{ // what is there on the first day only, and on the second
		"/export-control":  {`value="2026-01-14"`, `value="2026-01-15"`},
		"/export-control?": {`value="2026-01-14"`, `value="2026-01-15"`},
		"/export-control.csv": {
			h100 + ",NVIDIA,H100 SXM5 80GB,presumption_of_denial",
			h100 + ",NVIDIA,H100 SXM5 80GB,case_by_case",
		},
		"/export-control.json":                                   {`"as_of":"2026-01-14"`, `"as_of":"2026-01-15"`},
		"/zh/export-control.md?vendor=NVIDIA&as_of=":             {"2026-01-14", "2026-01-15"},
		"/export-control/US-BIS-2023-3A090":                      {`value="2026-01-14"`, `value="2026-01-15"`},
		"/export-control/worksheet?fp16_matrix_dense_tflops=312": {`value="2026-01-14"`, `value="2026-01-15"`},
		"/cards/" + h100:                                         {"2026-01-14", "2026-01-15"},
		"/cards/" + h100 + ".md":                                 {"2026-01-14.", "2026-01-15."},
		"/api/v1/export-control?destination=CN" + card:           {`"as_of":"2026-01-14"`, `"as_of":"2026-01-15"`},
	}
	ask := func(day int) {
		for address, says := range addresses {
			for range 3 {
				r := get(t, s, address)
				if body := bodyOf(t, r); r.StatusCode != 200 || !strings.Contains(body, says[day]) {
					t.Errorf("%s on day %d: got %d without %q", address, day+1, r.StatusCode, says[day])
				}
			}
		}
	}
	ask(0)
	now = now.Add(time.Second)
	ask(1)
}

func TestAPageOfADayIsCached(t *testing.T) {
	now := time.Date(2026, 1, 14, 12, 0, 0, 0, time.UTC) // a rule begins tomorrow
	s := builtinServer(t, func(c *web.Config) {
		c.MissesPerMin = 10 // what is put back to a day counts as five
		c.Now = func() time.Time { return now }
	})
	const address = "/export-control?as_of=2025-06-01&destination=CN"
	first := bodyOf(t, get(t, s, address))
	for i := range 5 { // one miss more, then none
		now = now.AddDate(0, 0, 1)
		if r := get(t, s, address); r.StatusCode != 200 || bodyOf(t, r) != first {
			t.Errorf("request %d: got %d, want the same page from the cache", i+2, r.StatusCode)
		}
	}
	if r := get(t, s, "/export-control?as_of=2025-06-02"); r.StatusCode != 429 {
		t.Errorf("a third miss: got %d, want 429", r.StatusCode)
	}
}

func TestARuleThatHasEndedIsShownAsOfItsLastDay(t *testing.T) {
	s := builtinServer(t, nil)
	for rule, day := range map[string]string{"US-BIS-2022-3A090": "2023-11-16", "US-LETTER-2022-08-26": "2022-10-21",
		"US-BIS-2023-3A090": "2026-11-20"} {
		page := bodyOf(t, get(t, s, "/export-control/"+rule))
		if !strings.Contains(page, `name="as_of" value="`+day+`"`) || !slices.Contains(matrixCards(t, page), h100) {
			t.Errorf("%s: the page does not show the H100 under it on %s", rule, day)
		}
	}
	if page := bodyOf(t, get(t, s, "/export-control/US-BIS-2022-3A090?as_of=2023-11-17")); strings.Contains(
		page,
		`class="plain matrix"`,
	) {
		t.Error("the page shows cards under a rule on the day after it ended")
	}
}

func TestRulesThatDoNotExistAreNotFound(t *testing.T) {
	s := newServer(t, 3, nil)
	for _, path := range []string{"/export-control/US-BIS-1999", "/zh/export-control/US-BIS-1999",
		"/export-control/us-bis-2023-3a090", "/export-control/US-BIS-2023-3A090.json",
		"/export-control.xml", "/export-control/worksheet.json", "/export-control/a/b"} {
		if r := get(t, s, path); r.StatusCode != 404 {
			t.Errorf("%s: got %d, want 404", path, r.StatusCode)
		}
	}
}

func TestEveryRuleHasAPageThatShowsItsConditions(t *testing.T) {
	s := builtinServer(t, nil)
	for _, l := range locale.All() {
		for _, rule := range exportcontrol.Rules() {
			r := get(t, s, l.Path("/export-control/"+rule.ID))
			page := bodyOf(t, r)
			if r.StatusCode != 200 || !strings.Contains(page, `</h1><p class="note"><code>`+rule.ID+`</code>`) {
				t.Errorf("%s %s: got %d", l.Code(), rule.ID, r.StatusCode)
			}
			if strings.Contains(
				page,
				l.Pick("This rule cannot be evaluated from the figures of a card.", "该规则无法"),
			) == rule.Evaluable() {
				t.Errorf("%s %s: it does not say whether figures decide", l.Code(), rule.ID)
			}
			for _, o := range rule.Outcomes {
				for _, limb := range o.Any {
					for _, c := range limb.All {
						if c.Quantity != exportcontrol.Datacenter && !strings.Contains(page, l.Number(c.Bound)) {
							t.Errorf("%s %s: the page lacks the bound %v", l.Code(), rule.ID, c.Bound)
						}
					}
				}
			}
		}
	}
}

// TestAPageDoesNotDependOnWhoAskedFirst: addresses that mean the same share a place
// in the cache, so they must not differ.
func TestAPageDoesNotDependOnWhoAskedFirst(t *testing.T) {
	const today = "2026-11-20"
	for _, path := range []string{"/export-control", "/cards/" + h100, "/export-control/US-BIS-2022-3A090",
		"/export-control/worksheet"} {
		addresses := []string{path, path + "?as_of=" + today + "&destination=CN", path + "?destination=cn"}
		alone := map[string]string{}
		for _, address := range addresses {
			alone[address] = bodyOf(t, get(t, builtinServer(t, nil), address))
		}
		for _, first := range addresses {
			s := builtinServer(t, nil)
			for range 2 { // the second time it is kept
				get(t, s, first)
			}
			for _, address := range addresses {
				if got := bodyOf(t, get(t, s, address)); got != alone[address] {
					t.Errorf("%s is another page after %s was asked for", address, first)
				}
			}
		}
	}
}

// TestABlankDayIsToday: a day of blanks is no day, tomorrow neither.
func TestABlankDayIsToday(t *testing.T) {
	now := time.Date(2026, 1, 14, 12, 0, 0, 0, time.UTC)
	s := builtinServer(t, func(c *web.Config) { c.Now = func() time.Time { return now } })
	for _, path := range []string{"/export-control?as_of=%20", "/cards/" + h100 + "?as_of=+",
		"/export-control/worksheet?as_of=%20", "/export-control/US-BIS-2023-3A090?as_of=%20",
		"/api/v1/export-control?card=" + h100 + "&as_of=%20"} {
		now = time.Date(2026, 1, 14, 12, 0, 0, 0, time.UTC)
		for range 3 {
			get(t, s, path)
		}
		now = now.AddDate(0, 0, 1)
		if !strings.Contains(bodyOf(t, get(t, s, path)), "2026-01-15") {
			t.Errorf("%s: the page of yesterday was kept", path)
		}
	}
}
