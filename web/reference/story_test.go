package reference

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
		"architectures":     sampleArchitectures(l).Page(),
		"architectures-two": sampleSideBySide(l).Page(),
		"ecosystem":         sampleEcosystem(l).Page(),
		"glossary":          sampleGlossary(l).Page(),
		"sources":           sampleSources(l).Page(),
		"source":            sampleSource(l).Page(),
		"health":            sampleHealth(l).Page(),
		"health-sound":      sampleHealthy(l).Page(),
		"health-snapshot":   sampleFollowing(l).Page(),
		"methodology":       sampleMethodology(l).Page(),
	}
}
