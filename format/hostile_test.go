package format

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"tianti/catalog"
)

// quiet is a sink that counts and keeps the last price and card.
type quiet struct {
	price Price
	card  Card
	left  []Skipped
	n     int
}

func (q *quiet) Source(catalog.Source) error           { return nil }
func (q *quiet) Card(c Card) error                     { q.card = c; q.n++; return nil }
func (q *quiet) Price(p Price) error                   { q.price = p; q.n++; return nil }
func (q *quiet) Rate(catalog.ExchangeRate) error       { return nil }
func (q *quiet) Annotations(catalog.Annotations) error { return nil }
func (q *quiet) Skip(l Skipped) error                  { q.left = append(q.left, l); return nil }
func (q *quiet) Row(int)                               {}

// endless yields a beginning and then a byte, n times.
func endless(begin string, c byte, n int64) io.Reader {
	return io.MultiReader(strings.NewReader(begin), io.LimitReader(same(c), n))
}

// again yields a text again and again.
type again struct {
	text string
	at   int
	left int64
}

func (a *again) Read(p []byte) (int, error) {
	if a.left <= 0 {
		return 0, io.EOF
	}
	for i := range p {
		p[i] = a.text[a.at]
		a.at = (a.at + 1) % len(a.text)
	}
	a.left -= int64(len(p))
	return len(p), nil
}

// same yields a byte for ever.
type same byte

func (s same) Read(p []byte) (int, error) {
	for n := copy(p, []byte{byte(s)}); n < len(p); n *= 2 {
		copy(p[n:], p[:n])
	}
	return len(p), nil
}

// bombed is what a bomb unpacks to: at a thousandth of it, packed, it is far beyond
// what its ratio allows.
const bombed = 8 << 20

// peak runs f and returns how long it took and how much memory the heap held at most,
// beyond what it held before.
func peak(f func()) (time.Duration, uint64) {
	var most atomic.Uint64
	stop, done := make(chan bool), make(chan bool)
	sample := func() uint64 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	runtime.GC()
	before := sample()
	go func() {
		defer close(done)
		for tick := time.NewTicker(10 * time.Millisecond); ; {
			select {
			case <-tick.C:
				most.Store(max(most.Load(), sample()))
			case <-stop:
				tick.Stop()
				return
			}
		}
	}()
	start := time.Now()
	f()
	took := time.Since(start)
	close(stop)
	<-done
	return took, max(most.Load(), sample(), before) - before
}

func zipped(t testing.TB, files map[string]io.Reader, change func(*zip.FileHeader)) io.Reader {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		h := &zip.FileHeader{Name: name, Method: zip.Deflate}
		if change != nil {
			change(h)
		}
		w, err := z.CreateHeader(h)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(w, files[name]); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return &b
}

func gzipped(t testing.TB, r io.Reader) io.Reader {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := io.Copy(z, r); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return &b
}

const (
	skypilotHead = "InstanceType,AcceleratorName,AcceleratorCount,Price,SpotPrice,Region\n"
	gib          = int64(1 << 30)
)

