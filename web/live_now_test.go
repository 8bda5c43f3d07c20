package web_test

import (
	"strings"
	"testing"

	"tianti/catalog"
	"tianti/live/sample"
	"tianti/sizing"
	"tianti/web"
)

// TestWhatFitsIsSaidOfCardsThatArePartlyUsedToo has a host with one H100 that is all but
// empty and one of which 10 GiB are free.
func TestWhatFitsIsSaidOfCardsThatArePartlyUsedToo(t *testing.T) {
	frame := sample.Frame()
	frame.Hosts = frame.Hosts[:1]
	s := web.New(web.Config{
		Live:         newHub(t, &devices{frame: frame}),
		NewEstimator: func(*catalog.Snapshot) (*sizing.Estimator, error) { return sized() },
	})
	t.Cleanup(s.Close)
	s.Swap(builtinSnapshot(t))
	get(t, s, "/recommend/mine") // waits until sizing is ready
	body := bodyOf(t, get(t, s, "/live"))
	for _, want := range []string{
		"1 × NVIDIA H100 SXM5 80GB on train-01</summary>", "2 × NVIDIA H100 SXM5 80GB on train-01",
		"79 GiB free each", "10.5 GiB of 79.6 GiB free each: beside what others run",
	} {
		if !strings.Contains(strings.ReplaceAll(body, " <small>", "</summary><small>"), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	alone, shared, ok := strings.Cut(body[strings.Index(body, `id="fits-now"`):], "10.5 GiB of")
	if !ok || strings.Count(shared, "<tr>") >= strings.Count(alone, "<tr>") ||
		strings.Count(shared, "/recommend/") < 1 {
		t.Errorf("%d rows of an empty card and %d of a shared one, want some, and fewer", strings.Count(alone, "<tr>"),
			strings.Count(shared, "<tr>"))
	}
}
