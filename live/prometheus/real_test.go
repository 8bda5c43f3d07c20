package prometheus

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tianti/live"
)

// realPrometheus runs the server, which scrapes the exporters every second, and
// returns its address with a base path.
func realPrometheus(t testing.TB, exporters ...*httptest.Server) string {
	t.Helper()
	if testing.Short() {
		t.Skip("a real server takes seconds to scrape")
	}
	program, err := exec.LookPath("prometheus")
	if err != nil {
		t.Skip("prometheus is not installed: apt-get install prometheus")
	}
	var targets []string
	for _, e := range exporters {
		targets = append(targets, fmt.Sprintf("%q", strings.TrimPrefix(e.URL, "http://")))
	}
	dir := t.TempDir()
	config := filepath.Join(dir, "prometheus.yml")
	text := "scrape_configs:\n- job_name: gpu\n  scrape_interval: 1s\n  static_configs:\n  - targets: [" +
		strings.Join(targets, ", ") + "]\n"
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	cmd := exec.Command(program, "--config.file="+config, "--storage.tsdb.path="+filepath.Join(dir, "data"),
		"--web.listen-address="+address, "--web.route-prefix=/prometheus",
		"--web.external-url=http://"+address+"/prometheus")
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	late := time.AfterFunc(time.Minute, func() { cmd.Process.Kill() })
	t.Cleanup(func() {
		late.Stop()
		cmd.Process.Kill()
		cmd.Wait()
	})
	var said strings.Builder
	ready := false
	for lines := bufio.NewScanner(stderr); !ready && lines.Scan(); {
		said.WriteString(lines.Text() + "\n")
		ready = strings.Contains(lines.Text(), "ready to receive web requests")
	}
	if !ready {
		t.Fatalf("prometheus does not start:\n%s", said.String())
	}
	late.Stop()
	go io.Copy(io.Discard, stderr)
	return "http://" + address + "/prometheus"
}

// awaitScrapes waits for some.
func awaitScrapes(t testing.TB, scraped <-chan struct{}, n int) {
	t.Helper()
	late := time.After(time.Minute)
	for i := range n {
		select {
		case <-scraped:
		case <-late:
			t.Fatalf("prometheus has scraped %d times in a minute, want %d", i, n)
		}
	}
}

// fakeExporter serves text and tells when it was asked for it.
func fakeExporter(t testing.TB, text string) (s *httptest.Server, scraped chan struct{}) {
	scraped = make(chan struct{}, 1000)
	s = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain; version=0.0.4")
		io.WriteString(w, text)
		select {
		case scraped <- struct{}{}:
		default:
		}
	}))
	t.Cleanup(s.Close)
	return s, scraped
}

func TestARealPrometheusIsRead(t *testing.T) {
	text := ""
	for _, name := range []string{"dcgm", "dcgm-renamed", "dcgm-mig", "amd"} {
		text += exporterText(t, name)
	}
	many, scraped := fakeExporter(t, text)
	// The exporter of Huawei gives samples times of its own.
	npu := strings.ReplaceAll(exporterText(t, "huawei"), `,instance="node-g:8082"`, "")
	npu = strings.ReplaceAll(npu, `{instance="node-g:8082"}`, "")
	stamped := ""
	before := time.Now().Add(-20 * time.Second)
	for line := range strings.Lines(npu) {
		if line[0] != '#' {
			line = strings.TrimSpace(line) + fmt.Sprintf(" %d\n", before.UnixMilli())
		}
		stamped += line
	}
	old, scrapedOld := fakeExporter(t, stamped)
	p := newSource(t, Config{URL: realPrometheus(t, many, old), Selector: `job="gpu"`, Refresh: time.Nanosecond})
	if err := p.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	awaitScrapes(t, scraped, 3) // with the third, the first two are stored
	awaitScrapes(t, scrapedOld, 3)
	frame, err := p.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	devices := map[string]live.Device{}
	hosts := map[string]live.Host{}
	for _, h := range frame.Hosts {
		hosts[h.Name] = h
		for _, d := range h.Devices {
			devices[d.UUID] = d
		}
	}
	if len(devices) != 12 {
		t.Errorf("got %d devices, want 12", len(devices))
	}
	h100 := devices["GPU-00000000-0000-0000-0000-000000000001"]
	if v, _ := h100.Get(live.TensorActive); v != 0.43 {
		t.Errorf("tensor pipe: got %v, want 0.43", v)
	}
	if age := frame.Taken.Sub(h100.Readings[live.TensorActive].Taken); age < 0 || age > 5*time.Second {
		t.Errorf("a scraped reading is %v old", age)
	}
	if every := hosts["node-a"].Every; every < 0.5 || every > 3 {
		t.Errorf("scraped every %v s, want about 1", every)
	}
	npu910 := devices["AA-01"]
	if age := frame.Taken.Sub(npu910.Readings[live.Power].Taken); age < 20*time.Second || age > 40*time.Second {
		t.Errorf("a reading with a time of its own is %v old, want that time", age)
	}
	wrong := newSource(t, Config{URL: strings.TrimSuffix(p.client.address, "/prometheus")})
	if err := wrong.Check(t.Context()); err == nil || !strings.Contains(err.Error(), "base path") {
		t.Errorf("without the base path: got %v, want that it is missing", err)
	}
	bad := newSource(t, Config{URL: p.client.address, Selector: `cluster=a`})
	if err := bad.Check(t.Context()); err == nil || !strings.Contains(err.Error(), "bad_data") {
		t.Errorf("with a bad selector: got %v, want what the server says of it", err)
	}
}

func BenchmarkRealPrometheus96Series(b *testing.B) {
	s, scraped := fakeExporter(b, fleetText(1))
	p := newSource(b, Config{URL: realPrometheus(b, s)})
	awaitScrapes(b, scraped, 5)
	for b.Loop() {
		a, err := p.client.query(b.Context(), p.queries[0])
		if err != nil || len(a.series) != 96 {
			b.Fatal(len(a.series), err)
		}
	}
}
