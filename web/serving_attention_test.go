package web_test

import (
	"html"
	"strings"
	"testing"
)

// All channels say where each card attends to requests of its own, and the address can ask for it or against it.
func TestServingSaysWhereCardsAttendApart(t *testing.T) {
	s := sizedServer(t)
	const query = "model=deepseek-r1&concurrency=1024&prompt=1000&output=1000&interactive=no&engine=vllm"
	const plan = "nvidia-h200-sxm5-141gb?" + query + "&tensor=8"
	for address, want := range map[string]string{
		"/serve/" + plan:                       "1 replica of DP attention 8",
		"/zh/serve/" + plan:                    "DP 注意力 8",
		"/serve/" + plan + "&attention=tensor": "replicas of TP 8",
		"/api/v1/serve/plan?card=" + strings.Replace(plan, "?", "&", 1): `"division":{"tensor":8,"pipeline":1,` +
			`"cards":8,"attention_dp":true}`,
		"/api/v1/serve?" + query + "&card=nvidia-h200-sxm5-141gb&attention=data": `"attention_dp":true`,
		"/serve.csv?" + query + "&card=nvidia-h200-sxm5-141gb":                   "attention_dp",
	} {
		if body := html.UnescapeString(bodyOf(t, get(t, s, address))); !strings.Contains(body, want) {
			t.Errorf("%s lacks %q: %.3000s", address, want, body)
		}
	}
	page := html.UnescapeString(bodyOf(t, get(t, s, "/serve/"+plan)))
	for _, want := range []string{"attention data parallelism", "--data-parallel-size 8 --enable-expert-parallel",
		"attention=tensor", "attention=data", "1 replica of DP attention 8"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page of the plan lacks %q", want)
		}
	}
	shared := html.UnescapeString(bodyOf(t, get(t, s, "/serve/"+plan+"&attention=tensor")))
	if strings.Contains(shared, "--data-parallel-size") || !strings.Contains(shared, "--tensor-parallel-size 8") {
		t.Error("what was asked to be shared is not")
	}
}
