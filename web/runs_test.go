package web_test

import (
	"context"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"tianti/catalog"
	"tianti/seed"
	"tianti/sizing"
	"tianti/sizing/sample"
	"tianti/web"
	"tianti/web/runs"
)

// keepingSite serves the built-in catalogue and keeps measured runs in its database, as the program does.
func keepingSite(t *testing.T) *site {
	t.Helper()
	snap, err := builtin()
	if err != nil {
		t.Fatal(err)
	}
	var s *site
	s = newSite(t, func(c *web.Config) { keepIn(t, c, func() *site { return s }) })
	s.web.Swap(snap)
	return s
}

// keepIn lets a server keep runs in the database of a site, and correct estimates by them.
func keepIn(t *testing.T, c *web.Config, s func() *site) {
	db := c.Datasets.(runs.Store)
	c.Runs = db
	c.NewEstimator = func(snap *catalog.Snapshot) (*sizing.Estimator, error) {
		a, err := sizing.New(sample.Few(seed.Sizing(), 40), snap)
		if err != nil {
			return nil, err
		}
		list, err := db.Runs(context.Background())
		for _, k := range list {
			for _, p := range a.LearnKept([]sizing.KeptRun{{ID: fmt.Sprintf("kept-%d", k.Key), Query: k.Query,
				Source: "kept here by " + k.By, Note: k.Note}}) {
				t.Error(p)
			}
		}
		return a, err
	}
	c.Changed = func() { // the program follows the database; the test cannot wait for it
		snap, err := builtin()
		if err != nil {
			t.Error(err)
		}
		s().web.Swap(snap)
	}
}

const measuredJob = "/recommend/nvidia-geforce-rtx-4090?task=qlora&model=llama-3.1-8b&framework=unsloth&batch=4&context=4096&rank=32"

// estimatedMemory is the expected memory of an estimate, in bytes, with what is compared.
func estimatedMemory(t *testing.T, b *browser, address string) (expected float64, measured []map[string]any) {
	t.Helper()
	r := b.get(strings.Replace(address, "?", ".json?", 1))
	var e struct {
		Memory struct {
			PerCard struct{ Expected float64 } `json:"per_card"`
		}
		Measured []map[string]any
	}
	if err := json.Unmarshal([]byte(r.body), &e); err != nil || r.StatusCode != http.StatusOK {
		t.Fatalf("%s: %d, %v\n%.300s", address, r.StatusCode, err, r.body)
	}
	if e.Memory.PerCard.Expected == 0 {
		t.Fatalf("%s: no memory in %.300s", address, r.body)
	}
	return e.Memory.PerCard.Expected, e.Measured
}

var keepLink = regexp.MustCompile(`href="((?:/zh)?/admin/runs/new\?[^"]+)"`)

func TestAMeasuredRunStandsBesideTheEstimate(t *testing.T) {
	s := keepingSite(t)
	b := s.browser(t)
	expected, _ := estimatedMemory(t, b, measuredJob)
	near := fmt.Sprintf("&measured_gb=%.3f&measured_tokens_per_s=1", expected/1e9)
	_, measured := estimatedMemory(t, b, measuredJob+near)
	if len(measured) != 2 || measured[0]["what"] != "memory" || measured[0]["within"] != true ||
		measured[1]["what"] != "training" || measured[1]["within"] != false {
		t.Errorf("the API compares %v", measured)
	}
	for prefix, says := range map[string][]string{
		"": {"What you measured", "within the interval", "as expected", "below the interval",
			"below the expected value"},
		"/zh": {"您的实测", "在区间内", "与期望值一致", "低于区间"},
	} {
		page := b.get(prefix + measuredJob + near)
		for _, want := range says {
			if !strings.Contains(page.body, want) {
				t.Errorf("%s: the page lacks %q", prefix, want)
			}
		}
		if link := keepLink.FindStringSubmatch(page.body); link == nil || !strings.HasPrefix(link[1], prefix) {
			t.Errorf("%q: no link to keep the run: %v", prefix, link)
		}
	}
	gib, _ := estimatedMemory(t, b, measuredJob+"&measured_gb=13.9+GiB")
	if gib != expected {
		t.Errorf("what was measured moved the estimate from %g to %g before it was kept", expected, gib)
	}
	_, measured = estimatedMemory(t, b, measuredJob+"&measured_gb=13.9+GiB")
	if got := measured[0]["measured"].(float64); got < 14.92e9 || got > 14.93e9 {
		t.Errorf("13.9 GiB are %g bytes", got)
	}
	for field, bad := range map[string]string{"measured_gb": "plenty", "measured_tokens_per_s": "-3",
		"measured_as": "guessed"} {
		r := b.get(measuredJob + "&" + field + "=" + bad)
		at := strings.Index(r.body, `id="f-`+field+`"`)
		if r.StatusCode != http.StatusBadRequest || at < 0 ||
			!strings.Contains(r.body[at:min(len(r.body), at+500)], `aria-invalid="true"`) {
			t.Errorf("%s=%s: got %d, field marked: %v", field, bad, r.StatusCode, at >= 0)
		}
		if r := b.get("/api/v1/estimate" + measuredJob[strings.Index(measuredJob, "?"):] +
			"&card=nvidia-geforce-rtx-4090&" + field + "=" + bad); r.StatusCode != 400 ||
			!strings.Contains(r.body, `"`+field+`"`) {
			t.Errorf("API, %s=%s: %d %s", field, bad, r.StatusCode, r.body)
		}
	}
}

