//go:build linux && cgo

package nvml

import (
	"debug/elf"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tianti/cmd/tianti/internal/nvml/nvmltest"
	"tianti/live"
)

// without is a library that lacks a function.
func without(t *testing.T, symbol string) string {
	t.Helper()
	script := filepath.Join(t.TempDir(), "exports")
	if err := os.WriteFile(script, fmt.Appendf(nil, "{ global: nvml*; local: %s; };", symbol), 0o600); err != nil {
		t.Fatal(err)
	}
	return nvmltest.Build(t, "-Wl,--version-script="+script)
}

// symbols are the functions of a library.
func symbols(t *testing.T, library string) []string {
	t.Helper()
	f, err := elf.Open(library)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all, err := f.DynamicSymbols()
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, s := range all {
		if strings.HasPrefix(s.Name, "nvml") && s.Section != elf.SHN_UNDEF {
			out = append(out, s.Name)
		}
	}
	return out
}

// TestEveryFunctionMayBeMissing fails when a function is called without having been
// looked up: the loader ends the process then.
func TestEveryFunctionMayBeMissing(t *testing.T) {
	all := symbols(t, nvmltest.Build(t))
	if len(all) < 40 {
		t.Fatalf("the stand-in has only %q", all)
	}
	for _, symbol := range all {
		t.Run(symbol, func(t *testing.T) {
			t.Parallel()
			f := last(read(t, without(t, symbol), 2, "STUB_MIG=1", "STUB_CARDS=2", "STUB_XID=31"))
			if needed := strings.Contains(strings.Join(essential, " "), symbol); needed != (f.Reason == NoLibrary) || !needed && f.Devices() < 2 {
				t.Errorf("got reason %q, %q and %d devices", f.Reason, f.Detail, f.Devices())
			}
		})
	}
}

func TestTemperatureOfALaterLibraryIsRead(t *testing.T) {
	d := last(read(t, without(t, "nvmlDeviceGetTemperature"), 1)).Hosts[0].Devices[0]
	if v, ok := d.Get(live.Temperature); !ok || v != 41 {
		t.Errorf("got %v, %v", v, ok)
	}
}
