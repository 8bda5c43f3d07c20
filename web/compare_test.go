package web_test

import (
	"encoding/csv"
	"encoding/json"
	"html"
	"image/png"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"tianti/catalog"
	"tianti/web"
)

// duelServer serves cards to compare on 2026-06-10, with prices; all of it is made up.
func duelServer(t testing.TB) *web.Server {
	t.Helper()
	s := web.New(
		web.Config{
			Origin: "https://tianti.example",
			Now:    func() time.Time { return time.Date(2026, 6, 10, 12, 0, 0, 0, time.UTC) },
		},
	)
	t.Cleanup(s.Close)
	s.Swap(catalog.NewSnapshot(7, duel()))
	return s
}

func duel() catalog.Dataset {
	d := catalog.Dataset{ID: "builtin", Rank: 100, Sources: []catalog.Source{
		{
			ID:        "sheet",
			Publisher: "Acme",
			Title:     "Datasheet",
			URL:       "https://example.com/a",
			Kind:      "datasheet",
			Published: "2024",
		},
		{ID: "bank", Publisher: "A bank", Title: "Rates", URL: "https://example.com/bank", Kind: "documentation"},
	}, Rates: []catalog.ExchangeRate{{Date: "2026-06-01", Base: "USD", Quote: "CNY", Rate: "7", Source: "bank"},
		{Date: "2025-01-01", Base: "USD", Quote: "CNY", Rate: "7.3", Source: "bank"}}}
	for _, c := range []struct {
		id      string
		figures map[string]float64
	}{
		{"big", map[string]float64{"memory_gb": 80, "memory_bandwidth_gb_s": 3000, "bf16_matrix_dense_tflops": 1000,
			"fp32_vector_tflops": 60, "tdp_w": 700, "launch_price_usd": 2000}},
		{"new", map[string]float64{"memory_gb": 96, "memory_bandwidth_gb_s": 4000, "bf16_matrix_dense_tflops": 1500,
			"fp32_vector_tflops": 90, "tdp_w": 600, "launch_price_usd": 1500}},
		{"old", map[string]float64{"memory_gb": 96, "memory_bandwidth_gb_s": 3500, "bf16_matrix_dense_tflops": 1200}},
		// states no matrix rate
		{"odd", map[string]float64{"memory_gb": 32, "memory_bandwidth_gb_s": 900, "fp16_vector_tflops": 50,
			"launch_price_usd": 700}},
	} {
		card := catalog.Card{
			ID:      "acme-" + c.id,
			Name:    strings.ToUpper(c.id[:1]) + c.id[1:],
			Vendor:  "Acme",
			Kind:    "gpu",
			Segment: "datacenter",
			Facts:   []catalog.Fact{{Quantity: "launched", Text: "2024-05-01", Source: "sheet"}},
		}
		for _, q := range catalog.Quantities() {
			if v, ok := c.figures[q.ID]; ok {
				card.Facts = append(card.Facts, catalog.Fact{Quantity: q.ID, Number: v, Source: "sheet"})
			}
		}
		d.Cards = append(d.Cards, card)
	}
	add := func(card string, amount float64, date string) {
		d.Prices = append(
			d.Prices,
			catalog.Price{
				Card:   "acme-" + card,
				Kind:   "street",
				Amount: catalog.MoneyOf(amount, "USD"),
				Unit:   "card",
				Cards:  1,
				Seller: "Shop",
				Date:   catalog.Date(date),
				Source: "sheet",
			},
		)
	}
	add("big", 1800, "2026-06-01")
	add("new", 1900, "2026-06-01")
	add("old", 900, "2025-01-01")
	return d
}

// comparedRow is a row of the answer in JSON.
type comparedRow struct {
	Metric     string
	Values     []any
	Best       []int
	OtherBases []int `json:"other_bases"`
	Prices     []*struct{ Kind, Date, Freshness string }
}

func comparedJSON(t *testing.T, s http.Handler, target string) map[string]comparedRow {
	t.Helper()
	var out struct{ Rows []comparedRow }
	if err := json.NewDecoder(get(t, s, target).Body).Decode(&out); err != nil {
		t.Fatalf("%s: %v", target, err)
	}
	rows := map[string]comparedRow{}
	for _, row := range out.Rows {
		rows[row.Metric] = row
	}
	return rows
}

// rowOf is the row of a quantity on the page, tags taken out.
func rowOf(t *testing.T, body, id string) string {
	t.Helper()
	row := regexp.MustCompile(`(?s)<tr><th scope="row"><a href="[^"]*#` + id + `".*?</tr>`).FindString(body)
	if row == "" {
		t.Fatalf("no row %s", id)
	}
	return strings.Join(strings.Fields(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(row, " ")), " ")
}

