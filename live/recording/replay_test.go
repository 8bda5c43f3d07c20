package recording

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"tianti/live"
)

func openReplay(t *testing.T, path string) *Replay {
	t.Helper()
	r, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

func readFrame(t *testing.T, s live.Source) live.Frame {
	t.Helper()
	f, err := s.Read(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestReplayPlaysAtThePaceOfTheRecordingAndLoops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := openReplay(t, recordingFile)
		began := time.Now()
		for _, tc := range []struct {
			at, frame, age time.Duration // in the recording, and how old its frame is then
		}{
			{0, 0, 0},
			{1500 * time.Millisecond, time.Second, 500 * time.Millisecond},
			{20*time.Second - time.Millisecond, 20 * time.Second, 0}, // a little early
			{21 * time.Second, 21 * time.Second, 0},
			{48 * time.Second, 44 * time.Second, 4 * time.Second}, // nobody recorded
			{59 * time.Second, 59 * time.Second, 0},
			{60*time.Second - time.Millisecond, 0, 0},
			{62 * time.Second, 2 * time.Second, 0},
			{time.Hour + 3*time.Second, 3 * time.Second, 0},
		} {
			time.Sleep(time.Until(began.Add(tc.at)))
			want := recorded(int(tc.frame / time.Second))
			want.Source, want.Taken = "replay", time.Now().Add(-tc.age)
			if diff := cmp.Diff(want, readFrame(t, r)); diff != "" {
				t.Errorf("at %v: -want +got:\n%s", tc.at, diff)
			}
		}
	})
}

func TestReplayMovesTheTimesOfReadings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "one.ndjson")
		var b bytes.Buffer
		readings := map[live.Metric]live.Reading{live.Power: {Value: 70, Taken: monday.Add(-2 * time.Second)},
			live.SMClock: {Value: 345}}
		if err := errors.Join(WriteFrame(&b,
			live.Frame{Source: "nvml", Taken: monday,
				Hosts: []live.Host{{Devices: []live.Device{{UUID: "a", Readings: readings}}}}}),
			os.WriteFile(path, b.Bytes(), 0o600)); err != nil {
			t.Fatal(err)
		}
		want := map[live.Metric]live.Reading{live.Power: {Value: 70, Taken: time.Now().Add(-2 * time.Second)},
			live.SMClock: {Value: 345}}
		if diff := cmp.Diff(want, readFrame(t, openReplay(t, path)).Hosts[0].Devices[0].Readings); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	})
}

func TestFilesThatAreNoRecordingAreRefused(t *testing.T) {
	whole, err := os.ReadFile(recordingFile)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(whole), "\n")
	for name, tc := range map[string]struct{ text, want string }{
		"empty":     {"\n", "FILE: it has no frames"},
		"truncated": {string(whole[:len(whole)/2]), "FILE:27: it is cut off in the middle of a frame"},
		"CSV": {"index, name\n0, NVIDIA H100\n",
			"FILE:1: it is not JSON: invalid character 'i' looking for beginning of value, at byte 1"},
		"other":    {`{"cards":[]}`, "FILE:1: it has no version: not a recording of readings"},
		"disorder": {lines[1] + lines[0], "FILE:2: taken is 2026-03-02T08:00:00Z, before the frame above it"},
		"years": {lines[0] + strings.Replace(lines[1], "2026-", "2999-", 1),
			"FILE:2: taken is 2999-03-02T08:00:01Z, more than a year after the first frame"},
		"binary": {"\x1f\x8b\x08\x00" + strings.Repeat("\x00", 2<<20), "FILE:1: it is longer than 1048576 bytes"},
	} {
		path := filepath.Join(t.TempDir(), "x.ndjson")
		if err := os.WriteFile(path, []byte(tc.text), 0o600); err != nil {
			t.Fatal(err)
		}
		want := strings.Replace(tc.want, "FILE", path, 1)
		if _, err := Open(path); err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", name, err, want)
		}
	}
	if _, err := Open("testdata/none.ndjson"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want %v", err, fs.ErrNotExist)
	}
	if _, err := Open("testdata"); err == nil || err.Error() != "testdata: it is no file of a recording" {
		t.Errorf("got %v for a folder", err)
	}
}

func TestReplaySaysThatItsFileWasChanged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "x.ndjson")
		text := emptyLine + "\n" + strings.Replace(emptyLine, "08:00:00", "08:00:10", 1) + "\n"
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		r := openReplay(t, path)
		if err := os.Truncate(path, int64(len(emptyLine)+5)); err != nil {
			t.Fatal(err)
		}
		readFrame(t, r)
		time.Sleep(10 * time.Second)
		if _, err := r.Read(context.Background()); err == nil ||
			err.Error() != path+":2: it is cut off in the middle of a frame" {
			t.Errorf("got %v, want the file and the line", err)
		}
	})
}
