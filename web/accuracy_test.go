package web_test

import (
	"encoding/csv"
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"

	"tianti/catalog"
	"tianti/locale"
	"tianti/seed"
	"tianti/sizing"
	"tianti/sizing/sample"
	"tianti/web"
)

// sized is the advisor of the built-in data, made once.
var sized = sync.OnceValues(func() (*sizing.Estimator, error) {
	snap, err := builtin()
	if err != nil {
		return nil, err
	}
	return sizing.New(sample.Few(seed.Sizing(), 5), snap)
})

// sizedServer serves the built-in catalogue with the built-in data for sizing.
func sizedServer(t testing.TB) *web.Server {
	t.Helper()
	adv, err := sized()
	if err != nil {
		t.Fatal(err)
	}
	if len(adv.Accuracy().Aspects) == 0 {
		t.Fatal("the data for sizing are not calibrated")
	}
	return builtinServer(t, func(c *web.Config) {
		c.NewEstimator = func(*catalog.Snapshot) (*sizing.Estimator, error) { return adv, nil }
	})
}

func TestAccuracyListsEveryCaseInTheCSV(t *testing.T) {
	s := sizedServer(t)
	adv, _ := sized()
	rows, err := csv.NewReader(strings.NewReader(bodyOf(t, get(t, s, "/accuracy.csv")))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	at := map[string]int{}
	for i, name := range rows[0] {
		at[name] = i
	}
	listed := map[string]bool{}
	scored := 0
	for _, row := range rows[1:] {
		listed[row[0]] = true
		if row[at["source"]] == "" {
			t.Errorf("%s has no source", row[0])
		}
		if row[at["scored"]] != "true" {
			continue
		}
		scored++
		for _, name := range []string{"measured", "predicted", "low_90", "high_90", "ratio", "inside_interval", "tier",
			"predicted_without_framework_model"} {
			if row[at[name]] == "" {
				t.Fatalf("%s is scored and has no %s", row[0], name)
			}
		}
	}
	for i := range adv.Cases {
		if !listed[adv.Cases[i].ID] {
			t.Errorf("%s is not listed", adv.Cases[i].ID)
		}
	}
	var a struct {
		Snapshot string
		Scored   int
		Targets  []struct {
			Aspect  string
			Judged  []string
			Met     bool
			Reached map[string]*float64
		}
		Aspects []struct {
			Aspect string
			Scores map[string]struct{ Cases int }
		}
		Worst []struct{ Case, Source string }
	}
	if err := json.NewDecoder(get(t, s, "/accuracy.json").Body).Decode(&a); err != nil {
		t.Fatal(err)
	}
	sum := 0
	for _, x := range a.Aspects {
		sum += x.Scores["itself"].Cases
	}
	if a.Scored != scored || sum != scored || a.Snapshot != "1" {
		t.Errorf("JSON scores %d cases, %d by aspect, of snapshot %q; CSV %d", a.Scored, sum, a.Snapshot, scored)
	}
	if len(a.Targets) < 10 || len(a.Worst) == 0 || a.Worst[0].Source == "" {
		t.Errorf("%d targets, worst %v", len(a.Targets), a.Worst)
	}
}

func TestTheAccuracyPageSaysWhichTargetsAreMet(t *testing.T) {
	s := sizedServer(t)
	adv, _ := sized()
	met := 0
	for i := range adv.Accuracy().Aims {
		if adv.Accuracy().Aims[i].Met() {
			met++
		}
	}
	for _, l := range locale.All() {
		page := bodyOf(t, get(t, s, l.Path("/accuracy")))
		table, _, _ := strings.Cut(page, "</table>")
		if got := strings.Count(table, ">"+l.T("accuracy.met")+"<"); got != met {
			t.Errorf("%s: %d targets are met, want %d", l.Code(), got, met)
		}
		worst := adv.Accuracy().Worst("", 1)[0]
		if !strings.Contains(page, "<code>"+worst.Case.ID+"</code>") {
			t.Errorf("%s: the worst case %s is not named", l.Code(), worst.Case.ID)
		}
		for _, load := range sizing.Loads {
			if !strings.Contains(page, ">"+l.T("accuracy.loads."+string(load))+"<") {
				t.Errorf("%s: the page has no score of the load %q", l.Code(), load)
			}
		}
		if len(page) > 200<<10 {
			t.Errorf("%s: the page has %d bytes", l.Code(), len(page))
		}
	}
}

// TestThePlotsHoldEveryScoredCase counts the marks: each begins with a move.
// Aspects with fewer than twenty cases have no plot.
func TestThePlotsHoldEveryScoredCase(t *testing.T) {
	s := sizedServer(t)
	page := bodyOf(t, get(t, s, "/accuracy"))
	marks := 0
	for _, path := range allSubmatches(regexp.MustCompile(`<path class="mark m\d" d="([^"]*)"><title>`), page) {
		marks += strings.Count(path, "M")
	}
	adv, _ := sized()
	scored := map[sizing.Aspect]int{}
	for i := range adv.Accuracy().Cases {
		if c := &adv.Accuracy().Cases[i]; c.Scored {
			scored[c.Aspect]++
		}
	}
	want, left := 0, 0
	for _, n := range scored {
		if n < 20 {
			left += n
			continue
		}
		want += n
	}
	if marks != want || left == 0 {
		t.Errorf("%d marks, want %d; %d cases of aspects with few", marks, want, left)
	}
}

func TestAccuracyHasOtherFormsAndNoParameters(t *testing.T) {
	s := sizedServer(t)
	for _, prefix := range []string{"", "/zh"} {
		for suffix, want := range map[string]string{"": "text/html; charset=utf-8", ".json": "application/json",
			".csv": "text/csv; charset=utf-8; header=present", ".md": "text/markdown; charset=utf-8"} {
			if r := get(t, s, prefix+"/accuracy"+suffix); r.StatusCode != 200 || r.Header.Get("Content-Type") != want {
				t.Errorf("%s%s: got %d %s", prefix, suffix, r.StatusCode, r.Header.Get("Content-Type"))
			}
			if r := get(t, s, prefix+"/accuracy"+suffix+"?cards=1"); r.StatusCode != 400 {
				t.Errorf("%s%s: got %d for a parameter that there is not", prefix, suffix, r.StatusCode)
			}
		}
	}
	if r := get(t, s, "/accuracy.xml"); r.StatusCode != 404 {
		t.Errorf("got %d for a format that there is not", r.StatusCode)
	}
}

func TestWithoutDataForSizingItsPagesAreNotThere(t *testing.T) {
	s := newServer(t, 3, nil)
	for _, path := range []string{"/accuracy", "/zh/accuracy.csv", "/calculator", "/api/v1/models",
		"/api/v1/recommend?model=7B", "/api/v1/estimate?model=7B&card=acme-x1-40gb"} {
		if r := get(t, s, path); r.StatusCode != http.StatusNotFound {
			t.Errorf("%s: got %d, want 404", path, r.StatusCode)
		}
	}
	if page := bodyOf(t, get(t, s, "/cards/acme-x1-40gb")); strings.Contains(page, `id="fits"`) {
		t.Error("the card says what fits")
	}
}

func TestACardSaysWhatFits(t *testing.T) {
	s := sizedServer(t)
	for _, l := range locale.All() {
		_, section, ok := strings.Cut(bodyOf(t, get(t, s, l.Path("/cards/"+h100))), `id="fits"`)
		section, _, _ = strings.Cut(section, "</section>")
		if !ok {
			t.Fatal("there is no section")
		}
		words := strings.Count(section, `class="word`)
		if words != 16 {
			t.Errorf("%s: %d verdicts, want 4 tasks of 4 sizes", l.Code(), words)
		}
		for _, want := range []string{">7B <", ">70B <", ">" + l.T("fitgrid.tasks.qlora") + "<",
			">" + l.T("accuracy.verdicts.fits") + "<", " GB<", l.Path("/accuracy")} {
			if !strings.Contains(section, want) {
				t.Errorf("%s: the section lacks %q", l.Code(), want)
			}
		}
		for _, href := range allSubmatches(regexp.MustCompile(`href="([^"]*recommend[^"]*)"`), section) {
			if r := get(t, s, strings.ReplaceAll(href, "&amp;", "&")); !strings.Contains(href,
				"/recommend/"+h100+"?") || r.StatusCode != 200 {
				t.Errorf("%s does not lead to the job on the card: got %d", href, r.StatusCode)
			}
		}
	}
}

// TestMoreMemoryFitsMore: of two cards with the same chip, the one with more memory
// needs no more cards for any job.
func TestMoreMemoryFitsMore(t *testing.T) {
	sizedServer(t)
	adv, _ := sized()
	small, large := adv.Card("nvidia-a100-sxm4-40gb"), adv.Card("nvidia-a100-sxm4-80gb")
	if small == nil || large == nil {
		t.Fatal("not in the catalogue")
	}
	few, many := adv.Grid(large), adv.Grid(small)
	for i := range few {
		if many[i].Cards > 0 && (few[i].Cards == 0 || few[i].Cards > many[i].Cards) {
			t.Errorf("%s %s: %d cards of 80 GB, %d of 40 GB", few[i].Size, few[i].Task, few[i].Cards, many[i].Cards)
		}
	}
}
