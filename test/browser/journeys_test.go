package browser

import (
	"testing"

	"tianti/test/slow"
)

// otherLanguage has journeys run in the language that they do not run in each day.
var otherLanguage bool

// journeys are the tests that run in one language each day.
var journeys map[string]func(*testing.T)

func init() { // not where it is declared: the tests look into it themselves
	journeys = map[string]func(*testing.T){
		"TestADestinationAndADayAreChosenByKeyboardWithoutJavaScript": TestADestinationAndADayAreChosenByKeyboardWithoutJavaScript,
		"TestAFileThatCannotBeReadIsRefusedInPlace":                   TestAFileThatCannotBeReadIsRefusedInPlace,
		"TestAJobIsAskedForInASentenceByKeyboard":                     TestAJobIsAskedForInASentenceByKeyboard,
		"TestALadderIsClimbedByKeyboard":                              TestALadderIsClimbedByKeyboard,
		"TestAPageSaysThatTheServerIsGoneAndRecovers":                 TestAPageSaysThatTheServerIsGoneAndRecovers,
		"TestAPlotIsDrawnOfWhatIsChosen":                              TestAPlotIsDrawnOfWhatIsChosen,
		"TestAPriceIsImportedSeenAndTakenBack":                        TestAPriceIsImportedSeenAndTakenBack,
		"TestARangeThatCannotBeReadKeepsWhatWasTyped":                 TestARangeThatCannotBeReadKeepsWhatWasTyped,
		"TestASearchLeadsToACardAndToTheSourceOfAFigure":              TestASearchLeadsToACardAndToTheSourceOfAFigure,
		"TestAQuestionInTheHeaderLeadsToItsAnswer":                    TestAQuestionInTheHeaderLeadsToItsAnswer,
		"TestASearchWithoutResultSaysWhatToDo":                        TestASearchWithoutResultSaysWhatToDo,
		"TestAWebhookIsAdministeredByKeyboard":                        TestAWebhookIsAdministeredByKeyboard,
		"TestAWrongFieldIsCorrectedWhereItStands":                     TestAWrongFieldIsCorrectedWhereItStands,
		"TestColumnsAreChosenRememberedAndReset":                      TestColumnsAreChosenRememberedAndReset,
		"TestFiltersAreSetByKeyboardAlone":                            TestFiltersAreSetByKeyboardAlone,
		"TestFiltersWorkWithoutJavaScript":                            TestFiltersWorkWithoutJavaScript,
		"TestFromTheSetupLinkToAToken":                                TestFromTheSetupLinkToAToken,
		"TestFullEveryTaskNeedsTheKeyboardAlone":                      TestFullEveryTaskNeedsTheKeyboardAlone,
		"TestLiveWithoutScriptsIsASnapshot":                           TestLiveWithoutScriptsIsASnapshot,
		"TestOpenMenusFitIntoANarrowWindow":                           TestOpenMenusFitIntoANarrowWindow,
		"TestOtherValuesOfAFigureOpenBesideIt":                        TestOtherValuesOfAFigureOpenBesideIt,
		"TestOwnedCardsGetARowMore":                                   TestOwnedCardsGetARowMore,
		"TestPagesPrintWithoutNavigation":                             TestPagesPrintWithoutNavigation,
		"TestQuestionMarkShowsTheShortcutsAndTheirSwitch":             TestQuestionMarkShowsTheShortcutsAndTheirSwitch,
		"TestReadingsChangeInPlaceUntilPaused":                        TestReadingsChangeInPlaceUntilPaused,
		"TestRentIsWeighedAgainstBuying":                              TestRentIsWeighedAgainstBuying,
		"TestShortcutsMoveSelectAndCompare":                           TestShortcutsMoveSelectAndCompare,
		"TestSlashGoesToTheSearchAndTypingIsNoShortcut":               TestSlashGoesToTheSearchAndTypingIsNoShortcut,
		"TestSortingTwiceReversesTheFiguresAndKeepsMissingOnesLast":   TestSortingTwiceReversesTheFiguresAndKeepsMissingOnesLast,
		"TestTheListBelowTheSearchIsUsedByKeyboard":                   TestTheListBelowTheSearchIsUsedByKeyboard,
		"TestThePointsOfAPlotSayWhatTheyAre":                          TestThePointsOfAPlotSayWhatTheyAre,
		"TestTheThemeIsToggledAndRemembered":                          TestTheThemeIsToggledAndRemembered,
		"TestTheTrayKeepsCardsFromPageToPage":                         TestTheTrayKeepsCardsFromPageToPage,
		"TestThreeCardsAreComparedWithoutJavaScript":                  TestThreeCardsAreComparedWithoutJavaScript,
		"TestThreeCardsAreSelectedAndCompared":                        TestThreeCardsAreSelectedAndCompared,
	}
}

func TestFullJourneysInTheOtherLanguage(t *testing.T) {
	slow.Only(t)
	otherLanguage = true
	t.Cleanup(func() { otherLanguage = false })
	for name, journey := range journeys {
		t.Run(name, journey)
	}
}