func TestAKeptRunCorrectsEstimatesUntilItIsDeleted(t *testing.T) {
	s := keepingSite(t)
	anna, bob, visitor := s.signedIn(t, "anna", annasPassword), s.signedIn(t, "bob", bobsPassword), s.browser(t)
	before, _ := estimatedMemory(t, visitor, measuredJob)
	took := before * 1.3
	page := visitor.get(measuredJob + fmt.Sprintf("&measured_gb=%.3f", took/1e9))
	link := keepLink.FindStringSubmatch(page.body)
	if link == nil {
		t.Fatal("no link to keep the run")
	}
	offer := html.UnescapeString(link[1])
	if r := visitor.get(offer); r.StatusCode != http.StatusSeeOther ||
		!strings.Contains(r.Header.Get("Location"), "/admin/sign-in?next=") {
		t.Errorf("a visitor got %d, to %s", r.StatusCode, r.Header.Get("Location"))
	}
	asked := anna.get(offer)
	query := regexp.MustCompile(`name="query" value="([^"]+)"`).FindStringSubmatch(asked.body)
	if query == nil {
		t.Fatalf("got %d\n%s", asked.StatusCode, asked.body)
	}
	form := url.Values{"query": {html.UnescapeString(query[1])}, "note": {"node 7, Unsloth 2026.11"}}
	if r := bob.post("/admin/runs", form); r.StatusCode != http.StatusForbidden {
		t.Errorf("a reader got %d", r.StatusCode)
	}
	if r := anna.post("/admin/runs", form, "Sec-Fetch-Site", "cross-site"); r.StatusCode != http.StatusForbidden {
		t.Errorf("a form of another site got %d", r.StatusCode)
	}
	for name, f := range map[string]url.Values{
		"nothing measured":        {"query": {"card=nvidia-geforce-rtx-4090&model=7B"}},
		"an unknown card":         {"query": {"card=none&model=7B&measured_gb=3"}},
		"work without correction": {"query": {"card=nvidia-geforce-rtx-4090&model=sdxl-base&measured_tokens_per_s=3"}},
	} {
		if r := anna.post("/admin/runs", f); r.StatusCode != http.StatusBadRequest {
			t.Errorf("%s: got %d", name, r.StatusCode)
		}
	}
	long := url.Values{"query": form["query"], "note": {strings.Repeat("long ", 100)}}
	if r := anna.post("/admin/runs", long); r.StatusCode != http.StatusUnprocessableEntity ||
		!strings.Contains(r.body, `aria-invalid="true"`) {
		t.Errorf("a long note: got %d", r.StatusCode)
	}
	if now, _ := estimatedMemory(t, visitor, measuredJob); now != before {
		t.Errorf("what was refused moved the estimate from %g to %g", before, now)
	}
	r := anna.post("/admin/runs", form)
	if r.StatusCode != http.StatusSeeOther {
		t.Fatalf("got %d\n%s", r.StatusCode, r.body)
	}
	list := anna.get(r.Header.Get("Location"))
	for _, want := range []string{"The run is kept.", "Llama-3.1-8B", "RTX 4090", "node 7, Unsloth 2026.11",
		"anna", "/delete"} {
		if !strings.Contains(list.body, want) {
			t.Errorf("the list lacks %q", want)
		}
	}
	after, _ := estimatedMemory(t, visitor, measuredJob)
	if after < before*1.1 || after > took*1.05 {
		t.Errorf("estimated %g before and %g after a run that took %g", before, after, took)
	}
	if page := visitor.get(measuredJob); !strings.Contains(page.body, "kept-1") ||
		!strings.Contains(page.body, "node 7") {
		t.Error("the evidence does not name the run")
	}
	again := newServerOn(t, s)
	if now, _ := estimatedMemory(t, again.browser(t), measuredJob); now != after {
		t.Errorf("estimated %g before and %g after a restart", after, now)
	}
	if r := bob.post("/admin/runs/1/delete", nil); r.StatusCode != http.StatusForbidden {
		t.Errorf("a reader who deletes got %d", r.StatusCode)
	}
	for _, key := range []string{"2", "x", "99999999999999999999"} {
		if r := anna.post("/admin/runs/"+key+"/delete", nil); r.StatusCode != http.StatusNotFound {
			t.Errorf("run %s: got %d", key, r.StatusCode)
		}
	}
	if r := anna.post("/admin/runs/1/delete", nil); r.StatusCode != http.StatusSeeOther {
		t.Errorf("delete: got %d", r.StatusCode)
	}
	if now, _ := estimatedMemory(t, visitor, measuredJob); now != before {
		t.Errorf("estimated %g at first and %g after the run was deleted", before, now)
	}
	log := anna.get("/admin/log?action=run")
	for _, want := range []string{"Measured run kept", "Measured run deleted", "kept-1"} {
		if !strings.Contains(log.body, want) {
			t.Errorf("the audit log lacks %q", want)
		}
	}
	if r := anna.get("/admin"); !strings.Contains(r.body, "/admin/runs") {
		t.Error("the administration does not lead to the runs")
	}
}

// newServerOn is another server on the database of a site.
func newServerOn(t *testing.T, s *site) *site {
	t.Helper()
	snap, err := builtin()
	if err != nil {
		t.Fatal(err)
	}
	other := &site{db: s.db, keeper: s.keeper}
	cfg := web.Config{Accounts: s.keeper, Datasets: s.db}
	keepIn(t, &cfg, func() *site { return other })
	other.web = web.New(cfg)
	t.Cleanup(other.web.Close)
	other.web.Swap(snap)
	other.Server = httptest.NewServer(other.web)
	t.Cleanup(other.Close)
	return other
}
