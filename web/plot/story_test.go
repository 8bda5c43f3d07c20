package plot

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
	return map[string]templ.Component{
		"plot":       samplePlot(l).Page(),
		"plot-empty": samplePlotEmpty(l).Page(),
		"better":     uitest.Section(frame, BetterSection(frame, sampleBetter(l))),
		"roofline":   uitest.Section(frame, RooflineSection(frame, sampleRoofline(l))),
	}
}
