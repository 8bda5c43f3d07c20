package web_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"tianti/catalog"
	"tianti/sizing"
	"tianti/web"
)

// hits are the cards that the API finds.
type hits struct {
	Items, Suggestions []struct{ ID, Name, Vendor, Standing string }
}

func TestPageListAndAPIFindTheSameCards(t *testing.T) {
	s := sizedServer(t)
	for _, text := range []string{"4090", "h 100", "华为昇腾 910B", "10de:2330", "3060 移动版"} {
		q := "q=" + url.QueryEscape(text)
		var found hits
		if err := json.Unmarshal([]byte(bodyOf(t, get(t, s, "/api/v1/search?"+q))), &found); err != nil ||
			len(found.Items) == 0 {
			t.Fatalf("%q: %v, %d cards", text, err, len(found.Items))
		}
		for _, path := range []string{"/search?", "/search/suggest?", "/zh/search?", "/zh/search/suggest?"} {
			body := bodyOf(t, get(t, s, path+q))
			at := -1
			for _, item := range found.Items {
				i := strings.Index(body, "/cards/"+item.ID+`"`)
				if i <= at {
					t.Fatalf("%s%s: %s is missing or out of order", path, q, item.ID)
				}
				at = i
			}
		}
	}
}

func TestASearchThatFindsNothingSuggests(t *testing.T) {
	s := sizedServer(t)
	var found hits
	if err := json.Unmarshal([]byte(bodyOf(t, get(t, s, "/api/v1/search?q=RTX+4091"))), &found); err != nil {
		t.Fatal(err)
	}
	if len(found.Items) != 0 || len(found.Suggestions) == 0 {
		t.Errorf("got %v and suggestions %v", found.Items, found.Suggestions)
	}
	body := bodyOf(t, get(t, s, "/search?q=RTX+4091"))
	if !strings.Contains(body, "Did you mean") || !strings.Contains(body, "/cards/"+found.Suggestions[0].ID) {
		t.Error("the page suggests nothing")
	}
	if r := get(t, s, "/api/v1/search"); r.StatusCode != http.StatusBadRequest ||
		!strings.Contains(bodyOf(t, r), `"q"`) {
		t.Errorf("without q: %d", r.StatusCode)
	}
}

func TestNamesThatSeveralCardsBearAreTakenAndSaid(t *testing.T) {
	s := sizedServer(t)
	body := bodyOf(t, get(t, s, "/compare?card="+url.QueryEscape("4090 D, 4090，5090 D;A800, H20, 910B")))
	for _, id := range []string{"rtx-4090-d", "rtx-4090", "rtx-5090-d", "nvidia-a800-", "nvidia-h20-",
		"huawei-ascend-910b"} {
		if !strings.Contains(body, `data-id="`+id) && !strings.Contains(body, `data-id="nvidia-geforce-`+id+`"`) {
			t.Errorf("%s is not compared", id)
		}
	}
	for _, name := range []string{"A800"} {
		if !strings.Contains(body, "“"+name+"” is taken as the") {
			t.Errorf("nothing says what %s is taken for", name)
		}
	}
	if r := get(t, s, "/api/v1/compare?card=A800&card=4090"); r.StatusCode != http.StatusNotFound {
		t.Errorf("a program is given a card for A800: %d", r.StatusCode)
	}
}

