package api_test

import (
	"strings"
	"testing"
)

// TestTwinsOfPagesAnswerAsTheAPI asks for the data of a page as JSON and puts the same
// question to the API: defaults and bodies are the same, errors too. Only the addresses
// of following pages differ.
func TestTwinsOfPagesAnswerAsTheAPI(t *testing.T) {
	h := serveSized(t)
	const h100, h20 = "nvidia-h100-sxm5-80gb", "nvidia-h20-sxm5-96gb"
	for _, c := range []struct {
		twin, operation string
		queries         []string
	}{
		{"/cards.json", "/api/v1/cards", []string{"", "fields=memory_gb,buy_price&limit=2&vendor=AMD", "limit=3&page=2",
			"vendor=Nobody", "limit=0"}},
		{"/cards/" + h100 + ".json", "/api/v1/cards/" + h100, []string{""}},
		{"/compare.json", "/api/v1/compare", []string{"card=" + h100 + "&card=" + h20, "baseline=" + h20 + "&card=" +
			h100 + "&card=" + h20,
			"card=" + h100 + "&card=" + h20 + "&rows=differences", "card=" + h100, "card=" + h100 + "&card=" + h20 +
				"&rows=some"}},
		{"/ladders/bf16_matrix_dense_tflops.json", "/api/v1/ladders/bf16_matrix_dense_tflops",
			[]string{"", "segment=datacenter"}},
		{"/recommend.json", "/api/v1/recommend", []string{"model=7B&task=qlora", "limit=2&model=7B&task=qlora",
			"model=7B&task=nothing"}},
		{"/recommend/" + h100 + ".json", "/api/v1/estimate", []string{"card=" + h100 + "&model=7B&task=lora"}},
		{"/architectures.json", "/api/v1/architectures", []string{"", "id=nvidia-hopper", "id=nobody"}},
	} {
		for _, query := range c.queries {
			status, body := fetch(t, h, c.twin+"?"+query)
			wantStatus, want := fetch(t, h, c.operation+"?"+query)
			got := strings.ReplaceAll(string(body), c.twin, c.operation)
			if status != wantStatus || got != string(want) {
				t.Errorf("%s?%s: got %d\n%.300s\nof the API: %d\n%.300s", c.twin, query, status, got, wantStatus, want)
			}
		}
	}
}