func TestHostileFilesAreRefusedSoonAndInLittleMemory(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(100)) // make test collects seldom
	text := func(s string) io.Reader { return strings.NewReader(s) }
	thousands := map[string]io.Reader{}
	for i := range 20_000 {
		thousands[fmt.Sprintf("%05d.csv", i)] = text("")
	}
	for _, tt := range []struct {
		name   string
		r      io.Reader
		format string
		want   string
	}{
		{"gzip bomb", gzipped(t, endless(skypilotHead, '\n', bombed)), "skypilot", "more than 200 times its size"},
		{"zip bomb", zipped(t, map[string]io.Reader{"vms.csv": endless(skypilotHead, '\n', bombed)}, nil), "skypilot",
			"more than 200 times its size"},
		{"a gigabyte of one row", endless(skypilotHead, 'x', gib), "skypilot", "x.csv:2: the row is longer than " +
			"1048576 bytes"},
		{"a gigabyte of one quoted cell", endless(skypilotHead+`"`, 'x', gib), "skypilot", "x.csv:2: the row is " +
			"longer than 1048576 bytes"},
		{"a gigabyte of the first row", endless("a,b", ',', gib), "table", "x.csv:1: the row is longer than 1048576 " +
			"bytes"},
		{"a gigabyte of the first cell", endless("", 'x', gib), "table", "the file is no table"},
		{"a gigabyte of a JSON text", endless(`[{"name":"`, 'x', gib), "awsgpu", "longer than 1048576 bytes"},
		{"a gigabyte of a JSON number", endless(`[{"gpuCount":`, '1', gib), "awsgpu", "longer than 1048576 bytes"},
		{"a gigabyte of spaces", endless(`[`, ' ', gib), "awsgpu", "longer than 1048576 bytes"},
		{"a gigabyte of a JSON list", io.MultiReader(text(`[{"gpuCount":[1`), &again{text: ",1", left: gib}), "awsgpu",
			"a record has more than 250000 values"},
		{"a gigabyte of JSON keys", io.MultiReader(text(`[{"a":1`), &again{text: `,"a":1`, left: gib}), "awsgpu",
			"a record has more than 250000 values"},
		{"deep JSON", endless("[", '[', gib), "awsgpu", "more than 64 levels deep"},
		{"10,000 columns", text(strings.Repeat("a,", 10_000) + "\n"), "table", "x.csv:1: the row has more than 2000 " +
			"columns"},
		{"NUL bytes", text(skypilotHead + "a\x00b,c,1,1,1,r\n"), "skypilot", "x.csv:2: a NUL byte"},
		{"nothing but NUL", endless("", 0, gib), "skypilot", "NUL byte"},
		{"../ in a zip", zipped(t, map[string]io.Reader{"../../etc/passwd": text("a,b\n")}, nil), "table",
			`"../../etc/passwd", whose name leads elsewhere`},
		{"an absolute name", zipped(t, map[string]io.Reader{"/etc/passwd": text("a,b\n")}, nil), "table",
			"whose name leads elsewhere"},
		{`..\ in a zip`, zipped(t, map[string]io.Reader{`..\a.csv`: text("a,b\n")}, nil), "table",
			"whose name leads elsewhere"},
		{"a drive", zipped(t, map[string]io.Reader{`C:a.csv`: text("a,b\n")}, nil), "table",
			"whose name leads elsewhere"},
		{"a link", zipped(t, map[string]io.Reader{"a.csv": text("/etc/passwd")}, func(h *zip.FileHeader) {
			h.SetMode(fs.ModeSymlink | 0o777)
		}), "table", "a link or device"},
		{"an encrypted member", zipped(t, map[string]io.Reader{"a.csv": text("a,b\n")}, func(h *zip.FileHeader) {
			h.Flags |= 1
		}), "table", "encrypted"},
		{"two files that are not alike", zipped(t, map[string]io.Reader{"a.csv": text("a,b\n"), "b.csv": text("c,d\n")},
			nil), "table", "x.csv: part: the file holds a.csv, b.csv; say which to read"},
		{"a bomb among others", zipped(t, map[string]io.Reader{"a.csv": text("a,b\n1,2\n"),
			"b.csv": endless("a,b\n", '\n', bombed)}, nil), "table", "more than 200 times its size"},
		{"thousands of files", zipped(t, thousands, func(h *zip.FileHeader) { h.Method = zip.Store }), "table",
			"thousands of files"},
		{"no file", zipped(t, nil, nil), "table", "holds no file"},
		{"a spreadsheet", zipped(t, map[string]io.Reader{"[Content_Types].xml": text("<x/>"),
			"xl/workbook.xml": text("<x/>")}, nil), "table", "want .xlsx, or the sheet as CSV"},
		{"a zip in a zip",
			zipped(t, map[string]io.Reader{"a.zip": zipped(t, map[string]io.Reader{"a.csv": text("a,b\n")}, nil)}, nil),
			"table", "holds another one (zip)"},
		{"a gzip in a gzip", gzipped(t, gzipped(t, text("a,b\n"))), "table", "holds another one (gzip)"},
		{"half a gzip", io.LimitReader(gzipped(t, text(strings.Repeat(chinese, 100))), 90), "table", "damaged"},
		{"half a zip", io.LimitReader(zipped(t, map[string]io.Reader{"a.csv": text(strings.Repeat(chinese, 100))}, nil),
			90), "table", "damaged"},
	} {
		var err error
		in := &packed{r: tt.r}
		took, memory := peak(func() { err = readAs(tt.format, "x.csv", in) })
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %q", tt.name, err, tt.want)
		}
		// How long it takes is how much is read; the time itself is told, for it is the machine's.
		if in.n > 16<<20 || memory > 64<<20 {
			t.Errorf("%s: %d MiB are read and %d MiB held", tt.name, in.n>>20, memory>>20)
		}
		t.Logf("%s: %v, %d KiB read, %d KiB held: %v", tt.name, took.Round(time.Millisecond), in.n>>10, memory>>10, err)
	}
}

