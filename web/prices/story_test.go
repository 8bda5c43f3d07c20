package prices

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
		"prices":           samplePrices(l).Page(),
		"prices-empty":     samplePricesEmpty(l).Page(),
		"prices-card":      sampleCardPrices(l).Page(),
		"prices-card-none": sampleCardPricesNone(l).Page(),
	}
}
