package recording

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"tianti/live"
)

var monday = time.Date(2026, 3, 2, 8, 0, 0, 0, time.UTC)

const emptyLine = `{"version":1,"source":"nvml","taken":"2026-03-02T08:00:00Z","hosts":[]}`

func TestFramesAreReadAsTheyWereWritten(t *testing.T) {
	frames := []live.Frame{
		{Source: "nvml", Taken: monday, Hosts: []live.Host{{Name: "a", Driver: "580.1", Devices: []live.Device{{
			UUID: "GPU-1", Name: "NVIDIA H100 80GB HBM3", PCI: "10de:2330",
			Readings: map[live.Metric]live.Reading{live.Power: {Value: 70.5},
				live.Energy: {Value: 5, Taken: monday.Add(-time.Second)}},
			Throttle: []live.Throttle{live.ThrottleIdle}, Processes: []live.Process{{PID: 4, Name: "x"}},
			Hidden: []live.Metric{live.SMActive},
		}}}}},
		{Source: "nvml", Taken: monday.Add(time.Second), Reason: "no-driver", Detail: "it is gone",
			Hosts: []live.Host{{Name: "b"}}},
		{Source: "nvml", Taken: monday.Add(2 * time.Second)},
	}
	var b bytes.Buffer
	for _, f := range frames {
		if err := WriteFrame(&b, f); err != nil {
			t.Fatal(err)
		}
	}
	for name, r := range map[string]io.Reader{"whole": bytes.NewReader(b.Bytes()),
		"bytewise": iotest.OneByteReader(bytes.NewReader(b.Bytes()))} {
		var got []live.Frame
		reader := NewReader(r)
		for {
			f, err := reader.Next()
			if err == io.EOF {
				break
			} else if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			got = append(got, f)
		}
		if diff := cmp.Diff(frames, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s: -want +got:\n%s", name, diff)
		}
	}
}

func TestReadingsThatAreNoNumbersAreNotWritten(t *testing.T) {
	readings := map[live.Metric]live.Reading{live.Power: {Value: math.NaN()}, live.Temperature: {Value: math.Inf(1)},
		live.SMClock: {Value: 1980}}
	var b bytes.Buffer
	if err := WriteFrame(&b, live.Frame{Source: "nvml", Taken: monday,
		Hosts: []live.Host{{Devices: []live.Device{{UUID: "a", Readings: readings}}}}}); err != nil {
		t.Fatal(err)
	}
	f, err := NewReader(&b).Next()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[live.Metric]live.Reading{live.SMClock: {Value: 1980}},
		f.Hosts[0].Devices[0].Readings); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if len(readings) != 3 {
		t.Errorf("the caller's readings are %v, want them as they were", readings)
	}
}

