package contract_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const rules = "../../docs/prometheus/tianti.rules.yaml"

// promtool runs Prometheus' own tool, or skips the test where there is none.
func promtool(t *testing.T, input string, args ...string) {
	t.Helper()
	tool, err := exec.LookPath("promtool")
	if err != nil {
		t.Skip("no promtool here (apt-get install prometheus)")
	}
	cmd := exec.Command(tool, args...)
	cmd.Stdin = strings.NewReader(input)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("promtool %s: %v\n%.3000s", strings.Join(args, " "), err, out)
	}
}

func TestMetricsAreAsPrometheusWantsThem(t *testing.T) {
	w := serve(t).get("/metrics")
	promtool(t, w.Body.String(), "check", "metrics")
}

func TestRecordingRulesGiveWhatTheySay(t *testing.T) {
	text, err := os.ReadFile(rules)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	cases, err := os.ReadFile("testdata/rules_test.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{"tianti.rules.yaml": text, "test.yaml": cases} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	promtool(t, "", "check", "rules", filepath.Join(dir, "tianti.rules.yaml"))
	promtool(t, "", "test", "rules", filepath.Join(dir, "test.yaml"))
}

// TestRulesAndDashboardNameSeriesThatThereAre needs no tool: each series of ours that a rule takes is one of /metrics, and
// each that the dashboard shows is recorded.
func TestRulesAndDashboardNameSeriesThatThereAre(t *testing.T) {
	text, err := os.ReadFile(rules)
	if err != nil {
		t.Fatal(err)
	}
	metrics := serve(t).get("/metrics").Body.String()
	for _, name := range regexp.MustCompile(`tianti_card_[a-z_]+`).FindAllString(string(text), -1) {
		if !strings.Contains(metrics, "\n"+name+"{") {
			t.Errorf("no series is called %s", name)
		}
	}
	for _, want := range []string{
		`tianti_card_peak_flops{card="nvidia-h100-sxm5-80gb",vendor="NVIDIA",precision="bf16",unit="matrix",sparsity="dense"} 9.89`,
		`tianti_card_dcgm_info{model_name="NVIDIA H100 80GB HBM3",card="nvidia-h100-sxm5-80gb"} 1`,
		`tianti_card_npu_info{model_name="910B3-Ascend-V1",card="huawei-ascend-910b3"} 1`,
		`tianti_card_power_watts{card="nvidia-h100-sxm5-80gb",vendor="NVIDIA"} 700`,
	} {
		if !strings.Contains(metrics, "\n"+want) {
			t.Errorf("no sample begins with %s", want)
		}
	}
	if strings.Contains(metrics, `model_name="Ascend910"`) {
		t.Error("a name that several cards bear joins to one of them")
	}
	var recorded []string
	for _, m := range regexp.MustCompile(`record: (\S+)`).FindAllStringSubmatch(string(text), -1) {
		recorded = append(recorded, m[1])
	}
	shown := dashboard(t)
	for _, expr := range shown {
		if !slices.Contains(recorded, expr) {
			t.Errorf("the dashboard shows %q, which no rule records", expr)
		}
	}
	if len(shown) < 5 || len(recorded) < 8 {
		t.Errorf("the dashboard shows %d series, %d rules", len(shown), len(recorded))
	}
}

// dashboard is what the panels of the dashboard ask for.
func dashboard(t *testing.T) []string {
	t.Helper()
	var board struct {
		Panels []struct {
			Targets []struct{ Expr string }
		}
	}
	data, err := os.ReadFile("../../docs/prometheus/tianti-dashboard.json")
	if err == nil {
		err = json.Unmarshal(data, &board)
	}
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, p := range board.Panels {
		for _, target := range p.Targets {
			out = append(out, target.Expr)
		}
	}
	return out
}
