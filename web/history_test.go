package web_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"tianti/catalog"
	"tianti/catalog/sample"
	"tianti/web"
)

func TestTheCatalogueAsOfADay(t *testing.T) {
	s := builtinServer(t, nil)
	for path, says := range map[string]string{
		"/cards": "2021-01-01", "/cards?vendor=AMD": "2021-01-01", "/zh/cards": "2021-01-01",
		"/compare?card=nvidia-geforce-rtx-3090&card=nvidia-geforce-rtx-2080-ti": "2021-01-01", "/prices": "2021-01-01",
		"/cards/nvidia-geforce-rtx-3090": "As of 2021-01-01", "/zh/cards/nvidia-geforce-rtx-3090": "2021-01-01 当日",
		"/cards/nvidia-geforce-rtx-3090.json": `"as_of":"2021-01-01"`, "/ladders/memory_gb": "2021-01-01",
		"/plot": "2021-01-01", "/cards.md": "2021-01-01",
		"/api/v1/cards": `"as_of":"2021-01-01"`, "/api/v1/cards/nvidia-geforce-rtx-3090": `"as_of":"2021-01-01"`,
		"/api/v1/compare?card=nvidia-geforce-rtx-3090&card=nvidia-geforce-rtx-2080-ti": `"as_of":"2021-01-01"`,
		"/api/v1/prices": `"as_of":"2021-01-01"`, "/api/v1/offers": `"as_of":"2021-01-01"`,
		"/api/v1/ladders/memory_gb": `"as_of":"2021-01-01"`,
	} {
		sep := map[bool]string{true: "&", false: "?"}[strings.Contains(path, "?")]
		first := get(t, s, path+sep+"as_of=2021-01-01")
		body := bodyOf(t, first)
		if first.StatusCode != http.StatusOK || !strings.Contains(body, says) {
			t.Errorf("%s: got %d, want 200 that says %s: %.200s", path, first.StatusCode, says, body)
			continue
		}
		if strings.Contains(body, "nvidia-h100-sxm5-80gb") || strings.Contains(body, "rtx-4090") {
			t.Errorf("%s: there is a card of 2022 in the catalogue of 2021", path)
		}
		if again := bodyOf(t, get(t, s, path+sep+"as_of=2021-01-01")); again != body {
			t.Errorf("%s: the same day is another answer the second time", path)
		}
		if link := first.Header.Get("Link"); !strings.Contains(link, "as_of=2021-01-01") {
			t.Errorf("%s: got Link %q, want the day in it", path, link)
		}
	}
}

