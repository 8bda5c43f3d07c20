package exportcontrol

import (
	"testing"

	"tianti/exportcontrol"
	"tianti/locale"
	"tianti/web/chart"
)

// Names of rules end before their bars, within the chart, and bars of rules that are older than it begin together.
func TestNamesOfRulesStandBeforeTheirBars(t *testing.T) {
	for _, l := range locale.All() {
		older := 0
		for _, bar := range (ExportBuilder{L: l, Q: exportcontrol.Question{AsOf: "2026-01-15"}}).timeline().Bars {
			if room := float64(bar.X - 6); chart.TextWidth(bar.Label, 12) > room {
				t.Errorf("%s: %q is wider than %v", l.Code(), bar.Label, room)
			}
			if bar.X == ruleTimeLeft {
				older++
			}
			if bar.X < ruleTimeLeft || bar.X+bar.Width > ruleTimeWidth {
				t.Errorf("%s: %q from %d by %d", l.Code(), bar.Label, bar.X, bar.Width)
			}
		}
		if older < 5 {
			t.Errorf("%s: %d rules are older than the chart", l.Code(), older)
		}
	}
}
