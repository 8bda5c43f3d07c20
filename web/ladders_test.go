package web_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"image/png"
	"io"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tianti/catalog"
	"tianti/web"
)

// ladderCards are made up: two vendors, three segments, ties, a value that only a
// community source states, figures that nobody states, and a format that a card lacks.
var ladderCards = func() catalog.Dataset {
	d := catalog.Dataset{ID: "builtin", Rank: 100, Sources: []catalog.Source{
		{ID: "sheet", Publisher: "Acme", Title: "Datasheet", Kind: "datasheet", Published: "2024-02"},
		{ID: "list", Publisher: "Someone", Title: "A list", Kind: "community", Published: "2023"},
	}}
	for _, c := range []struct {
		id, name, vendor, segment, source string
		fp32, bf16                        float64
		lacks                             bool
	}{
		{"acme-d1", "D1", "Acme", "desktop", "sheet", 100, 200, false},
		{"acme-d2", "D2", "Acme", "desktop", "sheet", 50, 100, false},
		{"acme-d3", "D3", "Acme", "desktop", "list", 48, 0, true},
		{"acme-d4", "D4", "Acme", "desktop", "sheet", 25, 0, false},
		{"bolt-d5", "D5 <&>", "Bolt", "desktop", "sheet", 97, 150, false},
		{"bolt-d6", "D6", "Bolt", "desktop", "sheet", 0, 0, false},
		{"bolt-l1", "L1", "Bolt", "laptop", "sheet", 20, 0, false},
		{"acme-w1", "W1", "Acme", "workstation", "sheet", 60, 0, false},
	} {
		card := catalog.Card{ID: c.id, Name: c.name, Vendor: c.vendor, Kind: "gpu", Segment: c.segment,
			Architecture: c.vendor + "-arch"}
		for id, v := range map[string]float64{"fp32_vector_tflops": c.fp32, "bf16_matrix_dense_tflops": c.bf16,
			"tdp_w": 100, "launch_price_usd": c.fp32 * 10} {
			if v > 0 {
				card.Facts = append(card.Facts, catalog.Fact{Quantity: id, Number: v, Source: c.source})
			}
		}
		card.Facts = append(card.Facts, catalog.Fact{Quantity: "launched", Text: "2024-01-02", Source: c.source})
		if c.lacks {
			card.Facts = append(card.Facts, catalog.Fact{Quantity: "bf16", Text: "false", Source: c.source})
		}
		d.Cards = append(d.Cards, card)
	}
	return d
}()

func ladderServer(t testing.TB) *web.Server {
	t.Helper()
	s := web.New(web.Config{Origin: "https://tianti.example", Now: func() time.Time {
		return time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	}})
	t.Cleanup(s.Close)
	s.Swap(catalog.NewSnapshot(7, ladderCards))
	return s
}

// ladderJSON is a ladder as programs see it.
type ladderJSON struct {
	Basis, Unit, Better, Currency, Method string
	Reference                             *struct {
		ID       string
		Value    float64
		Replaced bool
	}
	Band  float64
	Tiers []struct {
		Name     string
		From, To float64
		Cards    []struct {
			ID           string
			Value, Ratio float64
			RankFrom     int `json:"rank_from"`
			RankTo       int `json:"rank_to"`
			Ties         []string
			Confirmed    bool
		}
	}
	Unplaced []struct {
		ID, Reason string
		Missing    []string
	}
}

func readLadder(t testing.TB, h http.Handler, target string) (out ladderJSON) {
	t.Helper()
	r := get(t, h, target)
	body := bodyOf(t, r)
	if err := json.Unmarshal([]byte(body), &out); err != nil || r.StatusCode != 200 {
		t.Fatalf("%s: %d, %v: %.300s", target, r.StatusCode, err, body)
	}
	return out
}

func (l *ladderJSON) ids() (placed, unplaced []string) {
	for _, tier := range l.Tiers {
		for _, c := range tier.Cards {
			placed = append(placed, c.ID)
		}
	}
	for _, u := range l.Unplaced {
		unplaced = append(unplaced, u.ID)
	}
	return placed, unplaced
}