func TestLinksAndFormsStayOnTheDay(t *testing.T) {
	s := builtinServer(t, nil)
	page := bodyOf(t, get(t, s, "/cards?as_of=2021-01-01"))
	for _, want := range []string{`href="/cards/nvidia-geforce-rtx-3090?as_of=2021-01-01"`,
		`<input type="hidden" name="as_of" value="2021-01-01">`,
		`<meta name="robots" content="noindex">`, `href="/methodology"`, "/zh/cards?as_of=2021-01-01"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	link := regexp.MustCompile(`/cite/text\?page=[^"]*`).FindString(page)
	if got := bodyOf(t, get(t, s, link)); !strings.Contains(got, "/cards?as_of=2021-01-01") {
		t.Errorf("%q of a page of a day cites %s", link, got)
	}
	var list struct{ Next string }
	if err := json.Unmarshal([]byte(bodyOf(t, get(t, s, "/api/v1/cards?limit=5&as_of=2021-01-01"))),
		&list); err != nil {
		t.Fatal(err)
	}
	if r := get(t, s, list.Next); !strings.Contains(list.Next, "as_of=2021-01-01") || r.StatusCode != http.StatusOK {
		t.Errorf("got next %q, which answers %d; want the following cards of the day", list.Next, r.StatusCode)
	}
}

// TestARecommendationOfADay: cards and prices of that day, by the estimates of now; the day of a rule goes with it.
func TestARecommendationOfADay(t *testing.T) {
	s := keepingSite(t)
	const job = "model=llama-3.1-8b&task=inference&context=2048&acquire=buy"
	for path, says := range map[string]string{
		"/recommend": "As of 2022-12-01", "/zh/recommend": "2022-12-01 当日", "/api/v1/recommend": `"as_of":"2022-12-01"`,
		"/recommend.csv": "nvidia-geforce-rtx-3090", "/recommend.json": `"as_of":"2022-12-01"`,
	} {
		for _, more := range []string{"", "&destination=CN"} {
			address := path + "?" + job + more + "&as_of=2022-12-01"
			first := get(t, s.web, address)
			body := bodyOf(t, first)
			if first.StatusCode != http.StatusOK || !strings.Contains(body, says) ||
				!strings.Contains(body, "rtx-3090") {
				t.Errorf("%s: got %d, want 200 that says %s: %.300s", address, first.StatusCode, says, body)
			}
			for _, late := range []string{"nvidia-l40s", "nvidia-geforce-rtx-5090", "nvidia-h200"} {
				if strings.Contains(body, `"id":"`+late) || body[0] != '{' && strings.Contains(body, late) {
					t.Errorf("%s: %s is there before it was announced", address, late)
				}
			}
			if again := bodyOf(t, get(t, s.web, address)); again != body {
				t.Errorf("%s is another answer the second time", address)
			}
		}
	}
	page := bodyOf(t, get(t, s.web, "/recommend?"+job+"&as_of=2022-12-01"))
	for _, want := range []string{"Estimates are by today’s method", `name="as_of" value="2022-12-01"`} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	later := time.Now().AddDate(0, 0, 30).Format(time.DateOnly)
	for address, want := range map[string]int{
		"/api/v1/recommend?" + job + "&as_of=2099-01-01":                   400, // a day to come
		"/api/v1/recommend?" + job + "&as_of=" + later + "&destination=CN": 200, // whose rules are known
		"/api/v1/recommend?" + job + "&as_of=1990-01-01":                   404,
		"/api/v1/recommend?" + job + "&as_of=2022":                         400,
		"/recommend?" + job + "&as_of=":                                    200, // a field that was left empty
	} {
		if r := get(t, s.web, address); r.StatusCode != want {
			t.Errorf("%s: got %d, want %d: %.300s", address, r.StatusCode, want, bodyOf(t, r))
		}
	}
}

// TestFiguresAreThoseThatWereShown: where the revisions of a day are known, a page of that day has their figures.
func TestFiguresAreThoseThatWereShown(t *testing.T) {
	old := catalog.NewSnapshot(7, named)
	asked := 0
	s := newServer(t, 0, func(c *web.Config) {
		c.Now = func() time.Time { return time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC) }
		c.Then = func(_ context.Context, at time.Time) (*catalog.Snapshot, error) {
			asked++
			if !at.After(time.Date(2026, 11, 12, 0, 0, 0, 0, time.UTC)) {
				return old, nil
			}
			return nil, nil
		}
	})
	changed := named
	changed.Cards = slices.Clone(named.Cards)
	card := &changed.Cards[0]
	card.Facts = slices.Clone(card.Facts)
	for i := range card.Facts {
		if f := &card.Facts[i]; f.Quantity == "memory_gb" {
			f.Number++
		}
	}
	s.Swap(catalog.NewSnapshot(8, changed))
	for day, want := range map[string]float64{"2026-11-11": 40, "2026-11-12": 41, "2026-11-20": 41} {
		body := compactJSON(t, []byte(bodyOf(t, get(t, s, "/api/v1/cards?as_of="+day+"&fields=memory_gb"))))
		if text := fmt.Sprintf(`"memory_gb":%v`, want); !strings.Contains(body, text) ||
			!strings.Contains(body, `"as_of":"`+day) {
			t.Errorf("%s: no %s in %.300s", day, text, body)
		}
	}
	if page := bodyOf(t, get(t, s, "/cards?as_of=2026-11-11")); !strings.Contains(page, "that this server showed "+
		"that day") {
		t.Error("the page does not say whose figures it has")
	}
	if page := bodyOf(t, get(t, s, "/cards?as_of=2026-11-12")); !strings.Contains(page, "those of today’s revision 8") {
		t.Error("the page does not say whose figures it has")
	}
	if asked != 2 {
		t.Errorf("asked for revisions %d times, want once for each day that is past", asked)
	}
}

