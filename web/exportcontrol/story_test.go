package exportcontrol

import (
	"testing"

	"github.com/a-h/templ"

	"tianti/locale"
	"tianti/web/ui"
	"tianti/web/ui/uitest"
)

func TestPagesAreSoundAndLookAsKept(t *testing.T) { uitest.Pages(t, stories) }

// stories are the pages as they look with realistic content, by name.
func stories(l *locale.Locale) map[string]templ.Component {
	frame := uitest.Layout(l, ui.NavCards, "NVIDIA H100 SXM5 80GB", "/cards/nvidia-h100-sxm5-80gb")
	sheet := sampleWorksheet(l, "/cards/nvidia-h100-sxm5-80gb")
	return map[string]templ.Component{
		"export":            sampleExportControl(l).Page(),
		"export-none":       sampleExportNone(l).Page(),
		"export-refused":    sampleExportRefused(l).Page(),
		"export-rule":       sampleRulePage(l).Page(),
		"export-rule-none":  sampleRuleWithoutConditions(l).Page(),
		"export-whatif":     sampleWhatIf(l).Page(),
		"export-whatif-bad": sampleWhatIfBad(l).Page(),
		"worksheet":         uitest.Section(frame, ExportSection(frame, &sheet)),
	}
}
