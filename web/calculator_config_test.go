package web_test

import (
	"bytes"
	"encoding/json"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"tianti/locale"
	"tianti/web"
)

// The figures of Qwen3.5-27B: 48 layers of linear attention with a state of
// 48 · 128 · 128 in 32 bits, 16 of attention.
const qwenConfig = `{"model_type":"qwen3_5","tie_word_embeddings":false,"text_config":{"model_type":"qwen3_5_text",
"full_attention_interval":4,"head_dim":256,"hidden_size":5120,"intermediate_size":17408,"linear_key_head_dim":128,
"linear_num_key_heads":16,"linear_num_value_heads":48,"linear_value_head_dim":128,"max_position_embeddings":262144,
"num_attention_heads":24,"num_hidden_layers":64,"num_key_value_heads":4,"vocab_size":248320}}`

// sendConfig posts the form of the calculator, with the text pasted or as a file.
func sendConfig(t *testing.T, s *web.Server, path, text string, asFile bool, more map[string]string) *http.Response {
	t.Helper()
	var b bytes.Buffer
	form := multipart.NewWriter(&b)
	field := func(w interface{ Write([]byte) (int, error) }, err error, text string) {
		if err == nil {
			_, err = w.Write([]byte(text))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if asFile {
		w, err := form.CreateFormFile("file", "config.json")
		field(w, err, text)
	} else {
		w, err := form.CreateFormField("config")
		field(w, err, text)
	}
	for name, v := range more {
		w, err := form.CreateFormField(name)
		field(w, err, v)
	}
	if err := form.Close(); err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequest(http.MethodPost, path, &b)
	r.Header.Set("Content-Type", form.FormDataContentType())
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w.Result()
}

func TestTheCalculatorReadsAConfiguration(t *testing.T) {
	s := sizedServer(t)
	for _, l := range locale.All() {
		for _, asFile := range []bool{false, true} {
			r := sendConfig(t, s, l.Path("/calculator"), qwenConfig, asFile,
				map[string]string{"context": "1000", "cards": "4"})
			page := bodyOf(t, r)
			for _, want := range []string{"26.9 B", l.T("calc.bytes", l.Number(65536)), "0.151 GB", "Qwen3.5-27B",
				l.T("calc.in16"),
				`name="context" value="1000"`, l.Count(262144), l.Path("/calculator?model=%7B")} {
				if !strings.Contains(page, want) {
					t.Errorf("%s, file %t: the page lacks %q", l.Code(), asFile, want)
				}
			}
			if r.StatusCode != 200 || r.Header.Get("Cache-Control") != "no-store" {
				t.Errorf("%s: got %d, %q", l.Code(), r.StatusCode, r.Header.Get("Cache-Control"))
			}
		}
	}
	// the link leads to the same numbers
	page := bodyOf(t, sendConfig(t, s, "/calculator", qwenConfig, false, nil))
	_, link, _ := strings.Cut(page, `href="/calculator?model=%7B`)
	link, _, _ = strings.Cut(link, `"`)
	if again := bodyOf(t, get(t, s, "/calculator?model=%7B"+link)); !strings.Contains(again, "0.151 GB") {
		t.Errorf("the link %.200q does not lead to the model", link)
	}
}

func TestTheCalculatorRefusesABadConfigurationAtTheField(t *testing.T) {
	s := sizedServer(t)
	for _, l := range locale.All() {
		for text, want := range map[string]string{
			"": "“config”", "[]": "“config”", `{"a":"` + strings.Repeat("x", 10<<20) + `"}`: "≤ 1 MiB",
			`{"a":"` + strings.Repeat("x", 3<<19) + `"}`: "≤ 1 MiB",
			strings.Repeat("[", 50000):                   "“config”",
			strings.Replace(qwenConfig, ":64,", `:"64",`,
				1): "“config.text_config.num_hidden_layers”",
			strings.ReplaceAll(qwenConfig, "qwen3_5", "hyena"): "“config.text_config.model_type”",
			`{"_class_name":"FluxPipeline"}`:                   "“config._class_name”",
			`{"model_type":"whisper"}`:                         "“config.model_type”",
			strings.Replace(qwenConfig, `"linear_num_key_heads":16,`, "",
				1): "“config.text_config.linear_num_key_heads”",
			strings.Replace(qwenConfig, `"vocab_size":248320`, `"vocab":1`, 1): "“config.text_config.vocab_size”",
		} {
			r := sendConfig(t, s, l.Path("/calculator"), text, true, nil)
			page := bodyOf(t, r)
			if r.StatusCode != 400 || !strings.Contains(page, want) || !strings.Contains(page, `role="alert"`) ||
				strings.Contains(page, `id="result"`) {
				t.Errorf("%s %.40q: got %d, want 400 with %s", l.Code(), text, r.StatusCode, want)
			}
		}
	}
}

func TestTheAPIReadsAConfiguration(t *testing.T) {
	s := sizedServer(t)
	post := func(body, kind string) (int, []byte) {
		r := httptest.NewRequest(http.MethodPost, "/api/v1/models/config", strings.NewReader(body))
		r.Header.Set("Content-Type", kind)
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		return w.Code, w.Body.Bytes()
	}
	status, body := post(qwenConfig, "application/json")
	var a struct {
		Model struct {
			Parameters float64 `json:"parameters"`
			KVBytes    float64 `json:"kv_bytes_per_token"`
			StateBytes float64 `json:"state_bytes"`
			SameShape  string  `json:"same_shape"`
		} `json:"model"`
		Config string `json:"config"`
		Preset *struct {
			ID string `json:"id"`
		} `json:"preset"`
	}
	if err := json.Unmarshal(body, &a); err != nil || status != 200 {
		t.Fatal(status, err, string(body))
	}
	if a.Model.KVBytes != 65536 || a.Model.StateBytes != 150994944 || a.Preset == nil || a.Preset.ID != "qwen3.5-27b" ||
		a.Config == "" {
		t.Errorf("got %+v", a)
	}
	if status, body := post(qwenConfig, "text/html"); status != 415 {
		t.Errorf("as text/html: got %d %s", status, body)
	}
	if status, body := post(`{"model_type":"mamba9"}`, "application/json"); status != 400 ||
		!strings.Contains(string(body), "config.model_type") {
		t.Errorf("got %d %s", status, body)
	}
}