func TestWhatIsNotOfTheDaySaysSo(t *testing.T) {
	s := builtinServer(t, nil)
	for path, wants := range map[string][]string{
		"/cards?as_of=2021-01-01": {"of that day. Specifications are those of today’s " +
			"revision", "because"},
		"/zh/prices?as_of=2021-01-01":             {"规格数值取自今天的修订版", "因为"},
		"/ladders/memory_gb.svg?as_of=2021-01-01": {"as of 2021-01-01 (specifications to 2026-"},
		"/cards?as_of=1990-01-01":                 {"1990-01-01", " – 2026-11-20"},
		"/zh/cards?as_of=2030-01-01":              {"2030-01-01", "… – 2026-11-20"},
		"/r/999/cards":                            {"This revision is no longer kept", `href="/r/1/cards"`},
		"/r/999/zh/cards":                         {`href="/r/1/zh/cards"`},
	} {
		body := bodyOf(t, get(t, s, path))
		for _, want := range wants {
			if !strings.Contains(body, want) {
				t.Errorf("%s lacks %q", path, want)
			}
		}
	}
	page := bodyOf(t, get(t, s, "/cards?as_of=2021-01-01"))
	if file := alternate(t, page, "text/csv"); !strings.Contains(file, "as_of=2021-01-01") {
		t.Errorf("%s: the file of the page of a day is not linked as one of that day", file)
	}
	for path, marks := range map[string]int{"/zh/cards.csv?": 1, "/zh/cards.csv?bom=no&": 0, "/cards.csv?bom=yes&": 1,
		"/cards.csv?":        0,
		"/r/1/zh/cards.csv?": 1} {
		if got := strings.Count(bodyOf(t, get(t, s, path+"as_of=2021-01-01")), "\ufeff"); got != marks {
			t.Errorf("%s: got %d byte-order marks, want %d", path, got, marks)
		}
	}
}

func TestDaysThatHaveNoCatalogue(t *testing.T) {
	s := builtinServer(t, nil) // its day is 2026-11-20
	for query, want := range map[string]struct {
		status int
		says   string
	}{
		"as_of=1990-01-01":                  {404, "begins on"},
		"as_of=2026-11-21":                  {400, "2026-11-20"},
		"as_of=2026-11-20":                  {200, "2026-11-20"},
		"as_of=2021":                        {400, "as_of"},
		"as_of=2021-02-30":                  {400, "as_of"},
		"as_of=":                            {400, "as_of"},
		"as_of=2021-01-01&as_of=2022-01-01": {400, "once"},
		"as_of=2021-01-01&memry_gb=1":       {400, "memory_gb"},
	} {
		for _, path := range []string{"/api/v1/cards", "/cards"} {
			r := get(t, s, path+"?"+query)
			body := bodyOf(t, r)
			if r.StatusCode != want.status || path != "/cards" && !strings.Contains(body, want.says) {
				t.Errorf("%s?%s: got %d %.300s, want %d that says %q", path, query, r.StatusCode, body,
					want.status, want.says)
			}
		}
	}
	for _, path := range []string{"/api/v1/cards/%00?as_of=2021-01-01", "/r/1/cards/%00",
		"/cards/%E5%8D%A1?as_of=2021-01-01"} {
		if r := get(t, s, path); r.StatusCode != http.StatusNotFound {
			t.Errorf("%s: got %d, want 404", path, r.StatusCode)
		}
	}
	// A card that was announced later is not there.
	if r := get(t, s, "/api/v1/cards/nvidia-h100-sxm5-80gb?as_of=2021-01-01"); r.StatusCode != http.StatusNotFound {
		t.Errorf("got %d for a card of 2022 in 2021, want 404", r.StatusCode)
	}
}

