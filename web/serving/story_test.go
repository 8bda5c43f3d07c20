package serving

import (
	"testing"

	"github.com/a-h/templ"

	"tianti/locale"
	"tianti/web/ui/uitest"
)

func TestPagesAreSoundAndLookAsKept(t *testing.T) { uitest.Pages(t, stories) }

// stories are the pages as they look with realistic content, by name.
func stories(l *locale.Locale) map[string]templ.Component {
	return map[string]templ.Component{
		"serve":       sampleRanking(l).Page(),
		"serve-empty": sampleEmpty(l).Page(),
		"serve-none":  sampleNone(l).Page(),
		"serve-bad":   sampleBad(l).Page(),
		"plan":        samplePlan(l).Page(),
		"plan-cannot": samplePlanCannot(l).Page(),
		"plan-empty":  samplePlanEmpty(l).Page(),
	}
}
