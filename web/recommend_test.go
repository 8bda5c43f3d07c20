package web_test

import (
	"compress/gzip"
	"encoding/csv"
	"encoding/json"
	"html"
	"io"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tianti/catalog"
	"tianti/exportcontrol"
	"tianti/sizing"
	"tianti/web"
)

// jobs are questions of each kind.
var jobs = []string{
	"model=7B&task=lora&context=4096&cards=4",
	"model=7B&task=full&cards=8&tokens=100000000&currency=CNY&carbon=0.5&tariff=0.6",
	"model=70B&task=qlora&cards=4&goal=fastest&destination=CN&as_of=2026-02-01",
	"model=llama-3.1-8b&batch=32&context=4096&goal=headroom&vendor=NVIDIA,AMD",
	"model=llama-3.1-8b&weights=q4_k_m&cards=2&goal=energy&segment=desktop",
	"model=deepseek-v3&cards=16&weights=fp8&min_rate=50",
	"model=1B&task=pretrain&batch=8&tokens=2e10&max_hours=1000&acquire=rent&budget=20000",
	"layers=24&hidden=2048&heads=16&kv_heads=8&intermediate=5632&vocabulary=32000&task=galore&offload=none",
	"model=7B&task=full&cards=1",
}

// rankedCards are the cards of the options on a page, by the addresses of their estimates.
var rankedCards = regexp.MustCompile(
	`<td class="num">\d+</td><th scope="row"><a href="(?:/zh)?/recommend/([^?"]+)\?([^"]*)"`,
)

// rejectedCards are those of the table beneath.
var rejectedCards = regexp.MustCompile(`<tr><th scope="row"><a href="(?:/zh)?/recommend/([^?"]+)\?`)

type recommendation struct {
	Options []struct {
		Card   struct{ ID string }
		Cards  int
		Memory struct{ Verdict string }
	}
	Rejected []struct {
		Card     struct{ ID string }
		Reason   string
		Detail   string
		Remedies []struct{ Changes map[string]string }
	}
	Assumptions []struct{ Parameter, Why string }
}

func readRecommendation(t testing.TB, s *web.Server, query string) (out recommendation) {
	t.Helper()
	r := get(t, s, "/recommend.json?limit=1000&"+query)
	if err := json.NewDecoder(r.Body).Decode(&out); err != nil || r.StatusCode != 200 {
		t.Fatalf("%s: %d, %v", query, r.StatusCode, err)
	}
	return out
}

func TestRecommendationsHoldTheSameCardsInAllFormats(t *testing.T) {
	s := sizedServer(t)
	for _, query := range jobs {
		answer := readRecommendation(t, s, query)
		if len(answer.Options)+len(answer.Rejected) == 0 {
			t.Errorf("%s: no card at all", query)
		}
		rows, err := csv.NewReader(strings.NewReader(bodyOf(t, get(t, s, "/recommend.csv?"+query)))).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		var inCSV, inJSON []string
		for _, row := range rows[1:] {
			inCSV = append(inCSV, row[1])
		}
		for _, o := range answer.Options {
			inJSON = append(inJSON, o.Card.ID)
		}
		for _, j := range answer.Rejected {
			inJSON = append(inJSON, j.Card.ID)
		}
		if diff := cmp.Diff(inCSV, inJSON); diff != "" {
			t.Errorf("%s: CSV and JSON differ: %s", query, diff)
		}
		for _, prefix := range []string{"", "/zh"} {
			if prefix != "" && !strings.Contains(query, "currency=") {
				query += "&currency=USD" // what a query means in English
			}
			page := bodyOf(t, get(t, s, prefix+"/recommend?"+query))
			options, others := allSubmatches(rankedCards, page), allSubmatches(rejectedCards, page)
			if want := inJSON[:min(15, len(answer.Options))]; !slices.Equal(options, want) {
				t.Errorf("%s%s: options on the page %q, in JSON %q", prefix, query, options, want)
			}
			if want := inJSON[len(answer.Options):][:min(15, len(answer.Rejected))]; !slices.Equal(others, want) {
				t.Errorf("%s%s: others on the page %q, in JSON %q", prefix, query, others, want)
			}
			document := bodyOf(t, get(t, s, prefix+"/recommend.md?"+query))
			lines := 0
			for line := range strings.SplitSeq(document, "\n") {
				if strings.HasPrefix(line, "| ") {
					lines++
				}
			}
			tables := 2 * (min(1, len(options)) + min(1, len(others)))
			if lines-tables != len(options)+len(others) {
				t.Errorf(
					"%s%s: %d rows in Markdown, %d on the page",
					prefix,
					query,
					lines-tables,
					len(options)+len(others),
				)
			}
		}
	}
}