// A question in the header is answered there and on the page of results; a field that asks for a card suggests cards
// alone.
func TestASearchIsAnsweredWhereItAsksForMoreThanACard(t *testing.T) {
	s := sizedServer(t)
	var found struct {
		Answers []struct{ Kind, Path string }
		Items   []struct{ ID string }
	}
	if err := json.Unmarshal([]byte(bodyOf(t, get(t, s, "/api/v1/search?q=5090+vs+4090"))), &found); err != nil {
		t.Fatal(err)
	}
	const path = "/compare?card=nvidia-geforce-rtx-5090&card=nvidia-geforce-rtx-4090"
	if len(found.Answers) != 1 || found.Answers[0].Kind != "compare" || found.Answers[0].Path != path {
		t.Fatalf("got %+v", found.Answers)
	}
	if len(found.Items) != 2 {
		t.Errorf("got the cards %v", found.Items)
	}
	if r := get(t, s, path); r.StatusCode != http.StatusOK {
		t.Errorf("%s: %d", path, r.StatusCode)
	}
	href := strings.ReplaceAll(path, "&", "&amp;")
	for at, want := range map[string]bool{
		"/search?q=5090+vs+4090": true, "/zh/search?q=5090+%E5%AF%B9%E6%AF%94+4090": true,
		"/search/suggest?go=1&q=5090+vs+4090": true, "/search/suggest?q=5090+vs+4090": false,
	} {
		if got := strings.Contains(bodyOf(t, get(t, s, at)), href+`"`); got != want {
			t.Errorf("%s leads to the comparison: %v", at, got)
		}
	}
	for _, q := range []string{"h100 price", "h20 export", "32b", "serve 70b for 200 users", "qwen3-32b on 4090",
		"4090 inference", "24gb+", "HBM3e", "fp8", "国产", "best gpu", "cheapest gpu", "显卡天梯图",
		"most vram", "live gpu utilization", "is the h20 allowed in china", "8x h100 price", "h100 to uae",
		"24gb card cheap",
		"can a 4090 run gpt-oss-120b", "how many h100 for deepseek r1", "单卡 24G 能微调多大模型"} {
		if err := json.Unmarshal([]byte(bodyOf(t, get(t, s, "/api/v1/search?q="+url.QueryEscape(q)))),
			&found); err != nil {
			t.Fatal(err)
		}
		if len(found.Answers) == 0 {
			t.Errorf("%q is not answered", q)
		}
		for _, x := range found.Answers {
			if r := get(t, s, x.Path); r.StatusCode != http.StatusOK {
				t.Errorf("%q leads to %s: %d", q, x.Path, r.StatusCode)
			}
		}
	}
	body := bodyOf(t, get(t, s, "/search?q=qwen3-32b+on+4090"))
	for _, want := range []string{"/recommend/nvidia-geforce-rtx-4090?", "weights=q4_k_m", "GB a card", "tokens/s"} {
		if !strings.Contains(body, want) {
			t.Errorf("the answer to a model on a card lacks %q", want)
		}
	}
	for q, want := range map[string]string{
		"is+the+h20+allowed+in+china":                                 "China: licence",
		"h200+%E8%83%BD%E5%8D%96%E5%88%B0%E4%B8%AD%E5%9B%BD%E5%90%97": "China: licence", // 能卖到中国吗
		"can+a+4090+run+gpt-oss-120b":                                 "of the host’s memory besides",
		"5090+70b+q4":                                                 "fits on 2 cards",
		"serve+32b+on+h100+for+8+users":                               "prompt of 1\u202f024 and output of 256 tokens",
		"how+much+vram+for+70b":                                       " GB in Q4_K_M",
		"gpu+with+most+memory+under+2000+dollars":                     "Cards for at most $2",
		"llama+3.1+8b+on+3090":                                        "; Q4_K_M: ",
		"5090+vs+4090+for+fine-tuning":                                " trains ",
		"a100+vs+h100+for+training":                                   " pre-trains ",
		"sdxl+1024x1024+4090":                                         "SDXL-base on GeForce RTX 4090",
		"gpt-oss-20b+at+home":                                         "MXFP4",
		"dpo+8b+on+4090":                                              "fits: NF4",
		"fine-tune+8b+on+100m+tokens+on+a+4090":                       "the job takes",
		"cheapest+way+to+fine-tune+llama+3.3+70b":                     "goal=value",
		"grpo+7b+on+4090":                                             "Unsloth",
		"h100+train+70b+on+15t+tokens":                                "the job takes",
	} {
		if body := bodyOf(t, get(t, s, "/search?q="+q)); !strings.Contains(body, want) {
			t.Errorf("the answer to %q lacks %q", q, want)
		}
	}
	body = bodyOf(t, get(t, s, "/search?q=4090+4090d+llama+3.1+8b"))
	for _, id := range []string{"nvidia-geforce-rtx-4090", "nvidia-geforce-rtx-4090-d"} {
		if !strings.Contains(body, "/recommend/"+id+"?") {
			t.Errorf("a model on two cards is not answered for %s", id)
		}
	}
}

// TestASearchDoesNotWaitForEstimates: while the estimator is not made, cards are found, and it is said what is missing;
// afterwards the same address tells the speed.
func TestASearchDoesNotWaitForEstimates(t *testing.T) {
	adv, err := sized()
	if err != nil {
		t.Fatal(err)
	}
	made := make(chan struct{})
	s := builtinServer(t, func(c *web.Config) {
		c.Patience = time.Millisecond
		c.NewEstimator = func(*catalog.Snapshot) (*sizing.Estimator, error) {
			<-made
			return adv, nil
		}
	})
	const compare, page = "/search?q=5090+vs+4090", "/search?q=qwen3-32b+on+4090"
	const program = "/api/v1/search?q=qwen3-32b+on+4090"
	for address, want := range map[string]string{compare: "/compare?card=nvidia-geforce-rtx-5090",
		page: "being computed", program: `"pending":true`, "/zh" + page: "尚未就绪",
		"/search/suggest?go=1&q=4090+vs+3090": "/compare?"} {
		r := get(t, s, address)
		if body := bodyOf(t, r); r.StatusCode != http.StatusOK || !strings.Contains(body, want) ||
			strings.Contains(body, "tokens/s") {
			t.Errorf("%s before there are estimates: %d, without %q or with a speed", address, r.StatusCode, want)
		}
		if r.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s would be kept: %q", address, r.Header.Get("Cache-Control"))
		}
	}
	close(made)
	for { // each of them waits a millisecond at most
		if body := bodyOf(t, get(t, s, page)); !strings.Contains(body, "being computed") {
			if !strings.Contains(body, "tokens/s") {
				t.Error("with estimates the page tells no speed")
			}
			break
		}
	}
	if strings.Contains(bodyOf(t, get(t, s, program)), "pending") {
		t.Error("models are there, and the API says that they are not")
	}
}
