package admin

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
		"admin":               sampleAdminHome(l).Page(),
		"account":             sampleOwnAccount(l).Page(),
		"accounts":            sampleAccounts(l).Page(),
		"second-factor":       sampleFactor(l).Page(),
		"second-factor-offer": sampleFactorOffer(l).Page(),
		"second-factor-codes": sampleFactorCodes(l).Page(),
		"tokens":              sampleTokens(l).Page(),
		"tokens-none":         sampleNoTokens(l).Page(),
		"import":              sampleImportStart(l).Page(),
		"import-refused":      sampleImportRefused(l).Page(),
		"draft":               sampleDraft(l).Page(),
		"draft-needs":         sampleNeeds(l).Page(),
		"draft-blocked":       sampleBlocked(l).Page(),
		"draft-nothing":       sampleNothing(l).Page(),
		"draft-moved":         sampleMoved(l).Page(),
		"draft-none-found":    sampleNoneFound(l).Page(),
		"revision":            sampleApplied(l).Page(),
		"datasets":            sampleDatasets(l).Page(),
		"dataset":             sampleDataset(l).Page(),
		"dataset-off":         sampleDatasetOff(l).Page(),
		"corrections":         sampleCorrections(l).Page(),
		"correction":          sampleCorrection(l).Page(),
		"log":                 sampleLog(l).Page(),
	}
}
