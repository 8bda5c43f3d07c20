package web_test

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tianti/locale"
)

func TestTheWhatIfKeepsWhatWasTypedAndMarksTheField(t *testing.T) {
	s := newServer(t, 3, nil)
	for _, typed := range []string{"-4", "1e99", "NaN", "0x10"} {
		body := bodyOf(t,
			get(t, s,
				"/zh/export-control/worksheet?fp16_matrix_dense_tflops="+typed+"&memory_bandwidth_gb_s=2039&datacenter=yes&destination=VN"))
		for _, want := range []string{`name="fp16_matrix_dense_tflops" value="` + typed + `" aria-invalid="true"`,
			`name="memory_bandwidth_gb_s" value="2039">`,
			`<option value="yes" selected>`, `<option value="VN" selected>`, `role="alert"`, "请至少填写一项"} {
			if !strings.Contains(body, want) {
				t.Errorf("%s: the page lacks %s", typed, want)
			}
		}
		if n := strings.Count(body, "aria-invalid"); n != 1 {
			t.Errorf("%s: %d fields are marked, want 1", typed, n)
		}
	}
}

const a100 = "as_of=2025-03-01&destination=CN&fp16_matrix_dense_tflops=312&int8_matrix_dense_tops=624&nonplanar_die_mm2=826&memory_bandwidth_gb_s=2039&datacenter=yes"

func TestTheWhatIfEvaluatesFiguresAndWritesTheComparisonOut(t *testing.T) {
	s := newServer(t, 3, nil)
	for _, l := range locale.All() {
		path := l.Path("/export-control/worksheet?" + a100)
		page := bodyOf(t, get(t, s, path))
		_, result, _ := strings.Cut(page, `id="result"`)
		for _, want := range []string{l.Pick("licence, presumption of denial", "需要许可，推定拒绝"), ">3A090.a<",
			l.Number(312) + " × 16", l.Number(4992) + " ÷ 826", "6.044 ≥ 5.92",
			"TPP " + l.Number(4992) + " ≥ " + l.Number(4800) + l.Pick(": yes (+", "：是（+") + l.Percent(0.04)} {
			if !strings.Contains(result, want) {
				t.Errorf("%s: the evaluation lacks %q", path, want)
			}
		}
		if again := bodyOf(t, get(t, s, path)); again != page {
			t.Errorf("%s: the same address gives another page", path)
		}
	}
}

func TestTheWhatIfIsHonestAtItsEdges(t *testing.T) {
	s := newServer(t, 3, nil)
	const base = "/export-control/worksheet?as_of=2025-03-01&destination=CN&datacenter=yes&memory_bandwidth_gb_s=500"
	alone := bodyOf(t, get(t, s, base+"&fp16_matrix_dense_tflops=140&nonplanar_die_mm2=800"))
	if !strings.Contains(alone, "≥ "+locale.All()[0].Number(2240)) ||
		strings.Contains(alone, ">not caught by the rules modelled here<") {
		t.Error("an FP16 rate alone is taken for all that the chip can do")
	}
	near := bodyOf(t, get(t, s, base+"&published_tpp=2399.9&nonplanar_die_mm2=800"))
	if !strings.Contains(near, "2399.9 ≥ 2\u202f400: no") {
		t.Error("2,399.9 is not told from 2,400")
	}
	r := get(t, s, base+"&published_tpp=2400&nonplanar_die_mm2=0")
	if body := bodyOf(t, r); r.StatusCode != 400 ||
		!strings.Contains(body, `name="nonplanar_die_mm2" value="0" aria-invalid="true"`) {
		t.Errorf("an area of 0: got %d, want 400 at its field", r.StatusCode)
	}
}

// TestTheWhatIfCanBeShared follows the link to the other language, which holds the
// canonical address.
func TestTheWhatIfCanBeShared(t *testing.T) {
	s := newServer(t, 3, nil)
	page := bodyOf(t, get(t, s, "/export-control/worksheet?"+a100))
	links := allSubmatches(regexp.MustCompile(`href="(/zh/export-control/worksheet\?[^"]*)"`), page)
	if len(links) == 0 {
		t.Fatal("the page has no link to itself in Chinese")
	}
	address, err := url.Parse(strings.ReplaceAll(links[0], "&amp;", "&"))
	if err != nil {
		t.Fatal(err)
	}
	want, _ := url.ParseQuery(a100)
	if diff := cmp.Diff(want, address.Query()); diff != "" {
		t.Errorf("the address holds other figures: %s", diff)
	}
	other := bodyOf(t, get(t, s, address.String()))
	for _, want := range []string{">3A090.a<", `name="fp16_matrix_dense_tflops" value="312"`, `value="2025-03-01"`} {
		if !strings.Contains(other, want) {
			t.Errorf("the page in Chinese lacks %q", want)
		}
	}
}

func TestTheEmptyWhatIfAsksForFigures(t *testing.T) {
	s := newServer(t, 3, nil)
	for path, want := range map[string]string{"": "Enter at least one rate", "/zh": "请至少填写一项"} {
		for _, query := range []string{"", "?destination=VN&headquarters=&as_of=&datacenter=&fp16_matrix_dense_tflops=",
			"?datacenter=yes"} {
			r := get(t, s, path+"/export-control/worksheet"+query)
			if body := bodyOf(t, r); r.StatusCode != 200 || !strings.Contains(body, want) ||
				strings.Contains(body, `class="verdictline"`) {
				t.Errorf("%s%s: got %d, want 200 and a page that asks for figures", path, query, r.StatusCode)
			}
		}
	}
}

func TestTheWhatIfOfACardGivesItsVerdict(t *testing.T) {
	s := builtinServer(t, nil)
	_, section, _ := strings.Cut(bodyOf(t, get(t, s, "/cards/"+h100+"?as_of=2026-02-01")), `id="export-control"`)
	links := allSubmatches(regexp.MustCompile(`href="(/export-control/worksheet\?[^"]*)"`), section)
	if len(links) != 1 {
		t.Fatalf("%d links to the what-if worksheet, want 1", len(links))
	}
	_, result, _ := strings.Cut(bodyOf(t, get(t, s, strings.ReplaceAll(links[0], "&amp;", "&"))), `id="result"`)
	line := regexp.MustCompile(`<p class="verdictline"><span[^>]*>([^<]*)`)
	if want, got := allSubmatches(line, section), allSubmatches(line, result); !slices.Equal(got, want) ||
		len(got) != 1 {
		t.Errorf("got %q for the figures of the card, want %q", got, want)
	}
}
