package web_test

import (
	"strings"
	"testing"

	"tianti/locale"
)

func TestTheCalculatorCountsAPreset(t *testing.T) {
	s := sizedServer(t)
	for _, l := range locale.All() {
		page := bodyOf(t, get(t, s, l.Path("/calculator?model=Llama-3.1-8B&context=8192&cards=64")))
		for _, want := range []string{
			// V · h
			`<option value="llama-3.1-8b" selected>`, `name="context" value="8192"`, l.T("calc.parts"),
			"8.03 B", "525.3 M", "≤\u00a05.005 M", // the total is rounded to 10 M
			l.T("calc.bytes", l.Number(131072)), "1.074 GB", // 131072 · 8192
			"128.5 GB", "2.007 GB", // 16 · P, and 16/64 · P
			"3 · F", l.Path("/recommend?context=8192&amp;model=Llama-3.1-8B"),
		} {
			if !strings.Contains(page, want) {
				t.Errorf("%s: the page lacks %q", l.Code(), want)
			}
		}
	}
}

func TestTheCalculatorTakesAnArchitecture(t *testing.T) {
	s := sizedServer(t)
	page := bodyOf(t, get(t, s, "/calculator?layers=2&hidden=64&heads=4&kv_heads=2&intermediate=128&vocabulary=1000"))
	// 2·(1000·64) + 2·(64·(4+4)·16 + 64·64 + 3·64·128 + 2·64) + 64
	for _, want := range []string{`title="64` + "\u202f" + `000"`, `name="layers" value="2"`, "<details open>"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

func TestTheCalculatorKeepsWhatWasTypedAndNamesTheField(t *testing.T) {
	s := sizedServer(t)
	for query, param := range map[string]string{
		"model=nothing-like-it": "model", "layers=2": "hidden", "params=0.001": "params",
		"model=7B&context=0": "context", "model=7B&cards=x": "cards", "context=abc": "context",
		"layers=2&hidden=65&heads=4&intermediate=128&vocabulary=1000": "heads",
		"layer=dense&inputs=4":             "outputs",
		"layer=spiral&inputs=4&outputs=2":  "layer",
		"inputs=-1&outputs=2":              "inputs",
		"inputs=3&outputs=1e9&layer=dense": "outputs",
	} {
		for _, l := range locale.All() {
			r := get(t, s, l.Path("/calculator?"+query))
			page := bodyOf(t, r)
			if r.StatusCode != 400 || !strings.Contains(page, "“"+param+"”") ||
				!strings.Contains(page, `role="alert"`) || r.Header.Get("Cache-Control") != "no-store" {
				t.Errorf("%s %s: got %d, want 400 that names %s", l.Code(), query, r.StatusCode, param)
			}
		}
	}
	if page := bodyOf(t, get(t, s, "/calculator?params=<b>")); !strings.Contains(page,
		`name="params" value="&lt;b&gt;" aria-invalid="true"`) {
		t.Error("what was typed is not kept")
	}
	if r := get(t, s, "/calculator?gpus=2"); r.StatusCode != 400 {
		t.Errorf("an unknown parameter: got %d", r.StatusCode)
	}
}

func TestTheCalculatorCountsALayerBesideAModel(t *testing.T) {
	s := sizedServer(t)
	page := bodyOf(t,
		get(t, s,
			"/calculator?model=llama-3.1-8b&layer=convolution&inputs=3&outputs=64&kernel_height=7&kernel_width=7&height=112&width=112"))
	for _, want := range []string{"9\u202f408", "118 MMAC", "236 MFLOP", "2 · K_h · K_w · C_in · C_out · H_out · W_out",
		`<input type="hidden" name="model" value="llama-3.1-8b">`, `<input type="hidden" name="inputs" value="3">`,
		"8.03 B"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	empty := bodyOf(t, get(t, s, "/calculator"))
	if !strings.Contains(empty, "<h1>Llama-3.1-8B: 8.03 B parameters, weights 16.06 GB in BF16") ||
		!strings.Contains(empty, "Operations are not speed") {
		t.Error("the empty page does not begin with an example, or does not say that operations are not speed")
	}
	if one := bodyOf(t, get(t, s, "/calculator?layer=dense&inputs=2&outputs=3")); strings.Contains(one, `id="result"`) {
		t.Error("who asks for a layer gets a model, too")
	}
}
