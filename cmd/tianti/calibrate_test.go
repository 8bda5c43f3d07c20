package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

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
	files, err := os.ReadDir(c.Out)
	if err != nil || len(files) != 2 {
		t.Fatalf("got %v, %v, want two files", files, err)
	}
	for _, f := range files {
		got, err := os.ReadFile(filepath.Join(c.Out, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile(filepath.Join("../../seed/sizing", f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is not what the program carries", f.Name())
		}
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
