package prometheus

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tianti/live"
	"tianti/test/slow"
)

var update = flag.Bool("update", false, "write the goldens of testdata")

func TestWhatExportersPublishIsRead(t *testing.T) {
	for _, name := range []string{"dcgm", "dcgm-renamed", "dcgm-mig", "nvidia-smi", "amd", "huawei"} {
		t.Run(name, func(t *testing.T) {
			p := fakeSource(t, fakePrometheus(t, exporterText(t, name)).URL)
			frame, err := p.Read(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			got, err := json.MarshalIndent(frame, "", " ")
			if err != nil {
				t.Fatal(err)
			}
			golden := filepath.Join("testdata", "exporters", name+".json")
			if *update {
				if err := os.WriteFile(golden, append(got, '\n'), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(strings.TrimSpace(string(want)), string(got)); diff != "" {
				t.Errorf("-want +got, go test -update writes it:\n%s", diff)
			}
		})
	}
}

func TestTheOrderOfSeriesDoesNotMatter(t *testing.T) {
	text := exporterText(t, "dcgm") + exporterText(t, "dcgm-mig") + exporterText(t, "amd")
	lines := slices.Collect(strings.Lines(text))
	r := rand.New(rand.NewPCG(1, 2))
	var want live.Frame
	for i := range 20 {
		frame, err := fakeSource(t, fakePrometheus(t, strings.Join(lines, "")).URL).Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			want = frame
		}
		if diff := cmp.Diff(want, frame); diff != "" {
			t.Fatalf("after shuffling (-first +now):\n%s", diff)
		}
		r.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
	}
}

func TestTwoExportersOfACardGiveOneDevice(t *testing.T) {
	const uuid = "00000000-0000-0000-0000-0000000000aa"
	text := `DCGM_FI_DEV_GPU_TEMP{gpu="0",UUID="GPU-` + uuid + `",modelName="NVIDIA L4",Hostname="node-a",` +
		`instance="10.0.0.7:9400"} 40` + "\n" +
		`nvidia_smi_power_draw_watts{uuid="` + uuid + `",instance="10.0.0.7:9835"} 28` + "\n"
	frame, err := fakeSource(t, fakePrometheus(t, text).URL).Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(frame.Hosts) != 1 || frame.Hosts[0].Name != "node-a" || len(frame.Hosts[0].Devices) != 1 {
		t.Fatalf("got %+v, want one device of node-a", frame.Hosts)
	}
	d := frame.Hosts[0].Devices[0]
	power, _ := d.Get(live.Power)
	temperature, _ := d.Get(live.Temperature)
	if power != 28 || temperature != 40 {
		t.Errorf("got %v W and %v °C, want 28 and 40", power, temperature)
	}
}

func TestASeriesWithNewLabelsReplacesTheOldOne(t *testing.T) {
	now := sampled.Add(time.Minute)
	labels := func(pod string) map[string]string {
		return map[string]string{"__name__": "DCGM_FI_DEV_GPU_UTIL", "gpu": "0", "UUID": "GPU-1", "Hostname": "a",
			"pod": pod}
	}
	fresh := series{labels: labels("b"), value: 10, at: sampled.Add(50 * time.Second)}
	old := series{labels: labels("a"), value: 90, at: sampled}
	for _, order := range [][]series{{fresh, old}, {old, fresh}} {
		f := newFleet(now)
		for _, s := range order {
			f.add(&dcgmExporter, s)
		}
		got := f.hosts()[0].Devices[0].Readings[live.GPUUtilization]
		if want := (live.Reading{Value: 0.1, Taken: fresh.at}); !cmp.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	}
}

func TestAgesFollowTheClockOfTheServer(t *testing.T) {
	now := sampled.Add(10 * time.Second)
	s := series{labels: map[string]string{"__name__": "DCGM_FI_DEV_GPU_UTIL", "gpu": "0", "UUID": "GPU-1"}, value: 10,
		at: sampled.Add(time.Hour)}
	frame := frameOf("here", now, []answer{{series: []series{s}, ahead: time.Hour}, {}, {}, {}})
	if got := frame.Hosts[0].Devices[0].Readings[live.GPUUtilization].Taken; !got.Equal(sampled) {
		t.Errorf("taken at %v, want %v", got, sampled)
	}
	frame = frameOf("here", now, []answer{{series: []series{s}}, {}, {}, {}})
	if got := frame.Hosts[0].Devices[0].Readings[live.GPUUtilization].Taken; !got.Equal(now) {
		t.Errorf("taken at %v, want not after %v", got, now)
	}
}

func TestANetworkWithoutAcceleratorsIsNoError(t *testing.T) {
	p := fakeSource(t, fakePrometheus(t, "up{job=\"x\"} 1\n").URL)
	if err := p.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	frame, err := p.Read(t.Context())
	if err != nil || frame.Reason != live.ReasonNoDevice || !strings.Contains(frame.Detail, p.client.address) {
		t.Errorf("got %+v, %v, want no-device and the address", frame, err)
	}
}

func TestReadsInTheRefreshTimeShareAnAnswer(t *testing.T) {
	slow.Raced(t, "source.go")
	now := sampled
	text := fakePrometheus(t, exporterText(t, "dcgm"))
	p := newSource(t, Config{URL: text.URL, Now: func() time.Time { return now }})
	read := func() live.Frame {
		t.Helper()
		f, err := p.Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	first := read()
	now = now.Add(4 * time.Second)
	if again := read(); again.Taken != first.Taken {
		t.Errorf("after 4 s: taken at %v, want the first frame", again.Taken)
	}
	now = now.Add(time.Second)
	if again := read(); again.Taken != now {
		t.Errorf("after 5 s: taken at %v, want a new frame", again.Taken)
	}
	text.Close()
	now = now.Add(5 * time.Second)
	if _, err := p.Read(t.Context()); err == nil {
		t.Error("a server that is gone gave no error")
	}
}

func TestAReadThatIsCalledOffIsNotRemembered(t *testing.T) {
	p := fakeSource(t, fakePrometheus(t, exporterText(t, "dcgm")).URL)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.Read(ctx); err == nil {
		t.Fatal("no error")
	}
	if _, err := p.Read(t.Context()); err != nil {
		t.Errorf("the next read: %v", err)
	}
}

func TestQueriesNameTheSelectorAndTheWindow(t *testing.T) {
	p := newSource(t, Config{URL: "http://127.0.0.1:1", Selector: ` {cluster="a",job=~"x.*"} `,
		Window: 90 * time.Second})
	for _, q := range p.queries {
		if !strings.HasSuffix(q, `,cluster="a",job=~"x.*"}[90s]`) || !strings.HasPrefix(q, `{__name__=~"`) {
			t.Errorf("got %s", q)
		}
	}
}

func TestEveryRuleHasAMetricAndAUnit(t *testing.T) {
	for _, f := range exporters {
		for name, r := range f.metrics {
			if r.metric == "" || r.scale == 0 && r.steps == nil {
				t.Errorf("%s: %+v", name, r.metric)
			}
		}
	}
}

func TestTheSuggestedCountersAreRead(t *testing.T) {
	b, err := os.ReadFile("../../docs/dcgm-counters.csv")
	if err != nil {
		t.Fatal(err)
	}
	labels := map[string]string{"gpu": "0", "UUID": "GPU-1"}
	for line := range strings.Lines(string(b)) {
		cells := strings.Split(strings.TrimSpace(line), ",")
		switch {
		case cells[0] == "" || cells[0][0] == '#':
		case len(cells) != 3:
			t.Errorf("%q has %d columns, want 3", line, len(cells))
		case strings.TrimSpace(cells[1]) == "label":
			labels[cells[0]] = "12080"
		default:
			if _, ok := dcgmExporter.metrics[cells[0]]; !ok {
				t.Errorf("%s is not read", cells[0])
			}
		}
	}
	id, _ := dcgmIdentity(labels)
	if id.driver == "" || id.runtime == "" || id.PCI == "" || id.Subsystem == "" {
		t.Errorf("got %+v of the labels, want driver, runtime and ids", id)
	}
}

func FuzzAnswer(f *testing.F) {
	for _, name := range []string{"dcgm-mig", "amd"} {
		for _, e := range exporters {
			f.Add(answerOf(exposition(f, exporterText(f, name)), e.query("", time.Minute)))
		}
	}
	f.Add(answerOf(nil, "vector(1)"))
	f.Add(`{"status":"success","data":{"result":[{"metric":{"__name__":"DCGM_FI_DEV_GPU_UTIL","gpu":"0"},` +
		`"values":[[1,"NaN"],[2,"+Inf"]]}]}}`)
	f.Add(`{"status":"error","error":"no"}`)
	f.Fuzz(func(t *testing.T, text string) {
		a, err := readAnswer(strings.NewReader(text))
		if err != nil {
			return
		}
		frame := frameOf("here", sampled, []answer{a, a, a, a})
		seen := map[string]bool{}
		for _, h := range frame.Hosts {
			for _, d := range h.Devices {
				if d.UUID == "" || seen[d.UUID] {
					t.Errorf("UUID %q is empty or there twice", d.UUID)
				}
				seen[d.UUID] = true
				for m, r := range d.Readings {
					if strings.Contains(string(m), ":") || r.Taken.After(sampled) {
						t.Errorf("reading %s %v", m, r)
					}
				}
			}
		}
		if _, err := json.Marshal(frame); err != nil {
			t.Error(err)
		}
	})
}

func BenchmarkFleetOf8Hosts(b *testing.B) {
	series := exposition(b, fleetText(8))
	text := answerOf(series, dcgmExporter.query("", time.Minute))
	b.SetBytes(int64(len(text)))
	b.ReportMetric(float64(len(series)), "series")
	for b.Loop() {
		a, err := readAnswer(strings.NewReader(text))
		if err != nil {
			b.Fatal(err)
		}
		if f := frameOf("here", sampled, []answer{a, {}, {}, {}}); f.Devices() != 64 {
			b.Fatal(fmt.Sprint(f.Devices()))
		}
	}
}
