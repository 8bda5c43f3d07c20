package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tianti/sizing"
)

// A quantity that is fitted is written beside what the program carries of the others, in place of what was there.
func TestCalibrationsAreReplacedAtOnce(t *testing.T) {
	a, err := builtinSizing()
	if err != nil {
		t.Fatal(err)
	}
	var cals []*sizing.Calibration
	for _, q := range sizing.Quantities {
		cals = append(cals, a.Calibration(q))
	}
	c := calibrateCmd{Out: t.TempDir()}
	for range 2 {
		if err := c.write(cals); err != nil {
			t.Fatal(err)
		}
	}
	if files, err := os.ReadDir(c.Out); err != nil || len(files) != 2 {
		t.Fatalf("got %v, %v, want two files", files, err)
	}
	var got, want any // numbers may be written in several ways
	for folder, v := range map[string]*any{c.Out: &got, "../../seed/sizing": &want} {
		text, err := os.ReadFile(filepath.Join(folder, "calibration.json"))
		if err == nil {
			err = json.Unmarshal(text, v)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-carried +written\n%s", diff)
	}
	text, err := os.ReadFile(filepath.Join(c.Out, "leftout.csv"))
	if err != nil || bytes.Count(text, []byte("\n")) < 1000 {
		t.Errorf("got %d bytes of what was held back, %v", len(text), err)
	}
}

func TestCalibrationNeedsItsFolderBeforeItBegins(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, out := range []string{file, filepath.Join(t.TempDir(), "nowhere")} {
		if err := (&calibrateCmd{Out: out}).Run(nil); err == nil {
			t.Errorf("%s is taken", out)
		}
	}
}