func TestComparisonsShowPricesWithKindDateAndBest(t *testing.T) {
	s := duelServer(t)
	const query = "?card=acme-big&card=acme-new&card=acme-old&buy=street&rows=all"
	body := bodyOf(t, get(t, s, "/compare"+query))
	if got, want := rowOf(t, body, "buy_price"), "Price to buy USD 1 800 ▲ best street price, 2026-06-01 1 900 ×1.06 "+
		"street price, 2026-06-01 900 ×0.5 street price, 2025-01-01 too old to count"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := rowOf(t, body, "price_per_gb"); strings.Count(got, "▲ best") != 1 ||
		!strings.HasSuffix(got, "too old to count") {
		t.Errorf("price per GB: got %q, want one best and the last too old", got)
	}
	for _, want := range []string{"The New costs 1.06\u00a0× the Big to buy: $1\u202f900 against $1\u202f800.",
		"street price, Shop 2026-06-01", "The New has 1.33\u00a0× the memory bandwidth of the Big, and "} {
		if !strings.Contains(body, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	zh := bodyOf(t, get(t, s, "/zh/compare"+query))
	if want := "New 的购买价是 Big 的 1.06 倍：¥13\u202f300 对 ¥12\u202f600。"; !strings.Contains(zh, want) {
		t.Errorf("the Chinese page lacks %q", want)
	}
	if none := bodyOf(t, get(t, s, "/compare?card=acme-old&card=acme-odd")); !strings.Contains(
		none,
		"Last seen: Old $900 (2025-01-01).",
	) {
		t.Error("two cards without a current price are not said to have none")
	}
	if launch := comparedJSON(t, s, "/compare.json?card=acme-big&card=acme-new&buy=launch")["buy_price"]; len(
		launch.Best,
	) > 0 {
		t.Errorf("a price at launch is the best: %v", launch.Best)
	}
	row := comparedJSON(t, s, "/compare.json"+query)["buy_price"]
	if !slices.Equal(row.Best, []int{0}) || row.Prices[2].Freshness != "stale" || row.Prices[0].Date != "2026-06-01" {
		t.Errorf("JSON: got %+v", row)
	}
	if api := comparedJSON(t, s,
		"/api/v1/compare?card=acme-big&card=acme-new&buy=street&currency=CNY")["buy_price"]; api.Values[0] != 12600.0 {
		t.Errorf("API: got %v, want 12600", api.Values)
	}
}

func TestAllFormatsOfAComparisonHoldTheSamePrices(t *testing.T) {
	s := duelServer(t)
	for _, query := range []string{"?card=acme-big&card=acme-new",
		"?card=acme-new&card=acme-old&card=acme-odd&buy=street&currency=CNY&rows=all",
		"?card=acme-odd&card=acme-big&baseline=acme-big&rows=differences"} {
		rows := comparedJSON(t, s, "/compare.json"+query)
		lines, err := csv.NewReader(strings.NewReader(bodyOf(t, get(t, s, "/compare.csv"+query)))).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		body, document := bodyOf(t, get(t, s, "/compare"+query)), bodyOf(t, get(t, s, "/compare.md"+query))
		seen := 0
		for _, line := range lines[1:] {
			row, ok := rows[line[0]]
			if !ok {
				continue // what a price rests on
			}
			seen++
			for i, v := range row.Values {
				if number, ok := v.(float64); ok && line[2+i] != trimFloat(number) {
					t.Errorf("%s %s: CSV %q, JSON %v", query, line[0], line[2+i], v)
				}
			}
			if !strings.HasPrefix(line[0], "launch_price") && line[0] != "buy_price" { // one row holds them
				rowOf(t, body, line[0])
			}
			q, _ := catalog.LookupQuantity(line[0])
			if !strings.Contains(document, "| "+q.Label.En) {
				t.Errorf("%s: Markdown lacks %s", query, q.Label.En)
			}
		}
		if seen != len(rows) || rows["buy_price"].Metric == "" {
			t.Errorf("%s: %d rows in CSV, %d in JSON", query, seen, len(rows))
		}
	}
}

func TestRatesOnDifferentBasesAreSaidToBeNotComparable(t *testing.T) {
	s := duelServer(t)
	const query = "?card=acme-big&card=acme-new&card=acme-odd&rows=all"
	body := bodyOf(t, get(t, s, "/compare"+query))
	if got, want := rowOf(t, body, "bf16_matrix_dense_tflops"), "not comparable: different bases (Odd states FP16 "+
		"vector)"; !strings.Contains(
		got,
		want,
	) ||
		strings.Contains(got, "best") {
		t.Errorf("got %q, want %q and no best", got, want)
	}
	if want := "another basis: FP16 vector"; !strings.Contains(body, want) {
		t.Errorf("the bars lack %q", want)
	}
	if zh := bodyOf(t, get(t, s, "/zh/compare"+query)); !strings.Contains(zh, "口径不同，不可比较（Odd 只给出 FP16 向量算力）") {
		t.Error("the Chinese page does not say that bases differ")
	}
	if row := comparedJSON(t, s, "/compare.json"+query)["bf16_matrix_dense_tflops"]; len(row.Best) > 0 ||
		!slices.Equal(row.OtherBases, []int{2}) {
		t.Errorf("JSON: got %+v", row)
	}
	if body := bodyOf(t, get(t, s, "/compare?card=acme-odd&card=acme-big")); !strings.Contains(
		body,
		">no common basis<",
	) {
		t.Error("the bars of two cards on different bases do not say so")
	}
}

func TestComparisonsHaveOneAddressForOneAnswer(t *testing.T) {
	s := duelServer(t)
	const plain = "?card=acme-big&card=acme-new"
	for _, same := range [][2]string{
		{"/compare" + plain, "/compare" + plain +
			"&currency=USD&buy=launch&rent=on_demand&precision=bf16&destination=CN"},
		{"/zh/compare" + plain, "/zh/compare" + plain + "&currency=CNY"},
		{"/compare.json" + plain, "/compare.json" + plain + "&precision=fp32"},
	} {
		if a, b := get(t, s, same[0]).Header.Get("ETag"), get(t, s, same[1]).Header.Get("ETag"); a == "" || a != b {
			t.Errorf("%s and %s: ETags %s and %s", same[0], same[1], a, b)
		}
	}
	if body := bodyOf(t, get(t, s, "/compare"+plain+"&currency=CNY&buy=street")); !strings.Contains(
		body,
		`href="/zh/compare?card=acme-big&amp;card=acme-new&amp;buy=street"`,
	) {
		t.Error("the switch of languages does not keep the kind of price, or names the usual currency")
	}
	for bad, want := range map[string]string{"currency=EURO": "EUR", "buy=spot": "street", "rent=launch": "on_demand",
		"precision=bf17": "bf16", "pricision=bf16": "precision", "rows=some": "differences",
		"destination=XX": "destination"} {
		r := get(t, s, "/compare.json"+plain+"&"+bad)
		if body := bodyOf(t, r); r.StatusCode != http.StatusBadRequest || !strings.Contains(body, want) {
			t.Errorf("%s: got %d %s, want 400 and %q", bad, r.StatusCode, body, want)
		}
	}
}

func TestDrawingsOfAComparisonAreNamedAndFollowThePolicy(t *testing.T) {
	s := duelServer(t)
	for _, target := range []string{"/compare?card=acme-big&card=acme-new&card=acme-odd",
		"/zh/compare?card=acme-big&card=acme-new&precision=fp32"} {
		body := bodyOf(t, get(t, s, target))
		for _, want := range []string{`id="panelswide-title"`, `id="panelsnarrow-desc"`, `id="roofline"`} {
			if strings.Count(body, want) != 1 {
				t.Errorf("%s: %d of %s, want 1", target, strings.Count(body, want), want)
			}
		}
		if strings.Contains(body, "style=") || strings.Contains(body, "NaN") {
			t.Errorf("%s has a style attribute or a NaN", target)
		}
	}
}

func TestOnlyEmbeddedPagesMayBeFramed(t *testing.T) {
	s := duelServer(t)
	const query = "?card=acme-big&card=acme-new&buy=street"
	for target, framed := range map[string]bool{"/embed/compare" + query: true, "/zh/embed/compare" + query: true,
		"/compare" + query:             false,
		"/embed/compare?card=acme-big": false, "/embed/compare" + query + "&x=1": false, "/embed/nothing": false,
		"/embed/ladders/memory_gb": true, "/zh/embed/plot?x=memory_gb&y=tdp_w": true, "/embed/prices/acme-big": true,
		"/embed/ladders/nope": false, "/embed/plot?x=nope": false, "/embed/prices/nope": false,
		"/embed/prices/acme-big?buy=used": false,
		"/plot":                           false, "/prices/acme-big": false} {
		r := get(t, s, target)
		body := bodyOf(t, r)
		if got := strings.Contains(r.Header.Get("Content-Security-Policy"), "frame-ancestors *"); got != framed {
			t.Errorf("%s: status %d, framed: %v, want %v", target, r.StatusCode, got, framed)
		}
		if framed &&
			(strings.Contains(body, "<script") || strings.Contains(body, "<form") ||
				!strings.Contains(body, "<svg class=\"chart wide\"") && !strings.Contains(target, "prices")) {
			t.Errorf("%s: want a drawing, and neither script nor form", target)
		}
	}
}

// TestPagesOfferWhatToHandOn: a link, the code of a frame that may be framed, and a badge that is a picture.
func TestPagesOfferWhatToHandOn(t *testing.T) {
	s := duelServer(t)
	field := func(body, id string) string {
		found := regexp.MustCompile(`id="share-` + id + `" value="([^"]*)"`).FindStringSubmatch(body)
		if found == nil {
			return ""
		}
		return html.UnescapeString(found[1])
	}
	for target, what := range map[string][]string{"/compare?card=acme-big&card=acme-new": {"frame"},
		"/ladders/memory_gb":           {"frame"},
		"/zh/plot?x=memory_gb&y=tdp_w": {"frame"}, "/zh/cards/acme-big": {"badge"}, "/prices/acme-big": {"frame"}} {
		body := bodyOf(t, get(t, s, target))
		if link := field(body, "link"); link != "https://tianti.example"+target {
			t.Errorf("%s: the link to copy is %q", target, link)
		}
		for _, id := range what {
			src := regexp.MustCompile(`src="https://tianti.example([^"]+)"`).FindStringSubmatch(field(body, id))
			if src == nil {
				t.Errorf("%s: the code of a %s is %q", target, id, field(body, id))
				continue
			}
			r := get(t, s, html.UnescapeString(src[1]))
			kind := map[string]string{"frame": "text/html", "badge": "image/svg+xml"}[id]
			if r.StatusCode != http.StatusOK || !strings.HasPrefix(r.Header.Get("Content-Type"), kind) {
				t.Errorf("%s: its %s %s answers %d, %s", target, id, src[1], r.StatusCode, r.Header.Get("Content-Type"))
			}
		}
	}
	if got := bodyOf(t, get(t, s, "/badge/acme-big.svg")); !strings.Contains(got, "GB") ||
		strings.Contains(got, "<script") {
		t.Errorf("the badge is %q", got)
	}
}

func TestPicturesForSharingArePNGOfTheUsualSize(t *testing.T) {
	s := duelServer(t)
	image := regexp.MustCompile(`<meta property="og:image" content="https://tianti.example([^"]+)"`)
	for _, page := range []string{"/cards/acme-big", "/zh/cards/acme-odd",
		"/compare?card=acme-big&card=acme-odd&buy=street",
		"/zh/compare?card=acme-big&card=acme-new&card=acme-old&card=acme-odd"} {
		found := image.FindStringSubmatch(bodyOf(t, get(t, s, page)))
		if found == nil {
			t.Fatalf("%s has no picture", page)
		}
		address := strings.ReplaceAll(found[1], "&amp;", "&")
		r := get(t, s, address, "Accept-Encoding", "gzip, br, zstd")
		picture, err := png.Decode(r.Body)
		if err != nil {
			t.Fatalf("%s: %v", address, err)
		}
		if size := picture.Bounds().Size(); size.X != 1200 || size.Y != 630 {
			t.Errorf("%s is %v", address, size)
		}
		if r.Header.Get("Content-Type") != "image/png" || r.Header.Get("Cache-Control") != "public, no-cache" ||
			r.Header.Get("Content-Encoding") != "" {
			t.Errorf("%s: headers %v", address, r.Header)
		}
		if again := get(t, s, address, "If-None-Match",
			r.Header.Get("ETag")); again.StatusCode != http.StatusNotModified {
			t.Errorf("%s: got %d for a known ETag, want 304", address, again.StatusCode)
		}
	}
	for target, want := range map[string]int{"/og/cards/nope.png": 404, "/og/cards/acme-big": 404,
		"/og/cards/acme-big.svg": 404, "/og/cards/acme-big.png?x=1": 400, "/og/compare.png?card=acme-big": 400,
		"/og/compare.png?card=acme-big&card=nope": 404, "/og/compare.png?card=acme-big&card=acme-odd&buy=street": 400,
		"/og/compare.json?card=acme-big": 404} {
		if r := get(t, s, target); r.StatusCode != want {
			t.Errorf("%s: got %d, want %d", target, r.StatusCode, want)
		}
	}
}

// betterSection is the section of a card's page, tags taken out.
func betterSection(t *testing.T, s http.Handler, target string) string {
	t.Helper()
	section := regexp.MustCompile(`(?s)<section id="better">.*?</section>`).FindString(bodyOf(t, get(t, s, target)))
	if section == "" {
		t.Fatalf("%s has no section on what is better", target)
	}
	section = regexp.MustCompile(`(?s)<form.*?</form>`).ReplaceAllString(section, "")
	return strings.Join(strings.Fields(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(section, " ")), " ")
}

func TestACardSaysWhatIsBetterForLessMoney(t *testing.T) {
	s := duelServer(t)
	launch := betterSection(t, s, "/cards/acme-big")
	for _, want := range []string{"Big itself: $2 000 at launch (2024-05-01).", "1 card is at least as good for less " +
		"money.", "Acme New Compare $1 500 launch price, 2024-05-01 25 % 96 ×1.2 4 000 ×1.33 1 500 ×1.5"} {
		if !strings.Contains(launch, want) {
			t.Errorf("got %q, want %q", launch, want)
		}
	}
	street := betterSection(t, s, "/cards/acme-big?buy=street")
	for _, want := range []string{"Nothing better for less money.", "2 other cards are at least as good. Price of " +
		"this kind known: 2; none that counts is lower.", "Last seen for less, too old to count Acme Old: $900 in " +
		"shops (2025-01-01)"} {
		if !strings.Contains(street, want) {
			t.Errorf("got %q, want %q", street, want)
		}
	}
	if old := betterSection(t, s, "/cards/acme-old"); !strings.Contains(old, "which is too old to count") {
		t.Errorf("got %q, want that its own price is too old", old)
	}
	if none := betterSection(t, s, "/cards/acme-odd?buy=used"); !strings.Contains(
		none,
		"No price of the Odd of this kind (used price) is known",
	) {
		t.Errorf("got %q, want that no price is known", none)
	}
	if left := betterSection(t, s, "/zh/cards/acme-old?better=tdp_w"); !strings.Contains(left, "整卡功耗") ||
		!strings.Contains(left, "没有可供比较的指标") {
		t.Errorf("got %q, want that nothing is left to compare", left)
	}
	if document := bodyOf(t, get(t, s, "/cards/acme-big.md?better=memory_gb")); !strings.Contains(
		document,
		"| Acme New | $1\u202f500, launch price, 2024-05-01 | 25\u202f% | 96 (×1.2) |",
	) {
		t.Errorf("the document lacks the better card: %s", document)
	}
}

func TestQuestionsForWhatIsBetterAreStrictAndHaveOneAddress(t *testing.T) {
	s := duelServer(t)
	tag := func(query string) string { return get(t, s, "/cards/acme-big"+query).Header.Get("ETag") }
	if tag("?better=memory_gb&better=tdp_w") != tag("?better=tdp_w,memory_gb") {
		t.Error("the order of the axes makes another page")
	}
	if tag("") != tag("?better=memory_gb,memory_bandwidth_gb_s,bf16_matrix_dense_tflops&buy=launch&currency=USD") {
		t.Error("the usual question, written out, makes another page")
	}
	for query, want := range map[string]string{"?better=memory_bg": "memory_gb", "?better=buy_price": "better",
		"?better=launched": "better", "?buy=spot": "street", "?currency=XYZ": "USD", "?rent=spot": "rent",
		"?bitter=1": "better"} {
		r := get(t, s, "/cards/acme-big.md"+query)
		if body := bodyOf(t, r); r.StatusCode != http.StatusBadRequest || !strings.Contains(body, want) {
			t.Errorf("%s: got %d %s, want 400 and %q", query, r.StatusCode, body, want)
		}
	}
}

// Cards with and without results of benchmarks, prices and estimates are compared: whatever one of them lacks.
func TestEveryAcceleratorIsComparedWithOneThatWasMeasured(t *testing.T) {
	s := sizedServer(t)
	for _, c := range builtinData().Cards {
		if c.Segment != "datacenter" || c.ID == h100 {
			continue
		}
		if r := get(t, s, "/api/v1/compare?card="+h100+"&card="+c.ID); r.StatusCode != 200 {
			t.Errorf("%s: got %d %s", c.ID, r.StatusCode, bodyOf(t, r))
		}
	}
}