func TestALadderRanksTiesAndListsTheRestApart(t *testing.T) {
	l := readLadder(t, ladderServer(t), "/api/v1/ladders/fp32_vector_tflops?segment=desktop&reference=acme-d2")
	var got []string
	for _, tier := range l.Tiers {
		for _, c := range tier.Cards {
			got = append(got, tier.Name+" "+c.ID+" "+strconv.FormatFloat(c.Ratio, 'g', 3, 64)+" "+strconv.Itoa(
				c.RankFrom)+"-"+strconv.Itoa(c.RankTo)+" "+strconv.FormatBool(c.Confirmed)+" "+strings.Join(c.Ties,
				","))
		}
	}
	want := []string{"1 acme-d1 2 1-2 true bolt-d5", "1 bolt-d5 1.94 1-2 true acme-d1", "3 acme-d2 1 3-4 true acme-d3",
		"3 acme-d3 0.96 3-4 false acme-d2", "5 acme-d4 0.5 5-5 true "}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if len(l.Unplaced) != 1 || l.Unplaced[0].ID != "bolt-d6" || l.Unplaced[0].Reason != "not_stated" {
		t.Errorf("unplaced: %+v", l.Unplaced)
	}
	if math.Abs(l.Band-math.Sqrt2) > 1e-9 || l.Method == "" || l.Reference.ID != "acme-d2" || l.Better != "higher" {
		t.Errorf("got %+v", l)
	}
	for i, tier := range l.Tiers {
		if math.Abs(tier.To/tier.From/l.Band-1) > 1e-6 || i > 0 && tier.To != l.Tiers[i-1].From {
			t.Errorf("tier %s: %v … %v", tier.Name, tier.From, tier.To)
		}
	}
}

func TestWhatACardLacksIsTheReason(t *testing.T) {
	s := ladderServer(t)
	reasons := func(target string) map[string]string {
		out := map[string]string{}
		for _, u := range readLadder(t, s, target).Unplaced {
			out[u.ID] = strings.Join(append([]string{u.Reason}, u.Missing...), " ")
		}
		return out
	}
	if diff := cmp.Diff(map[string]string{"acme-d3": "not_supported bf16", "acme-d4": "not_stated",
		"bolt-d6": "not_stated"}, reasons("/ladders/bf16_matrix_dense_tflops.json?segment=desktop")); diff != "" {
		t.Error(diff)
	}
	if got := reasons("/ladders/bf16_tflops_per_w.json?segment=desktop")["acme-d4"]; got != "not_derivable "+
		"bf16_matrix_dense_tflops" {
		t.Errorf("derived: %q", got)
	}
	if got := reasons("/ladders/buy_price.json?segment=desktop")["bolt-d6"]; got != "no_price" {
		t.Errorf("price: %q", got)
	}
}

func TestLessIsBetterForPrices(t *testing.T) {
	l := readLadder(t, ladderServer(t), "/ladders/buy_price.json?segment=desktop&reference=acme-d2")
	placed, _ := l.ids()
	if want := []string{"acme-d4", "acme-d3", "acme-d2", "bolt-d5", "acme-d1"}; !slices.Equal(placed, want) ||
		l.Better != "lower" || l.Currency != "USD" || l.Unit != "USD" {
		t.Errorf("got %v, %s, %s %s", placed, l.Better, l.Currency, l.Unit)
	}
	if first := l.Tiers[0].Cards[0]; first.Ratio != 2 {
		t.Errorf("half the price is %v times as good", first.Ratio)
	}
}

func TestAReferenceWithoutAValueIsReplacedAndThePageSaysSo(t *testing.T) {
	s := ladderServer(t)
	if l := readLadder(t, s, "/ladders/fp32_vector_tflops.json?reference=bolt-d6"); !l.Reference.Replaced ||
		l.Reference.ID != "acme-d1" {
		t.Errorf("got %+v", l.Reference)
	}
	if page := bodyOf(t, get(t, s, "/ladders/fp32_vector_tflops?reference=bolt-d6")); !strings.Contains(page,
		"Bolt D6 has no value on this basis; Acme D1, the best card, is 100 % instead.") {
		t.Error("the page does not say that the reference is another")
	}
}

// listed are the cards of a page: in the ordered lists, and apart.
var (
	listedCard = regexp.MustCompile(`<li class="g\d[^"]*"><a href="(?:/zh)?/cards/([^"]+)">`)
	linkedMark = regexp.MustCompile(`<a href="(?:/zh)?/cards/([^"]+)"><title>`)
)

