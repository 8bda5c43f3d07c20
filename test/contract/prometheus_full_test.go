package contract_test

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"tianti/test/slow"
)

// exporters are series of devices as the exporters of three vendors have them, and as Tianti itself does.
const exporters = `DCGM_FI_DEV_POWER_USAGE{gpu="0",UUID="GPU-1",Hostname="a",modelName="NVIDIA H100 80GB HBM3"} 500
DCGM_FI_PROF_PIPE_TENSOR_ACTIVE{gpu="0",UUID="GPU-1",Hostname="a",modelName="NVIDIA H100 80GB HBM3"} 0.5
DCGM_FI_PROF_DRAM_ACTIVE{gpu="0",UUID="GPU-1",Hostname="a",modelName="NVIDIA H100 80GB HBM3"} 0.2
gpu_package_power{gpu_id="0",card_series="Instinct MI300X",serial_number="S1",hostname="node-e"} 700
gpu_prof_tensor_active_percent{gpu_id="0",card_series="Instinct MI300X",serial_number="S1",hostname="node-e"} 40
gpu_umc_activity{gpu_id="0",card_series="Instinct MI300X",serial_number="S1",hostname="node-e"} 25
npu_chip_info_power{id="0",model_name="910B3-Ascend-V1",vdie_id="AA-01"} 300
npu_chip_info_cube_utilization{id="0",model_name="910B3-Ascend-V1",vdie_id="AA-01"} 30
npu_chip_info_hbm_bandwidth_utilization{id="0",model_name="910B3-Ascend-V1",vdie_id="AA-01"} 10
tianti_device_power_watts{uuid="GPU-3",name="NVIDIA A100-SXM4-80GB",card="nvidia-a100-sxm4-80gb",host="b"} 200
tianti_device_tensor_active_ratio{uuid="GPU-3",name="NVIDIA A100-SXM4-80GB",card="nvidia-a100-sxm4-80gb",host="b"} 0.25
tianti_device_dram_active_ratio{uuid="GPU-3",name="NVIDIA A100-SXM4-80GB",card="nvidia-a100-sxm4-80gb",host="b"} 0.5
`

// TestFullPrometheusRecordsWhatTheRulesSay scrapes two servers of Tianti and three exporters with a real Prometheus,
// and asks it for what it recorded and for what the dashboard shows.
func TestFullPrometheusRecordsWhatTheRulesSay(t *testing.T) {
	slow.Only(t)
	program, err := exec.LookPath("prometheus")
	if err != nil {
		t.Skip("no prometheus here (apt-get install prometheus)")
	}
	s := serve(t)
	mux := http.NewServeMux()
	mux.Handle("/metrics", s)
	mux.HandleFunc("/devices", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, exporters) })
	target := httptest.NewServer(mux)
	defer target.Close()
	api := prometheus(t, program, strings.TrimPrefix(target.URL, "http://"))

	peak := func(card, precision string) float64 {
		return api.wait(t, fmt.Sprintf(
			`max(tianti_card_peak_flops{card=%q,precision=%q,unit="matrix",sparsity="dense"})`, card, precision))
	}
	band := func(card string) float64 {
		return api.wait(t, fmt.Sprintf(`max(tianti_card_memory_bandwidth_bytes_per_second{card=%q})`, card))
	}
	const (
		h100, a100     = "nvidia-h100-sxm5-80gb", "nvidia-a100-sxm4-80gb"
		mi300x, ascend = "amd-instinct-mi300x", "huawei-ascend-910b3"
	)
	for expr, want := range map[string]float64{
		`tianti:device_mfu_upper:ratio{UUID="GPU-1"}`:                           0.5,
		`tianti:device_tensor_flops_upper{card="` + h100 + `"}`:                 0.5 * peak(h100, "bf16"),
		`tianti:device_memory_upper:bytes_per_second{card="` + h100 + `"}`:      0.2 * band(h100),
		`tianti:device_tensor_flops_per_watt_upper{card="` + h100 + `"}`:        0.5 * peak(h100, "bf16") / 500,
		`tianti:device_memory_bandwidth_upper:ratio{hostname="node-e"}`:         0.25,
		`tianti:device_tensor_flops_upper{card="` + mi300x + `"}`:               0.4 * peak(mi300x, "bf16"),
		`tianti:device_memory_upper:bytes_per_second{card="` + mi300x + `"}`:    0.25 * band(mi300x),
		`tianti:device_tensor_flops_per_watt_upper{card="` + mi300x + `"}`:      0.4 * peak(mi300x, "bf16") / 700,
		`tianti:device_tensor_flops_upper{card="` + ascend + `"}`:               0.3 * peak(ascend, "fp16"),
		`tianti:device_memory_upper:bytes_per_second{card="` + ascend + `"}`:    0.1 * band(ascend),
		`tianti:live_tensor_flops_upper{card="` + a100 + `"}`:                   0.25 * peak(a100, "bf16"),
		`tianti:live_memory_upper:bytes_per_second{card="` + a100 + `"}`:        0.5 * band(a100),
		`tianti:live_power_of_rated:ratio{card="` + a100 + `"}`:                 0.5,
		`count(tianti_card_dcgm_info{model_name="NVIDIA H100 80GB HBM3"}) >= 2`: 2, // both servers
	} {
		if got := api.wait(t, expr); math.Abs(got-want) > 1e-9*want {
			t.Errorf("%s: got %v, want %v", expr, got, want)
		}
	}
	for _, expr := range dashboard(t) {
		if got := api.wait(t, "count("+expr+")"); got < 1 {
			t.Errorf("the dashboard shows nothing for %s", expr)
		}
	}
	// Until each rule has been evaluated with all series.
	api.wait(t, `min(prometheus_rule_group_iterations_total) > 5`)
	if failed := api.wait(t, `sum(prometheus_rule_evaluation_failures_total)`); failed > 0 {
		t.Errorf("%v evaluations of rules failed", failed)
	}
}

