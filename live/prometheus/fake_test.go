package prometheus

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// sampled is when the samples of fake servers were taken.
var sampled = time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)

// An exposed series is a line of an exporter's text.
type exposed struct {
	labels map[string]string
	value  string
}

var (
	expositionLine  = regexp.MustCompile(`^([a-zA-Z_:][a-zA-Z0-9_:]*)\{(.*)\} (\S+)$`)
	expositionLabel = regexp.MustCompile(`([a-zA-Z_][a-zA-Z0-9_]*)="([^"]*)"`)
	namesOfQuery    = regexp.MustCompile(`^\{__name__=~"([^"]*)"(.*)\}\[(\d+)s\]$`)
)

func exposition(t testing.TB, text string) []exposed {
	t.Helper()
	var out []exposed
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		m := expositionLine.FindStringSubmatch(line)
		if m == nil {
			t.Fatalf("no line of an exporter: %q", line)
		}
		labels := map[string]string{"__name__": m[1]}
		for _, l := range expositionLabel.FindAllStringSubmatch(m[2], -1) {
			labels[l[1]] = l[2]
		}
		out = append(out, exposed{labels, m[3]})
	}
	return out
}

func exporterText(t testing.TB, name string) string {
	t.Helper()
	b, err := os.ReadFile("testdata/exporters/" + name + ".prom")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// fakePrometheus answers the queries that the source asks as a server does which
// has scraped the text twice, 15 seconds apart.
func fakePrometheus(t testing.TB, text string) *httptest.Server {
	t.Helper()
	series := exposition(t, text)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost || r.URL.Path != "/api/v1/query" {
			http.NotFound(w, r)
			return
		}
		fmt.Fprint(w, answerOf(series, r.PostFormValue("query")))
	}))
	t.Cleanup(s.Close)
	return s
}

func answerOf(series []exposed, query string) string {
	if query == "vector(1)" {
		return `{"status":"success","data":{"resultType":"vector","result":[{"metric":{},"value":[1700000000,"1"]}]}}`
	}
	m := namesOfQuery.FindStringSubmatch(query)
	if m == nil {
		return `{"status":"error","errorType":"bad_data","error":"parse error"}`
	}
	names := regexp.MustCompile("^(?:" + m[1] + ")$")
	result := []any{}
	for _, s := range series {
		if names.MatchString(s.labels["__name__"]) && (!strings.Contains(m[2], "gpu_id") || s.labels["gpu_id"] != "") {
			result = append(result, map[string]any{"metric": s.labels, "values": []any{
				[]any{float64(sampled.Unix()) - 15, "0"},
				[]any{float64(sampled.Unix()), s.value},
			}})
		}
	}
	b, err := json.Marshal(map[string]any{"status": "success",
		"data": map[string]any{"resultType": "matrix", "result": result}})
	if err != nil {
		return err.Error()
	}
	return string(b)
}

func fakeSource(t testing.TB, url string) *Source {
	t.Helper()
	return newSource(t, Config{URL: url, Now: func() time.Time { return sampled.Add(10 * time.Second) }})
}

func newSource(t testing.TB, c Config) *Source {
	t.Helper()
	p, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

// fleetText is what dcgm-exporters of so many hosts with 8 cards each publish.
func fleetText(hosts int) string {
	names := []string{
		"DCGM_FI_DEV_SM_CLOCK", "DCGM_FI_DEV_MEM_CLOCK", "DCGM_FI_DEV_MEMORY_TEMP", "DCGM_FI_DEV_GPU_TEMP",
		"DCGM_FI_DEV_POWER_USAGE",
		"DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", "DCGM_FI_DEV_GPU_UTIL", "DCGM_FI_DEV_FB_FREE", "DCGM_FI_DEV_FB_USED",
		"DCGM_FI_PROF_GR_ENGINE_ACTIVE", "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", "DCGM_FI_PROF_DRAM_ACTIVE",
	}
	var b strings.Builder
	for _, name := range names {
		fmt.Fprintf(&b, "# TYPE %s gauge\n", name)
		for h := range hosts {
			for g := range 8 {
				value := strconv.FormatFloat(0.25+float64(g), 'g', -1, 64)
				fmt.Fprintf(&b, `%s{gpu="%d",UUID="GPU-00000000-0000-0000-%04d-%012d",pci_bus_id="00000000:%02X:00.0",`+
					`device="nvidia%d",modelName="NVIDIA H100 80GB HBM3",Hostname="node-%02d",`+
					`DCGM_FI_DRIVER_VERSION="570.133.20"} %s`+"\n", name, g, h, g, 0x1b+g, g, h, value)
			}
		}
	}
	return b.String()
}
