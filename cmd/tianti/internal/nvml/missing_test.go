//go:build linux && (amd64 || arm64) && !nonvml

package nvml

import (
	"bytes"
	"debug/elf"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tianti/cmd/tianti/internal/nvml/nvmltest"
	"tianti/live"
)

// without is a library that lacks a function: where its table of names has it, there stands another name of as many
// letters.
func without(t *testing.T, symbol string) string {
	t.Helper()
	library := nvmltest.Build(t)
	code, err := os.ReadFile(library)
	if err != nil {
		t.Fatal(err)
	}
	code = bytes.ReplaceAll(code, []byte("\x00"+symbol+"\x00"), []byte("\x00x"+symbol[1:]+"\x00"))
	if err := os.WriteFile(library, code, 0o600); err != nil {
		t.Fatal(err)
	}
	if slices.Contains(symbols(t, library), symbol) {
		t.Fatalf("%s is still there", symbol)
	}
	return library
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

func TestEveryFunctionMayBeMissing(t *testing.T) {
	all := symbols(t, nvmltest.Build(t))
	if len(all) < 40 {
		t.Fatalf("the stand-in has only %q", all)
	}
	for _, symbol := range all {
		t.Run(symbol, func(t *testing.T) {
			t.Parallel()
			f := last(read(t, without(t, symbol), 2, "STUB_MIG=1", "STUB_CARDS=2", "STUB_XID=31"))
			needed := slices.Contains(essential, symbol)
			if needed != (f.Reason == NoLibrary) || !needed && f.Devices() < 2 {
				t.Errorf("got reason %q, %q and %d devices", f.Reason, f.Detail, f.Devices())
			}
		})
	}
}

// TestOlderNamesAreFound has the stand-in know its functions by older names, as
// libraries of older drivers do.
func TestOlderNamesAreFound(t *testing.T) {
	env := []string{"STUB_CARDS=1", "STUB_XID=31"}
	want := last(read(t, nvmltest.Build(t), 2, env...)).Hosts
	there := symbols(t, nvmltest.Build(t))
	for f := range reflect.TypeFor[functions]().Fields() {
		if f.Tag.Get("else") == "" || !slices.Contains(there, "nvml"+f.Name) {
			continue
		}
		for _, older := range strings.Fields(f.Tag.Get("else")) {
			t.Run(older, func(t *testing.T) {
				t.Parallel()
				got := last(read(t, nvmltest.Build(t, "-Dnvml"+f.Name+"=nvml"+older), 2, env...)).Hosts
				if diff := cmp.Diff(want, got, cmp.FilterPath(ofARun, cmp.Ignore())); diff != "" {
					t.Errorf("-want +got:\n%s", diff)
				}
			})
		}
	}
}

// ofARun reports whether something differs from one reading to another: times, and the
// process that reads.
func ofARun(p cmp.Path) bool {
	return p.Last().String() == ".Taken" || p.Last().String() == ".PID"
}

// TestNothingIsMadeUpOfWhatIsMissing is of functions that others are of no use without.
func TestNothingIsMadeUpOfWhatIsMissing(t *testing.T) {
	for symbol, absent := range map[string]live.Metric{
		"nvmlDeviceGetNvLinkState": live.NVLinksUp, "nvmlDeviceGetFieldValues": live.NVLinks,
		"nvmlGpmMetricsGet": live.SMActive, "nvmlGpmSampleFree": live.SMActive,
		"nvmlEventSetFree": live.LastXID, "nvmlDeviceGetPowerUsage": live.Power,
	} {
		t.Run(symbol, func(t *testing.T) {
			t.Parallel()
			d := last(read(t, without(t, symbol), 3, "STUB_CARDS=1", "STUB_XID=31")).Hosts[0].Devices[0]
			if v, ok := d.Get(absent); ok {
				t.Errorf("%s: got %v", absent, v)
			}
			if absent != live.SMActive {
				return
			}
			if v, ok := d.Get(live.NVLinkTx); !ok || v <= 0 { // by the counters instead
				t.Errorf("%s: got %v, %v", live.NVLinkTx, v, ok)
			}
		})
	}
	library := without(t, "nvmlDeviceGetMigDeviceHandleByIndex")
	d := last(read(t, library, 2, "STUB_MIG=1", "STUB_CARDS=1")).Hosts[0].Devices
	if len(d) != 1 || d[0].MIG || len(d[0].Processes) != 3 {
		t.Errorf("divided card whose slices cannot be had: got %+v", d)
	}
}

func TestTemperatureOfALaterLibraryIsRead(t *testing.T) {
	d := last(read(t, without(t, "nvmlDeviceGetTemperature"), 1)).Hosts[0].Devices[0]
	if v, ok := d.Get(live.Temperature); !ok || v != 41 {
		t.Errorf("got %v, %v", v, ok)
	}
}