func TestLargeArchivesLeaveNothingBehind(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	const n = 700_000
	var text strings.Builder
	text.WriteString("gpu,tdp\n")
	for i := range n {
		fmt.Fprintf(&text, "card %06d,%d\n", i, 1+i%999)
	}
	data, err := io.ReadAll(zipped(t, map[string]io.Reader{"a.csv": strings.NewReader(text.String())},
		func(h *zip.FileHeader) { h.Method = zip.Store }))
	if err != nil || len(data) <= memoryBytes {
		t.Fatalf("%d bytes, want more than are kept in memory: %v", len(data), err)
	}
	f, err := Open("a.zip", bytes.NewReader(data), Options{}, DefaultLimits, "")
	if err != nil {
		t.Fatal(err)
	}
	s := &quiet{}
	if err := genericTable.Read(context.Background(), f, s); err != nil || s.n != n {
		t.Errorf("got %d cards, want %d: %v", s.n, n, err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if _, err := Open("a.zip", bytes.NewReader(data[:len(data)-10]), Options{}, DefaultLimits, ""); err == nil {
		t.Error("a damaged archive is read")
	}
	if left, err := os.ReadDir(os.TempDir()); err != nil || len(left) > 0 {
		t.Errorf("%v is left behind: %v", left, err)
	}
}

// readAs reads a file by the format of an id.
func readAs(format, name string, r io.Reader) error {
	f, err := Open(name, r, Options{Date: "2026-11-20", Columns: map[string]string{"a": "card", "b": "memory_gb"}},
		DefaultLimits, "2026-11-21")
	if err != nil {
		return err
	}
	defer f.Close()
	how, _ := Lookup(format)
	return how.ReadFile(context.Background(), f, &quiet{})
}

func TestFilesEndAtTheirLimit(t *testing.T) {
	lim := DefaultLimits
	lim.Bytes = 1 << 20
	for name, want := range map[string]string{"x": "x.csv: the file is longer than 1048576 bytes of text; " +
		"want less", "": ""} {
		text := skypilotHead + strings.Repeat("a,A100,1,1,1,r\n", (1<<20-len(skypilotHead))/15)
		f, err := Open("x.csv", strings.NewReader(text+strings.Repeat(name, 15)), Options{Date: "2026-11-20"}, lim, "")
		if err != nil {
			t.Fatal(err)
		}
		if err := skypilot.Read(context.Background(), f, &quiet{}); (err == nil) != (want == "") || err != nil &&
			err.Error() != want {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

func TestMarkupAndFormulasAreText(t *testing.T) {
	for _, name := range []string{`<script>alert(1)</script>`, `=cmd|' /C calc'!A0`, `@SUM(1+1)`, `+1+1`, `-2+3`,
		`{{7*7}}`, `'; DROP TABLE price; --`} {
		cell := `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
		s := &quiet{}
		f := open(t, "aws.csv", skypilotHead+cell+","+cell+",8,1.5,,"+cell+"\n", Options{Date: "2026-11-20"})
		if err := skypilot.Read(context.Background(), f, s); err != nil || s.n != 1 {
			t.Fatalf("%s: %v, %d prices, %v", name, err, s.n, s.left)
		}
		if s.price.Name != name || s.price.Instance != name || s.price.Region != name {
			t.Errorf("got %q %q %q, want %q as it is", s.price.Name, s.price.Instance, s.price.Region, name)
		}
	}
}

func TestReadingEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	f, err := Open("x.csv", endless(skypilotHead+strings.Repeat("a,b,1,1,1,r\n", 5000), '\n', gib),
		Options{Date: "2026-11-20"}, DefaultLimits, "")
	if err != nil {
		t.Fatal(err)
	}
	if err := skypilot.Read(ctx, f, &quiet{}); err != context.Canceled {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
}