func TestAllOptionsAreOnTheFurtherPages(t *testing.T) {
	s := sizedServer(t)
	query := jobs[0]
	answer := readRecommendation(t, s, query)
	var onPages []string
	next := "/recommend?" + query
	for range 100 {
		page := bodyOf(t, get(t, s, next))
		onPages = append(onPages, allSubmatches(rankedCards, page)...)
		before, _, _ := strings.Cut(page, `id="why"`)
		link := regexp.MustCompile(`<a rel="next" href="([^"#]+)`).FindStringSubmatch(before)
		if link == nil {
			break
		}
		next = html.UnescapeString(link[1])
	}
	var want []string
	for _, o := range answer.Options {
		want = append(want, o.Card.ID)
	}
	beyond := allSubmatches(rankedCards, bodyOf(t, get(t, s, "/recommend?"+query+"&page=900")))
	if len(beyond) == 0 || !slices.Equal(beyond, want[len(want)-len(beyond):]) {
		t.Errorf("the page beyond the last shows %q", beyond)
	}
	if diff := cmp.Diff(want, onPages); diff != "" || len(want) < 50 {
		t.Errorf("%d options on the pages, %d in JSON: %s", len(onPages), len(want), diff)
	}
}

func TestADefaultInTheAddressChangesNothing(t *testing.T) {
	s := sizedServer(t)
	short := "/recommend?cards=4&context=4096&model=7B&task=lora"
	want := get(t, s, short).Header.Get("ETag")
	for _, long := range []string{
		"/recommend?task=lora&model=7B&context=4096&batch=&cards=4&destination=&budget=&currency=USD&goal=&page=1",
		"/recommend?params=7&task=LoRA&cards=4&context=4096&fused_loss=no&packing=yes&years=5"} {
		r := get(t, s, long)
		if got := r.Header.Get("ETag"); got != want {
			t.Errorf("%s is another page than %s", long, short)
		}
		if body := bodyOf(t, r); !strings.Contains(body, `href="/zh`+html.EscapeString(short)+`"`) {
			t.Errorf("%s does not name its short address", long)
		}
	}
}

func TestWhatCannotBeAskedIsRefusedByNameAndKeptInTheForm(t *testing.T) {
	s := sizedServer(t)
	for _, c := range []struct{ query, param, kept string }{
		{"model=7B&task=dance", "task", `<option value="dance" selected>`},
		{"model=lama-3.1-8b", "model", `value="lama-3.1-8b"`},
		{"task=lora", "model", `<option value="lora" selected>`},
		{"model=7B&context=many", "context", `value="many"`},
		{"model=7B&context=-4", "context", `value="-4"`},
		{"model=7B&cards=1.5", "cards", `value="1.5"`},
		{"model=7B&cards=50000", "cards", `value="50000"`},
		{"model=7B&batch=NaN", "batch", `value="NaN"`},
		{"model=7B&framework=fortran", "framework", `<option value="fortran" selected>`},
		{"model=7B&rank=8", "rank", `value="8"`},
		{"model=7B&task=lora&weights=nf4", "weights", `<option value="nf4" selected>`},
		{"model=7B&budget=lots", "budget", `value="lots"`},
		{"model=7B&budget=100&currency=XYZ", "currency", `<option value="XYZ" selected>`},
		{"model=7B&destination=China", "destination", `<option value="China" selected>`},
		{"model=7B&destination=CN&as_of=2026-02-31", "as_of", `value="2026-02-31"`},
		{"model=7B&vendor=Nobody", "vendor", `<option value="Nobody" selected>`},
		{"model=7B&page=0", "page", `value="7B"`},
		{"model=7B&why=x", "why", `value="7B"`},
		{"model=7B&max_hours=3", "tokens", `value="3"`},
		{"model=7B&seq_len=3", "seq_len", `value="7B"`},
		{"model=7B&model=8B", "model", `name="model"`},
		{"model=7B&layers=3", "layers", `value="3"`},
		{`model="><script>alert(1)</script>`, "model", `value="&#34;&gt;&lt;script&gt;`},
	} {
		for _, prefix := range []string{"", "/zh"} {
			r := get(t, s, prefix+"/recommend?"+strings.ReplaceAll(c.query, " ", "%20"))
			body := bodyOf(t, r)
			if r.StatusCode != 400 || !strings.Contains(body, c.kept) ||
				!strings.Contains(body, `id="problem-`+c.param+`"`) ||
				!strings.Contains(body, `role="alert"`) {
				t.Errorf(
					"%s/recommend?%s: got %d, want 400 that names %s and keeps %s",
					prefix,
					c.query,
					r.StatusCode,
					c.param,
					c.kept,
				)
			}
			if r.Header.Get("Cache-Control") != "no-store" {
				t.Errorf("%s: the page is kept", c.query)
			}
			if strings.Contains(body, "<script>alert") {
				t.Errorf("%s: what was typed became code", c.query)
			}
		}
		var p struct {
			Errors []struct{ Parameter, Detail string }
		}
		r := get(t, s, "/recommend.json?limit=1000&"+c.query)
		if err := json.NewDecoder(r.Body).Decode(&p); err != nil || r.StatusCode != 400 || len(p.Errors) == 0 ||
			p.Errors[0].Parameter != c.param ||
			p.Errors[0].Detail == "" {
			t.Errorf("%s as JSON: got %d %+v, %v", c.query, r.StatusCode, p, err)
		}
	}
}