// A prometheusAPI is the address of a server.
type prometheusAPI string

// prometheus starts a server that scrapes a target each second, under two names, and itself.
func prometheus(t *testing.T, program, target string) prometheusAPI {
	t.Helper()
	dir := t.TempDir()
	text, err := os.ReadFile(rules)
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "rules.yaml"), text)
	at := freeAddress(t)
	_, port, _ := strings.Cut(target, ":")
	write(t, filepath.Join(dir, "prometheus.yml"), fmt.Appendf(nil, `
global: {scrape_interval: 1s, scrape_timeout: 1s, evaluation_interval: 1s}
rule_files: [rules.yaml]
scrape_configs:
- {job_name: tianti, static_configs: [{targets: [%[1]q, "localhost:%[2]s"]}]}
- {job_name: devices, metrics_path: /devices, honor_labels: true, static_configs: [{targets: [%[1]q]}]}
- {job_name: prometheus, static_configs: [{targets: [%[3]q]}]}
`, target, port, at))
	cmd := exec.Command(program, "--config.file="+filepath.Join(dir, "prometheus.yml"),
		"--storage.tsdb.path="+filepath.Join(dir, "data"),
		"--web.listen-address="+at, "--log.level=error")
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Signal(os.Interrupt); _ = cmd.Wait() })
	return prometheusAPI("http://" + at)
}

// wait asks until there is an answer, and returns its first value.
func (p prometheusAPI) wait(t *testing.T, expr string) float64 {
	t.Helper()
	for range 600 {
		if v, ok := p.ask(expr); ok {
			return v
		}
		<-time.After(100 * time.Millisecond) // rules are evaluated once a second, and have no other sign
	}
	t.Fatalf("%s: no answer after a minute", expr)
	return 0
}

func (p prometheusAPI) ask(expr string) (float64, bool) {
	r, err := http.Get(string(p) + "/api/v1/query?query=" + url.QueryEscape(expr))
	if err != nil {
		return 0, false
	}
	defer r.Body.Close()
	var answer struct {
		Data struct {
			Result []struct{ Value [2]any }
		}
	}
	if json.NewDecoder(r.Body).Decode(&answer) != nil || len(answer.Data.Result) == 0 {
		return 0, false
	}
	text, _ := answer.Data.Result[0].Value[1].(string)
	v, err := strconv.ParseFloat(text, 64)
	return v, err == nil
}
