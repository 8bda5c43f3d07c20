package recommend

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
		"recommend":       sampleRecommend(l).Page(),
		"recommend-none":  sampleRecommendNone(l).Page(),
		"recommend-empty": sampleRecommendEmpty(l).Page(),
		"recommend-bad":   sampleRecommendBad(l).Page(),
	}
}