func TestAFieldThatIsWrongIsMarkedAndDescribed(t *testing.T) {
	s := sizedServer(t)
	body := bodyOf(t, get(t, s, "/zh/recommend?model=7B&task=lora&rank=many&budget=-1"))
	for _, want := range []string{`<li id="problem-rank">`, `aria-invalid="true" aria-describedby="problem-rank"`,
		`aria-describedby="problem-budget"`, `<details class="more" open>`, "应为数字", "1 … 65536"} {
		if !strings.Contains(body, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	if n := strings.Count(body, "aria-invalid"); n != 2 {
		t.Errorf("%d fields are marked, want 2", n)
	}
}

func TestADestinationLeavesOutWhatNeedsALicence(t *testing.T) {
	s := sizedServer(t)
	snap := s.Snapshot()
	verdicts := map[string]exportcontrol.Status{}
	all := exportcontrol.EvaluateAll(snap, exportcontrol.Question{AsOf: "2026-02-01", Destination: "CN"})
	for row := range snap.Len() {
		verdicts[snap.Card(row).ID] = all.Of(row).Verdict
	}
	query := "model=7B&task=lora&cards=1"
	free, unknown, kept := 0, 0, 0
	for _, o := range readRecommendation(t, s, query+"&destination=CN&as_of=2026-02-01").Options {
		switch v := verdicts[o.Card.ID]; v {
		case exportcontrol.NotControlled, exportcontrol.Domestic:
			free++
		case exportcontrol.Unknown:
			unknown++
		default:
			t.Errorf("%s is among the options: %s", o.Card.ID, v)
		}
	}
	for _, j := range readRecommendation(t, s, query+"&destination=CN&as_of=2026-02-01").Rejected {
		if j.Reason == "not_admitted" {
			kept++
			if j.Detail != string(verdicts[j.Card.ID]) {
				t.Errorf("%s: left out for %q, the rules say %q", j.Card.ID, j.Detail, verdicts[j.Card.ID])
			}
		}
	}
	if free == 0 || unknown == 0 || kept == 0 {
		t.Errorf("%d free, %d not known, %d left out: the test looks at nothing", free, unknown, kept)
	}
	everywhere := readRecommendation(t, s, query)
	anywhere := false
	for _, o := range everywhere.Options {
		anywhere = anywhere || o.Card.ID == h100
	}
	if !anywhere {
		t.Errorf("%s does not fit without a destination", h100)
	}
	page := bodyOf(t, get(t, s, "/zh/recommend?"+query+"&vendor=Intel&destination=CN&as_of=2026-02-01"))
	for _, want := range []string{"出口状态未知", "购买地：中国", "2026-02-01"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
}

func TestAnAnswerForADestinationIsOfToday(t *testing.T) {
	adv, err := sized()
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 1, 14, 23, 0, 0, 0, time.UTC)
	s := builtinServer(t, func(c *web.Config) {
		c.NewEstimator = func(*catalog.Snapshot) (*sizing.Estimator, error) { return adv, nil }
		c.Now = func() time.Time { return now }
	})
	const address = "/recommend?cards=1&destination=CN&model=7B&task=lora"
	for range 3 { // it is kept from the second time on
		if body := bodyOf(t, get(t, s, address)); !strings.Contains(body, "2026-01-14") {
			t.Fatal("the page does not name its day")
		}
	}
	now = now.Add(2 * time.Hour)
	if body := bodyOf(t, get(t, s, address)); !strings.Contains(body, "2026-01-15") ||
		strings.Contains(body, "2026-01-14") {
		t.Error("the page of yesterday is shown")
	}
}

// remedyLinks are the links of a page that change a job.
var remedyLinks = regexp.MustCompile(`<li><a href="(/recommend\?[^"]+)">`)

func TestARemedyMakesTheCardDoTheJob(t *testing.T) {
	s := sizedServer(t)
	tried := 0
	for _, c := range []struct{ card, query string }{
		{"nvidia-geforce-rtx-4090", "model=7B&task=full&cards=1"},
		{"nvidia-geforce-rtx-3090", "model=14B&task=lora&cards=2"},
		{"nvidia-rtx-a4000", "model=7B&task=lora&cards=1&checkpointing=none"},
		{"nvidia-geforce-rtx-4090", "model=70B&cards=2"}, {"nvidia-l4", "model=llama-3.1-8b&batch=64&cards=1"},
		{"nvidia-h100-sxm5-80gb", "model=70B&task=qlora&cards=1&batch=8&context=8192&checkpointing=none"},
	} {
		page := bodyOf(t, get(t, s, "/recommend?card="+c.card+"&"+c.query))
		_, page, _ = strings.Cut(page, `<section id="why">`)
		links := allSubmatches(remedyLinks, page)
		for _, link := range links {
			u, err := url.Parse(html.UnescapeString(link))
			if err != nil {
				t.Fatal(err)
			}
			answer := readRecommendation(t, s, u.RawQuery)
			if len(answer.Options) == 0 || answer.Options[0].Card.ID != c.card {
				t.Errorf("%s on %s: %s leaves %+v", c.query, c.card, u.RawQuery, answer.Rejected)
			}
			tried++
		}
		if len(links) == 0 && len(readRecommendation(t, s, "card="+c.card+"&"+c.query).Options) == 0 {
			t.Errorf("%s on %s: no remedy", c.query, c.card)
		}
	}
	if tried < 6 {
		t.Errorf("%d remedies tried", tried)
	}
}

func TestPagesOfTheRecommenderAreLight(t *testing.T) {
	s := sizedServer(t)
	for _, query := range jobs {
		for _, path := range []string{"/recommend?", "/zh/recommend?"} {
			body := bodyOf(t, get(t, s, path+query))
			var small counter
			w := gzip.NewWriter(&small)
			if _, err := io.WriteString(w, body); err != nil {
				t.Fatal(err)
			}
			w.Close()
			if len(body) > 104_000 || small > 20_000 { // its sources, which are printed, among them
				t.Errorf("%s%s: %d bytes, %d compressed", path, query, len(body), small)
			}
		}
	}
}

// counter counts what is written to it.
type counter int

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

func TestOwnedCardsMayBeNamedAsPeopleDo(t *testing.T) {
	s := sizedServer(t)
	canonical := "/recommend/mine?own=nvidia-geforce-rtx-4090%3A4&own=nvidia-a100-sxm4-80gb%3A1"
	want := get(t, s, canonical)
	page := bodyOf(t, want)
	for _, text := range []string{"4 × NVIDIA GeForce RTX 4090", "NVIDIA A100 SXM4 80GB",
		"<h1>4 × NVIDIA GeForce RTX 4090 + NVIDIA A100 SXM4 80GB: ", "<small>NVIDIA A100 SXM4 80GB · ",
		"Each kind by itself", `value="4"`} {
		if !strings.Contains(page, text) {
			t.Errorf("the page lacks %s", text)
		}
	}
	for _, form := range []string{
		"n=4&has=NVIDIA+GeForce+RTX+4090&n=1&has=NVIDIA+A100+SXM4+80GB&task=&framework=&weights=&context=",
		"n=4&has=rtx+4090&n=&has=nvidia-a100-sxm4-80gb&n=&has=", "own=nvidia-geforce-rtx-4090:4,nvidia-a100-sxm4-80gb",
		"own=rtx-4090:4&own=a100-80gb"} {
		if got := get(t, s, "/recommend/mine?"+form); got.Header.Get("ETag") != want.Header.Get("ETag") {
			t.Errorf("%s is another page than %s", form, canonical)
		}
	}
	more := bodyOf(t, get(t, s, canonical+"&more=yes"))
	if rows, before := strings.Count(more, `name="has"`), strings.Count(page, `name="has"`); rows != before+1 {
		t.Errorf("%d rows after one was added to %d", rows, before)
	}
	for _, c := range []struct{ query, want string }{
		{"n=4&has=RTX+9999", "RTX 9999"}, {"n=0&has=nvidia-h20", "1 … 1024"}, {"n=x&has=nvidia-h20", "1 … 1024"},
		{"own=nvidia-h1000", "nvidia-h1000"}, {"task=lora", "own"},
		{"own=nvidia-h20&task=dance", "dance"}, {"own=nvidia-h20&colour=red", "colour"}, {"n=1&has=A100", "A100"},
	} {
		for _, prefix := range []string{"", "/zh"} {
			r := get(t, s, prefix+"/recommend/mine?"+c.query)
			if body := bodyOf(t, r); r.StatusCode != 400 || !strings.Contains(body, c.want) ||
				!strings.Contains(body, `role="alert"`) {
				if c.query == "n=1&has=A100" && r.StatusCode == 200 {
					continue // a name that stands for one card
				}
				t.Errorf("%s: got %d, want 400 with %s", c.query, r.StatusCode, c.want)
			}
		}
	}
	document := bodyOf(t, get(t, s, strings.Replace(canonical, "mine?", "mine.md?", 1)))
	if page, rows := strings.Count(page, `<tr><th scope="row">`), strings.Count(document, "\n| ")-6; page != rows ||
		rows < 20 {
		t.Errorf("%d rows on the page, %d in Markdown", page, rows)
	}
}

func TestTheFirstPageAsksForTheJobWithoutWaitingForEstimates(t *testing.T) {
	ready := make(chan struct{})
	s := builtinServer(t, func(c *web.Config) {
		c.NewEstimator = func(*catalog.Snapshot) (*sizing.Estimator, error) { <-ready; return sized() }
	})
	for _, path := range []string{"/", "/zh/"} {
		if body := bodyOf(t, get(t, s, path)); !strings.Contains(body, `/recommend" method="get"`) ||
			!strings.Contains(body, `<option value="lora" selected>`) {
			t.Errorf("%s does not ask for a job", path)
		}
	}
	close(ready)
	if r := get(t, s, "/recommend"); r.StatusCode != 200 {
		t.Errorf("/recommend: got %d, want 200 once the data are read", r.StatusCode)
	}
	s = builtinServer(t, nil)
	if body := bodyOf(t, get(t, s, "/")); strings.Contains(body, `/recommend" method="get"`) {
		t.Error("a server without data for sizing asks for a job")
	}
	if r := get(t, s, "/recommend"); r.StatusCode != 404 {
		t.Errorf("/recommend without data: got %d, want 404", r.StatusCode)
	}
}

func TestEmptyFieldsOfCostsShowWhatTheyStandFor(t *testing.T) {
	s := sizedServer(t)
	for query, want := range map[string]string{"cards=1": "0.24", "cards=8": "0.54"} {
		body := bodyOf(t, get(t, s, "/recommend?task=qlora&model=7B&"+query))
		_, field, _ := strings.Cut(body, `name="utilisation"`)
		field, _, _ = strings.Cut(field, ">")
		if !strings.Contains(field, `placeholder="`+want+`"`) {
			t.Errorf("%s: the share of time in use is %s, want %s", query, field, want)
		}
	}
}