// TestExportControlOfADay: rules, cards and figures of that day; a day to come is one of the rules.
func TestExportControlOfADay(t *testing.T) {
	askADay(t, builtinServer(t, nil), map[string]answerOfADay{
		"/export-control?destination=CN&as_of=2023-11-17": {200, "As of 2023-11-17: cards " +
			"announced"},
		"/zh/export-control?destination=CN&as_of=2023-11-17":   {200, "2023-11-17 当日"},
		"/export-control.json?destination=CN&as_of=2023-11-17": {200, `"as_of":"2023-11-17"`},
		"/export-control/US-BIS-2023-3A090?destination=CN&as_of=2023-11-17": {200, "As of 2023-11-17: cards " +
			"announced"},
		"/api/v1/export-control?card=nvidia-h100-sxm5-80gb&as_of=2023-11-17": {200, `"as_of":"2023-11-17"`},
		"/api/v1/export-control?card=" + late + "&as_of=2023-11-17":          {404, "as of 2023-11-17"},
		"/cards?export=licence_required&destination=CN&as_of=2023-11-17": {200, "As of 2023-11-17: cards " +
			"announced"},
		"/cards/nvidia-h100-sxm5-80gb?destination=CN&as_of=2023-11-17": {200, "As of 2023-11-17: cards announced"},
		"/export-control?as_of=2026-11-20":                             {200, late}, // today
		"/export-control.json?as_of=2027-01-01":                        {200, late}, // rules to come
		"/export-control.json?as_of=2021-12-31":                        {400, "2022-01-01"},
		"/export-control/worksheet?as_of=2023-11-17&destination=CN":    {200, `name="as_of" value="2023-11-17"`},
	})
	// Of days before the first rule nothing is known, which is no permission.
	s := builtinServer(t, nil)
	if body := bodyOf(t, get(t, s, "/cards/nvidia-geforce-rtx-3090.md?as_of=2021-06-01")); !strings.Contains(body,
		"No rules before 2022-01-01") ||
		strings.Contains(body, "not caught by the rules") {
		t.Errorf("a day before the first rule: %.300s", body[max(0, strings.Index(body, "## Export control")):])
	}
}

// TestServicesOfADay: what serves a model is chosen among the cards of that day.
func TestServicesOfADay(t *testing.T) {
	askADay(t, keepingSite(t).web, map[string]answerOfADay{
		"/serve?model=llama-3.1-8b&concurrency=4&as_of=2023-11-17": {200, "As of 2023-11-17: cards " +
			"announced"},
		"/zh/serve?model=llama-3.1-8b&concurrency=4&as_of=2023-11-17":          {200, "2023-11-17 当日"},
		"/api/v1/serve?model=llama-3.1-8b&concurrency=4&as_of=2023-11-17":      {200, `"as_of":"2023-11-17"`},
		"/api/v1/serve/plan?card=A100&model=8B&concurrency=4&as_of=2023-11-17": {400, "card"},
		"/serve/nvidia-l40s?model=8B&concurrency=4&destination=CN&as_of=2023-11-17": {200, "As of 2023-11-17: cards " +
			"announced"},
		"/api/v1/recommend?model=7B&destination=CN&as_of=2021-12-31": {400, "2022-01-01"},
	})
}

// An answerOfADay is the status of an answer, and what it says.
type answerOfADay struct {
	status int
	says   string
}

// late is a card that was announced in 2025.
const late = "nvidia-geforce-rtx-5090"

// askADay asks twice.
func askADay(t *testing.T, s *web.Server, answers map[string]answerOfADay) {
	t.Helper()
	for path, want := range answers {
		first := get(t, s, path)
		body := bodyOf(t, first)
		if first.StatusCode != want.status || !strings.Contains(body, want.says) {
			t.Errorf("%s: got %d, want %d that says %s: %.300s", path, first.StatusCode, want.status, want.says, body)
			continue
		}
		if want.status == 200 && want.says != late && strings.Contains(body, `href="/cards/`+late) {
			t.Errorf("%s: there is a card of 2025 in it", path)
		}
		if want.status == 200 {
			if again := bodyOf(t, get(t, s, path)); again != body {
				t.Errorf("%s is another answer the second time", path)
			}
		}
	}
}

func TestADayIsAnsweredInTime(t *testing.T) {
	s := builtinServer(t, nil)
	var longest time.Duration
	var all time.Duration
	n := 0
	for day := time.Date(2018, 1, 1, 0, 0, 0, 0, time.UTC); day.Year() < 2026; day = day.AddDate(0, 3, 1) {
		start := time.Now()
		if r := get(t, s, "/api/v1/cards?limit=20&as_of="+day.Format(time.DateOnly)); r.StatusCode != http.StatusOK {
			t.Errorf("%s: %d", day.Format(time.DateOnly), r.StatusCode)
		}
		took := time.Since(start)
		longest, all, n = max(longest, took), all+took, n+1
	}
	t.Logf("%d days that were not asked for before: %v each, longest %v", n, all/time.Duration(n), longest)
	if mean := all / time.Duration(n); mean > 250*time.Millisecond {
		t.Errorf("got %v for a day, want much less", mean)
	}
}

