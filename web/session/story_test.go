package session

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
		"sign-in":        sampleSignIn(l).Page(),
		"sign-in-nobody": sampleNobody(l).Page(),
		"sign-in-code":   sampleCode(l).Page(),
		"setup":          sampleSetup(l).Page(),
		"setup-gone":     sampleSetupGone(l).Page(),
	}
}