func TestAllFormsOfALadderHoldTheSameCards(t *testing.T) {
	s := builtinServer(t, nil)
	for _, query := range []string{"fp32_vector_tflops?segment=desktop",
		"bf16_matrix_dense_tflops?segment=datacenter&columns=generation", "memory_gb?band=2",
		"tdp_w?segment=laptop,desktop&columns=segment", "price_per_gb?currency=CNY",
		"memory_bandwidth_gb_s?vendor=AMD&reference=nvidia-geforce-rtx-4090"} {
		basis, rest, _ := strings.Cut(query, "?")
		placed, unplaced := ids(readLadder(t, s, "/ladders/"+basis+".json?"+rest))
		for _, prefix := range []string{"", "/zh"} {
			page := bodyOf(t, get(t, s, prefix+"/ladders/"+query))
			if basis == "price_per_gb" && prefix == "/zh" {
				page = bodyOf(t, get(t, s, prefix+"/ladders/"+basis)) // CNY is the usual there
			}
			listed := allSubmatches(listedCard, page)
			if len(listed) < 100 && len(listed) < len(placed) {
				t.Errorf("%s%s: the list holds %d of %d cards", prefix, query, len(listed), len(placed))
			}
			if diff := cmp.Diff(placed[:min(len(listed), len(placed))], listed); diff != "" {
				t.Errorf("%s%s: the list: %s", prefix, query, diff)
			}
			marks := allSubmatches(linkedMark, page)
			slices.Sort(marks)
			if marks = slices.Compact(marks); len(marks) < min(40, len(placed)) {
				t.Errorf("%s%s: %d cards, labels of %d", prefix, query, len(placed), len(marks))
			}
			for _, m := range marks {
				if !slices.Contains(placed, m) {
					t.Errorf("%s%s: the drawing has %s, which has no place", prefix, query, m)
				}
			}
		}
		rows, err := csv.NewReader(strings.NewReader(bodyOf(t, get(t, s, "/ladders/"+basis+".csv?"+rest)))).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		var inCSV []string
		for _, row := range rows[1:] {
			inCSV = append(inCSV, row[4])
		}
		if !slices.Equal(inCSV[:len(placed)], placed) || len(inCSV) != len(placed)+len(unplaced) {
			t.Errorf("%s: CSV has %d rows, want %d and %d", query, len(inCSV), len(placed), len(unplaced))
		}
		document := bodyOf(t, get(t, s, "/ladders/"+basis+".md?"+rest))
		if n := strings.Count(document, "\n| "); n != len(placed)+2 {
			t.Errorf("%s: Markdown has %d rows, want %d and two of the head", query, n, len(placed))
		}
	}
}

func ids(l ladderJSON) (placed, unplaced []string) { return l.ids() }

func TestBadLaddersAreRefusedByName(t *testing.T) {
	s := ladderServer(t)
	for target, want := range map[string]struct {
		status int
		says   string
	}{
		"/ladders/fp32_vector_tflop":                                   {404, "fp32_vector_tflops"},
		"/ladders/bf16_matrix_dense_tflops,fp16_matrix_dense_tflops":   {400, "different bases"},
		"/ladders/process_nm":                                          {400, "process_nm"},
		"/ladders/fp32_vector_tflops?segment=nowhere":                  {400, "desktop"},
		"/ladders/buy_price?currency=XXX":                              {400, "CNY"},
		"/ladders/fp32_vector_tflops?basis=memory_gb":                  {400, "memory_gb"},
		"/ladders/fp32_vector_tflops?reference=acme-d9":                {400, "acme-d"},
		"/ladders/fp32_vector_tflops?band=1":                           {400, "1.05"},
		"/ladders/fp32_vector_tflops?band=NaN":                         {400, "band"},
		"/ladders/fp32_vector_tflops?columns=rows":                     {400, "generation"},
		"/ladders/fp32_vector_tflops?columns=vendor&columns=vendor":    {400, "columns"},
		"/ladders/fp32_vector_tflops?limit=5":                          {400, "limit"},
		"/ladders/fp32_vector_tflops?nonsense=1":                       {400, "nonsense"},
		"/ladders?nonsense=1":                                          {400, "nonsense"},
		"/ladders/fp32_vector_tflops/x":                                {404, "x"},
		"/ladders/fp32_vector_tflops.xml":                              {404, "xml"},
		"/ladders/nope.svg":                                            {404, "basis"},
		"/ladders/fp32_vector_tflops.png?segment=nowhere":              {400, "nowhere"},
		"/ladders/fp32_vector_tflops.svg?fp32_vector_tflops=1000..":    {404, "nothing to draw"},
		"/ladders/fp32_vector_tflops.png?fp32_vector_tflops=1000..":    {404, "nothing to draw"},
		"/og/ladders/fp32_vector_tflops.png?fp32_vector_tflops=1000..": {404, "nothing to draw"},
		"/og/ladders/fp32_vector_tflops":                               {404, "og"},
		"/ladders/decode_8b.json":                                      {404, "sizing"},
		"/api/v1/ladders/nope":                                         {404, "basis"},
		"/api/v1/ladders/memory_gb?sort=name":                          {400, "sort"},
	} {
		r := get(t, s, target)
		body := bodyOf(t, r)
		if r.StatusCode != want.status || !strings.Contains(body, want.says) {
			t.Errorf("%s: got %d %.300s, want %d with %q", target, r.StatusCode, body, want.status, want.says)
		}
		picture := strings.Contains(target, ".svg") || strings.Contains(target, ".png") ||
			strings.Contains(target, ".json") || strings.Contains(target, "/api/")
		if ct := r.Header.Get("Content-Type"); picture && ct != "application/problem+json" || !picture &&
			!strings.HasPrefix(ct, "text/html") {
			t.Errorf("%s: Content-Type %q", target, ct)
		}
	}
}