func TestPermanentAddressesAnswerFromTheirRevision(t *testing.T) {
	s := newServer(t, 30, nil) // revision 7
	before := bodyOf(t, get(t, s, "/r/7/api/v1/cards"))
	s.Swap(catalog.NewSnapshot(8, sample.Dataset("synthetic", 20), named))
	after := bodyOf(t, get(t, s, "/r/8/api/v1/cards"))
	if got := bodyOf(t, get(t, s, "/r/7/api/v1/cards")); got != before || !strings.Contains(got, `"snapshot":"7"`) {
		t.Errorf("revision 7 answers otherwise once there is revision 8: %.200s", got)
	}
	if now := bodyOf(t, get(t, s, "/api/v1/cards")); compactJSON(t, []byte(now)) == compactJSON(t, []byte(before)) ||
		after == before {
		t.Error("revision 8 answers as revision 7")
	}
	page := bodyOf(t, get(t, s, "/r/7/cards?vendor=Acme"))
	for _, want := range []string{`href="/r/7/cards/acme-x1-40gb"`, "revision 7 has it.", `href="/cards?vendor=Acme"`} {
		if !strings.Contains(page, want) {
			t.Errorf("the page of revision 7 lacks %s", want)
		}
	}
	// Its citation is of that revision, and of no day: which is the newest of it is not known any more.
	link := regexp.MustCompile(`/cite/bibtex\?page=[^"]*`).FindString(page)
	if got := bodyOf(t, get(t, s, link)); !strings.Contains(got, "/r/7/cards?vendor=Acme") ||
		!strings.Contains(got, "-r7,") ||
		strings.Contains(got, "year =") {
		t.Errorf("%q cites %s", link, got)
	}
	s.Swap(catalog.NewSnapshot(9, named))
	s.Swap(catalog.NewSnapshot(10, named))
	r := get(t, s, "/r/7/api/v1/cards")
	if body := bodyOf(t, r); r.StatusCode != http.StatusGone || !strings.Contains(body, "/r/8/api/v1/cards") {
		t.Errorf("a revision that is not kept: got %d %.200s, want 410 with the nearest", r.StatusCode, body)
	}
	for path, status := range map[string]int{"/r/10/admin": 404, "/r/x/cards": 404, "/r/10/r/10/cards": 404,
		"/r/10": 200, "/r/10/zh/cards": 200,
		"/r/10/cards/nope": 404, "/r/10/api/v1/live": 404} {
		if got := get(t, s, path).StatusCode; got != status {
			t.Errorf("%s: got %d, want %d", path, got, status)
		}
	}
}

// TestExportControlOfADayIsTheSameWithoutPrices holds what is made without prices against what is made with them.
func TestExportControlOfADayIsTheSameWithoutPrices(t *testing.T) {
	s := builtinServer(t, nil)
	then, err := s.Snapshot().AsOf(t.Context(), "2025-06-01")
	if err != nil {
		t.Fatal(err)
	}
	bare, err := s.Snapshot().CardsAsOf("2025-06-01")
	if err != nil {
		t.Fatal(err)
	}
	answers := func(snap *catalog.Snapshot) *web.Server {
		s := web.New(web.Config{Now: func() time.Time { return time.Date(2025, 6, 1, 12, 0, 0, 0, time.UTC) }})
		t.Cleanup(s.Close)
		s.Swap(snap)
		return s
	}
	with, without := answers(then), answers(bare)
	for _, path := range []string{"/export-control", "/export-control?destination=CN",
		"/zh/export-control?vendor=NVIDIA", "/export-control.md",
		"/export-control.csv?destination=AE",
		"/export-control.json", "/export-control/US-BIS-2023-3A090?destination=CN",
		"/api/v1/export-control?card=" + h100} {
		if want, got := bodyOf(t, get(t, with, path)), bodyOf(t, get(t, without, path)); got != want ||
			!strings.Contains(strings.ToLower(got), "h100") {
			t.Errorf("%s: without prices it is another answer of %d bytes, with them %d", path, len(got), len(want))
		}
	}
}

func BenchmarkACatalogueOfANewDay(b *testing.B) {
	s := builtinServer(b, func(c *web.Config) {})
	day := time.Date(2018, 1, 1, 0, 0, 0, 0, time.UTC)
	for b.Loop() {
		get(b, s, "/cards?as_of="+day.Format(time.DateOnly))
		day = day.AddDate(0, 0, 1)
	}
}
