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

// TestRulesAndDashboardNameSeriesThatThereAre needs no tool: each series of ours that a rule takes is one of /metrics,
// and each that the dashboard shows is recorded.
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

// A panel is one of the dashboard, as far as Grafana needs it to find data.
type panel struct {
	ID         int
	Title      string
	Type       string
	Datasource struct{ Type, UID string }
	GridPos    struct{ H, W, X, Y int }
	Targets    []struct{ RefID, Expr, LegendFormat string }
}

// panels reads the dashboard.
func panels(t *testing.T) []panel {
	t.Helper()
	var board struct {
		UID, Title    string
		SchemaVersion int
		Templating    struct {
			List []struct{ Name, Type, Query string }
		}
		Panels []panel
	}
	data, err := os.ReadFile("../../docs/prometheus/tianti-dashboard.json")
	if err == nil {
		err = json.Unmarshal(data, &board)
	}
	if err != nil {
		t.Fatal(err)
	}
	source := board.Templating.List
	if board.UID == "" || board.Title == "" || board.SchemaVersion < 30 || len(source) != 1 ||
		source[0].Name != "datasource" || source[0].Type != "datasource" || source[0].Query != "prometheus" {
		t.Errorf("got %+v, want a dashboard with a variable for its Prometheus", board)
	}
	return board.Panels
}

// dashboard is what the panels of the dashboard ask for.
func dashboard(t *testing.T) []string {
	t.Helper()
	var out []string
	for _, p := range panels(t) {
		for _, target := range p.Targets {
			out = append(out, target.Expr)
		}
	}
	return out
}

// TestPanelsOfTheDashboardAreSound: each asks the chosen Prometheus, has a number, a title and a place of its own in
// the 24 columns of Grafana, and a name for each line.
func TestPanelsOfTheDashboardAreSound(t *testing.T) {
	ids, taken := map[int]bool{}, map[[2]int]string{}
	for _, p := range panels(t) {
		if p.ID <= 0 || ids[p.ID] || p.Title == "" || p.Type != "timeseries" || len(p.Targets) == 0 {
			t.Errorf("got %+v, want a number and a title of its own, and something to show", p)
		}
		ids[p.ID] = true
		if p.Datasource.Type != "prometheus" || p.Datasource.UID != "${datasource}" {
			t.Errorf("%s asks %+v, want the variable", p.Title, p.Datasource)
		}
		refs := map[string]bool{}
		for _, target := range p.Targets {
			if target.RefID == "" || refs[target.RefID] || !strings.Contains(target.LegendFormat, "{{") {
				t.Errorf("%s: got %+v, want a letter of its own and a name made of labels", p.Title, target)
			}
			refs[target.RefID] = true
		}
		at := p.GridPos
		if at.W <= 0 || at.H <= 0 || at.X < 0 || at.Y < 0 || at.X+at.W > 24 {
			t.Errorf("%s is at %+v, outside of the grid", p.Title, at)
			continue
		}
		for x := at.X; x < at.X+at.W; x++ {
			for y := at.Y; y < at.Y+at.H; y++ {
				if other := taken[[2]int{x, y}]; other != "" {
					t.Fatalf("%s lies on %s", p.Title, other)
				}
				taken[[2]int{x, y}] = p.Title
			}
		}
	}
}