func TestALadderOfNobodyIsAClearPage(t *testing.T) {
	r := get(t, ladderServer(t), "/zh/ladders/fp32_vector_tflops?fp32_vector_tflops=1000..")
	page := bodyOf(t, r)
	if r.StatusCode != 200 || !strings.Contains(page, "这张天梯上没有卡") || strings.Contains(page, "<svg class=\"chart") ||
		strings.Contains(page, "og:image") {
		t.Errorf("got %d: %.500s", r.StatusCode, page)
	}
	if l := readLadder(t, ladderServer(t), "/ladders/fp32_vector_tflops.json?fp32_vector_tflops=1000.."); l.Reference !=
		nil || len(l.Tiers) != 0 {
		t.Errorf("got %+v", l)
	}
}

func TestTheFormLeadsToTheAddressOfTheLadder(t *testing.T) {
	s := ladderServer(t)
	r := get(t, s, "/zh/ladders?basis=fp32_vector_tflops&segment=desktop&segment=laptop&reference=&band=2&columns=")
	if got, want := r.Header.Get("Location"),
		"/zh/ladders/fp32_vector_tflops?band=2&segment=desktop,laptop"; r.StatusCode != http.StatusSeeOther ||
		got != want {
		t.Errorf("got %d %q, want %q", r.StatusCode, got, want)
	}
	if got := get(t, s, "/ladders?basis=//evil.example/").Header.Get("Location"); strings.HasPrefix(got, "//") ||
		strings.HasPrefix(got, "http") {
		t.Errorf("leads to %q", got)
	}
}

func TestEqualLaddersHaveOneAddressAndTheSameBytes(t *testing.T) {
	a, b := ladderServer(t), ladderServer(t)
	for _, suffix := range []string{"", ".svg", ".png", ".json", ".csv", ".md"} {
		one := get(t, a, "/ladders/fp32_vector_tflops"+suffix+"?segment=desktop,laptop&currency=EUR&columns=vendor")
		two := get(t, b, "/ladders/fp32_vector_tflops"+suffix+"?segment=desktop&segment=laptop")
		if one.StatusCode != 200 || bodyOf(t, one) != bodyOf(t, two) ||
			one.Header.Get("Etag") != two.Header.Get("Etag") {
			t.Errorf("%q: %d, not the same", suffix, one.StatusCode)
		}
	}
}

