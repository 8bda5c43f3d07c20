package store

import (
	"testing"

	"tianti/test/postgres"
)

// onPostgres has newStore make databases of PostgreSQL.
var onPostgres bool

// free are databases of the current schema without content, for tests to use again: to make one takes longer than most
// tests do.
var free []string

// emptyPostgres is an empty database of PostgreSQL.
func emptyPostgres(t testing.TB) string {
	t.Helper()
	if len(free) == 0 {
		address := postgres.New(t)
		if _, _, err := Migrate(t.Context(), address, nil); err != nil {
			t.Fatal(err)
		}
		free = append(free, address)
	}
	address := free[len(free)-1]
	free = free[:len(free)-1]
	t.Cleanup(func() {
		if !t.Failed() {
			postgres.Run(t, address, "TRUNCATE catalogue, datasets, revisions, quantities, sources, cards, aliases, pci_ids, "+
				"facts, fact_notes, annotations, rates, price_parts, drafts, left_out, uploads, file_parts, files, choices, "+
				"accounts, sessions, tokens, audit, feeds, runs RESTART IDENTITY", "INSERT INTO catalogue VALUES (1, 0)")
			free = append(free, address)
		}
	})
	return address
}

// TestPostgreSQL runs tests of SQLite with databases of PostgreSQL.
func TestPostgreSQL(t *testing.T) {
	onPostgres = true
	defer func() { onPostgres = false }()
	postgres.New(t) // skips where there is none
	for name, test := range onBoth {
		t.Run(name, test)
	}
}