func TestWhatIsNoFrameIsRefusedWithItsLine(t *testing.T) {
	with := func(field, value string) string { return strings.Replace(emptyLine, field, value, 1) }
	for _, tc := range []struct{ text, want string }{
		{`{"version":1,"source":"nv`, "it is cut off in the middle of a frame"},
		{`{"version":1,"source":"nv` + "\n", "it is cut off in the middle of a frame"},
		{"name, power.draw [W]", "it is not JSON: invalid character 'a' in literal null (expecting 'u'), at byte 2"},
		{emptyLine + "x", "it is not JSON: invalid character 'x' after top-level value, at byte 72"},
		{"[]", "it is a JSON array: want an object"},
		{"{}", "it has no version: not a recording of readings"},
		{with(":1,", ":2,"), "its version is not known: got 2, want 1"},
		{with(":1,", `:"1",`), "version is a JSON string: want another type"},
		{with(`"source":"nvml",`, ""), "it has no field source"},
		{with(`"taken":"2026-03-02T08:00:00Z",`, ""), "it has no field taken"},
		{with("2026-03-02T08:00:00Z", "monday"),
			`parsing time "monday" as "2006-01-02T15:04:05Z07:00": cannot parse "monday" as "2006"`},
		{with(`"hosts":[]`, `"x":1`), "it has no field hosts"},
		{with(`"hosts":[]`, `"hosts":null`), "it has no field hosts"},
		{with(`[]`, `[{"name":"a"}]`), "hosts[0] has no field devices"},
		{with(`[]`, `[{"devices":[]},{"devices":[{"name":"x"}]}]`), "hosts[1].devices[0] has no field uuid"},
		{with(`[]`, `[{"devices":[{"uuid":"a"},{"uuid":"a"}]}]`), `hosts[0].devices[1]: uuid "a" is there twice`},
		{with(`[]`, `[{"devices":[{"uuid":"a","readings":{"power_w":{"v":"70"}}}]}]`),
			"readings: v is a JSON string: want another type"},
		{with(`[]`, `[{"devices":[{"uuid":"a","readings":{"power_w":{"v":1e999}}}]}]`),
			"readings: v is a JSON number 1e999: want another type"},
		{with(`[]`, `[{"devices":[{"uuid":"a","readings":{"power_w":{}}}]}]`), "readings: one has no field v"},
		{strings.Repeat("x", maxLine+1), "it is longer than 1048576 bytes"},
	} {
		r := NewReader(strings.NewReader(emptyLine + "\n\n" + tc.text))
		if _, err := r.Next(); err != nil {
			t.Fatal(err)
		}
		_, err := r.Next()
		if got, want := fmt.Sprint(err), "line 3: "+tc.want; got != want {
			t.Errorf("%.60q: got %q, want %q", tc.text, got, want)
		}
		if _, err := r.Next(); err != io.EOF {
			t.Errorf("%.60q: got %v after it, want io.EOF", tc.text, err)
		}
	}
}

func TestReaderGoesOnAfterABadLine(t *testing.T) {
	r := NewReader(strings.NewReader("garbage\n" + strings.Repeat("y", 3*maxLine) + "\n" + emptyLine))
	for i, want := range []error{ErrNotJSON, ErrLongLine, nil, io.EOF} {
		if _, err := r.Next(); !errors.Is(err, want) {
			t.Errorf("line %d: got %v, want %v", i+1, err, want)
		}
	}
}

func TestReaderReportsThatItsInputFails(t *testing.T) {
	r := NewReader(io.MultiReader(strings.NewReader(emptyLine+"\n{"), iotest.ErrReader(io.ErrNoProgress)))
	if _, err := r.Next(); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Next(); !errors.Is(err, io.ErrNoProgress) {
		t.Errorf("got %v, want %v", err, io.ErrNoProgress)
	}
}

func TestFramesTooLongForALineAreNotWritten(t *testing.T) {
	var b bytes.Buffer
	err := WriteFrame(&b, live.Frame{Source: "nvml", Taken: monday, Detail: strings.Repeat("x", maxLine)})
	if err == nil || b.Len() > 0 {
		t.Errorf("got %v and %d bytes, want an error and nothing written", err, b.Len())
	}
}

func FuzzReader(f *testing.F) {
	f.Add([]byte(emptyLine + "\n" + emptyLine))
	f.Add([]byte(`{"version":1,"source":"a","taken":"2026-03-02T08:00:00Z","hosts":[{"devices":[{"uuid":"a",` +
		`"readings":{"power_w":{"v":1.5,"t":"2026-03-02T08:00:00.5+08:00"}}}]}]}`))
	f.Add([]byte("\n\r\n{}\nnull"))
	f.Fuzz(func(t *testing.T, in []byte) {
		r := NewReader(bytes.NewReader(in))
		for lines := 0; ; lines++ {
			if lines > len(in) {
				t.Fatal("it does not end")
			}
			frame, err := r.Next()
			if err == io.EOF {
				return
			} else if err != nil {
				continue
			}
			var b bytes.Buffer
			if err := WriteFrame(&b, frame); err != nil {
				continue // a year that JSON has not, or a line that grew
			}
			again, err := NewReader(&b).Next()
			if diff := cmp.Diff(frame, again, cmpopts.EquateEmpty(), cmpopts.EquateApproxTime(0)); err != nil ||
				diff != "" {
				t.Errorf("%v, -read +again:\n%s", err, diff)
			}
		}
	})
}