func TestPicturesOfLaddersAreWellFormed(t *testing.T) {
	s := ladderServer(t)
	decoder := xml.NewDecoder(strings.NewReader(bodyOf(t, get(t, s, "/zh/ladders/fp32_vector_tflops.svg"))))
	for {
		if _, err := decoder.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	for target, width := range map[string]int{"/ladders/fp32_vector_tflops.png": 0,
		"/zh/ladders/fp32_vector_tflops.png?columns=generation": 0, "/og/ladders/fp32_vector_tflops.png": 1200,
		"/zh/og/ladders/fp32_vector_tflops.png?segment=desktop": 1200} {
		picture, err := png.DecodeConfig(get(t, s, target).Body)
		if err != nil || picture.Width < 800 || width > 0 && (picture.Width != width || picture.Height != 630) {
			t.Errorf("%s: %v, %+v", target, err, picture)
		}
	}
	page := bodyOf(t, get(t, s, "/ladders/fp32_vector_tflops?segment=desktop"))
	if want := `<meta property="og:image" content="https://tianti.example/og/ladders/fp32_vector_tflops.png?segment=desktop">`; !strings.Contains(page, want) {
		t.Errorf("the page lacks %s", want)
	}
}

func TestDrawingsOfLaddersLookAsKept(t *testing.T) {
	s := ladderServer(t)
	for name, target := range map[string]string{"ladder.svg": "/ladders/fp32_vector_tflops.svg?reference=acme-d2",
		"ladder-zh-generation.svg": "/zh/ladders/fp32_vector_tflops.svg?columns=generation&band=2"} {
		got := bodyOf(t, get(t, s, target))
		file := filepath.Join("testdata", name)
		if *updateDrawings {
			if err := os.MkdirAll("testdata", 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatalf("%v (run go test ./web -update)", err)
		}
		if !bytes.Equal(want, []byte(got)) {
			t.Errorf("%s changed (run go test ./web -update if that is meant)", name)
		}
	}
}

func TestSpeedsOfJobsAreALadderOfMeasuredAndEstimatedCards(t *testing.T) {
	s := sizedServer(t)
	for _, basis := range []string{"decode_8b", "prefill_8b", "lora_7b"} {
		l := readLadder(t, s, "/ladders/"+basis+".json")
		confirmed := 0
		placed, _ := l.ids()
		for _, tier := range l.Tiers {
			for _, c := range tier.Cards {
				if c.Confirmed {
					confirmed++
				}
			}
		}
		if len(placed) < 100 || confirmed == 0 || confirmed == len(placed) {
			t.Errorf("%s: %d cards, %d confirmed", basis, len(placed), confirmed)
		}
		page := bodyOf(t, get(t, s, "/ladders/"+basis))
		if !strings.Contains(page, "a measured run") {
			t.Errorf("%s: the page names no measured run", basis)
		}
	}
	l := readLadder(t, s, "/ladders/lora_7b.json")
	if !slices.ContainsFunc(l.Unplaced, func(u struct {
		ID, Reason string
		Missing    []string
	}) bool {
		return u.ID == "nvidia-geforce-rtx-4060" && u.Reason == "does_not_fit"
	}) {
		t.Error("LoRA of 7B fits into 8 GB")
	}
}

func TestTheOverviewLeadsToEveryLadder(t *testing.T) {
	s := builtinServer(t, nil)
	page := bodyOf(t, get(t, s, "/zh/ladders"))
	link := regexp.MustCompile(`href="(/zh/ladders/[^"]+)"`)
	links := allSubmatches(link, page)
	if len(links) < 100 {
		t.Fatalf("%d ladders", len(links))
	}
	for i, to := range links {
		if i%7 != 0 {
			continue // a part is enough
		}
		if r := get(t, s, strings.ReplaceAll(to, "&amp;", "&")); r.StatusCode != 200 {
			t.Errorf("%s: %d", to, r.StatusCode)
		}
	}
}

func TestALadderOfAllCardsIsSmall(t *testing.T) {
	s := builtinServer(t, nil)
	for _, target := range []string{"/ladders/memory_gb", "/zh/ladders/fp32_vector_tflops"} {
		for range 2 {
			get(t, s, target, "Accept-Encoding", "br")
		}
		r := get(t, s, target, "Accept-Encoding", "br")
		if n := len(bodyOf(t, r)); r.Header.Get("Content-Encoding") != "br" || n > 60<<10 {
			t.Errorf("%s: %d bytes in %q, want at most 60 KB", target, n, r.Header.Get("Content-Encoding"))
		}
	}
}

func BenchmarkLadder(b *testing.B) {
	s := builtinServer(b, nil)
	snap, _ := builtin()
	for _, target := range []string{"/ladders/memory_gb", "/ladders/memory_gb.png", "/ladders/price_per_gb"} {
		b.Run(target[9:], func(b *testing.B) {
			for b.Loop() {
				s.Swap(snap) // with empty caches
				if r := get(b, s, target); r.StatusCode != 200 {
					b.Fatal(r.StatusCode)
				}
			}
		})
	}
}

func TestPicturesSayWhichCardsWereChosen(t *testing.T) {
	s := ladderServer(t)
	for target, want := range map[string][]string{
		"/ladders/fp32_vector_tflops.svg": {"All cards ladder: FP32 vector"},
		"/ladders/fp32_vector_tflops.svg?vendor=Acme&tdp_w=..300": {"Selected cards ladder: FP32 vector",
			"Vendor: Acme; Board power: ..300 W"},
		"/zh/ladders/fp32_vector_tflops.svg?segment=desktop&vendor=Acme": {"天梯图：台式机 · FP32 向量算力", "厂商：Acme"},
		"/plot.svg?x=tdp_w&y=fp32_vector_tflops&vendor=Acme&tdp_w=..300": {"Vendor: Acme; Board power: ..300 W."},
	} {
		picture := bodyOf(t, get(t, s, target))
		for _, text := range want {
			if !strings.Contains(picture, text) {
				t.Errorf("%s does not say %q", target, text)
			}
		}
	}
}