// onBoth are the tests that hold for both databases.
var onBoth = map[string]func(*testing.T){
	"AccountsAreFoundByNameAndKey":                        TestAccountsAreFoundByNameAndKey,
	"LastAdministratorStays":                              TestLastAdministratorStays,
	"EachChangeOfAPasswordIsLater":                        TestEachChangeOfAPasswordIsLater,
	"Tokens":                                              TestTokens,
	"Sessions":                                            TestSessions,
	"TokensEndWithThePasswordAndNotWithItsHash":           TestTokensEndWithThePasswordAndNotWithItsHash,
	"EveryChangeIsRecorded":                               TestEveryChangeIsRecorded,
	"ReadOnlyDatabaseRefusesEveryChange":                  TestReadOnlyDatabaseRefusesEveryChange,
	"TheRecordSaysWhatWasActiveBefore":                    TestTheRecordSaysWhatWasActiveBefore,
	"EntriesBeforeOneAreNotMovedByNewOnes":                TestEntriesBeforeOneAreNotMovedByNewOnes,
	"ForgottenDraftsAreTakenAway":                         TestForgottenDraftsAreTakenAway,
	"DraftOfAProcessThatCannotBeSeenIsLeftAloneForAWhile": TestDraftOfAProcessThatCannotBeSeenIsLeftAloneForAWhile,
	"WhatCouldNotBeTakenAwayIsLater":                      TestWhatCouldNotBeTakenAwayIsLater,
	"ProcessKilledInAnImportChangesNothing":               TestProcessKilledInAnImportChangesNothing,
	"DraftIsSeenByNobodyUntilItIsApplied":                 TestDraftIsSeenByNobodyUntilItIsApplied,
	"AddGoesOnBehindWhatTheBaseHolds":                     TestAddGoesOnBehindWhatTheBaseHolds,
	"DiscardedDraftLeavesNothing":                         TestDiscardedDraftLeavesNothing,
	"AppliedRevisionCannotBeDiscarded":                    TestAppliedRevisionCannotBeDiscarded,
	"SecondDraftOnTheSameBaseIsRefused":                   TestSecondDraftOnTheSameBaseIsRefused,
	"TwoDraftsAtOnce":                                     TestTwoDraftsAtOnce,
	"BrokenDraftLeavesNothing":                            TestBrokenDraftLeavesNothing,
	"PricesByKindAndInParts":                              TestPricesByKindAndInParts,
	"UnknownDraftsAndFilesDoNotExist":                     TestUnknownDraftsAndFilesDoNotExist,
	"DraftOfWhatWasImportedWithoutOne":                    TestDraftOfWhatWasImportedWithoutOne,
	"ProcessKilledAtAnyMomentLeavesAWholeRevision":        TestProcessKilledAtAnyMomentLeavesAWholeRevision,
	"FullProcessKilledAtAnyMomentLeavesAWholeRevision":    TestFullProcessKilledAtAnyMomentLeavesAWholeRevision,
	"HundredReadersDuringALargeDraft":                     TestHundredReadersDuringALargeDraft,
	"FullHundredReadersDuringALargeDraft":                 TestFullHundredReadersDuringALargeDraft,
	"RevertWhileReading":                                  TestRevertWhileReading,
	"KeptFileReadsBackAsItWas":                            TestKeptFileReadsBackAsItWas,
	"SameContentIsKeptOnce":                               TestSameContentIsKeptOnce,
	"FileThatDoesNotEndIsNotKept":                         TestFileThatDoesNotEndIsNotKept,
	"FilesThatNothingCameFromGoAfterAWeek":                TestFilesThatNothingCameFromGoAfterAWeek,
	"ImportedDatasetReadsBackUnchanged":                   TestImportedDatasetReadsBackUnchanged,
	"RevisionsAreListedWithTheirOrigin":                   TestRevisionsAreListedWithTheirOrigin,
	"ActiveSHA256":                                        TestActiveSHA256,
	"ImportRefusesWhatDoesNotFitAndChangesNothing":        TestImportRefusesWhatDoesNotFitAndChangesNothing,
	"ImportRejectsBadDatasetIDAndHash":                    TestImportRejectsBadDatasetIDAndHash,
	"CancelledImportChangesNothing":                       TestCancelledImportChangesNothing,
	"UnknownDatasetAndRevision":                           TestUnknownDatasetAndRevision,
	"EachLeftPassesAllRowsInOrder":                        TestEachLeftPassesAllRowsInOrder,
	"PricesThatAreAddedStandBehindThoseBefore":            TestPricesThatAreAddedStandBehindThoseBefore,
	"CardsThatAreAddedGetABodyOfTheirOwn":                 TestCardsThatAreAddedGetABodyOfTheirOwn,
	"SnapshotsThatFollowAreThoseReadAfresh":               TestSnapshotsThatFollowAreThoseReadAfresh,
	"StandingPricesAreReadAsFarBackAsAskedFor":            TestStandingPricesAreReadAsFarBackAsAskedFor,
	"CarriedPricesAreNotCopied":                           TestCarriedPricesAreNotCopied,
	"CardsAreLoadedWithoutPrices":                         TestCardsAreLoadedWithoutPrices,
	"LoadKeepsEveryFigureWithItsSource":                   TestLoadKeepsEveryFigureWithItsSource,
	"HigherRankIsShown":                                   TestHigherRankIsShown,
	"UndoAndRedoByActivating":                             TestUndoAndRedoByActivating,
	"EmptyCatalogueLoads":                                 TestEmptyCatalogueLoads,
	"ProgressShowsTheFirstCardsOfALargeCatalogue":         TestProgressShowsTheFirstCardsOfALargeCatalogue,
	"ConnectionsThatLoadTogetherSeeTheSameRevision":       TestConnectionsThatLoadTogetherSeeTheSameRevision,
	"LoadSeesOneMomentWhileAnotherImports":                TestLoadSeesOneMomentWhileAnotherImports,
	"CancelledLoadSaysSo":                                 TestCancelledLoadSaysSo,
	"AnotherProcessSeesTheRevisionMove":                   TestAnotherProcessSeesTheRevisionMove,
	"RunsAreKeptRecordedAndDeleted":                       TestRunsAreKeptRecordedAndDeleted,
	"RunsAreBounded":                                      TestRunsAreBounded,
}
