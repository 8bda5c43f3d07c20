package store

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"

	"tianti/test/postgres"
	"tianti/test/slow"
)

// onPostgres has newStore make databases of PostgreSQL.
var onPostgres bool

// free are databases of the current schema without content, for tests to use again: to make one takes longer than most
// tests do.
var free []string

// emptyAll deletes all rows and lets keys begin anew. (To truncate makes two files for each table.)
const emptyAll = `SET session_replication_role = replica;
	DELETE FROM datasets; DELETE FROM revisions; DELETE FROM quantities; DELETE FROM sources; DELETE FROM cards;
	DELETE FROM aliases; DELETE FROM pci_ids; DELETE FROM facts; DELETE FROM fact_notes; DELETE FROM annotations;
	DELETE FROM rates; DELETE FROM price_parts; DELETE FROM drafts; DELETE FROM left_out; DELETE FROM uploads;
	DELETE FROM file_parts; DELETE FROM files; DELETE FROM choices; DELETE FROM accounts; DELETE FROM sessions;
	DELETE FROM tokens; DELETE FROM second_factors; DELETE FROM recovery_codes; DELETE FROM devices; DELETE FROM audit; DELETE FROM feeds; DELETE FROM runs;
	DELETE FROM webhook_messages; DELETE FROM webhooks; DELETE FROM price_sums; UPDATE catalogue SET revision = 0;
	SELECT setval(pg_get_serial_sequence(table_name, column_name), 1, false) FROM information_schema.columns
		WHERE table_schema = current_schema() AND is_identity = 'YES'`

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
			postgres.Run(t, address, emptyAll)
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

// TestFullPostgreSQL runs those of full size.
func TestFullPostgreSQL(t *testing.T) {
	slow.Only(t)
	onPostgres = true
	defer func() { onPostgres = false }()
	postgres.New(t)
	for name, test := range onBoth {
		if strings.HasPrefix(name, "Full") {
			t.Run(name, test)
		}
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
	"WebhooksAreKeptAndChanged":                           TestWebhooksAreKeptAndChanged,
	"TheCatalogueOfAnEarlierTime":                         TestTheCatalogueOfAnEarlierTime,
	"ThereAreOnlySoManyWebhooks":                          TestThereAreOnlySoManyWebhooks,
	"StepsSayWhatTheyChange":                              TestStepsSayWhatTheyChange,
	"AMessageIsOneServersAtATime":                         TestAMessageIsOneServersAtATime,
	"MessagesAreBounded":                                  TestMessagesAreBounded,
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
	"ReadersDuringALargeDraft":                            TestReadersDuringALargeDraft,
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
	"DatasetsOfPricesComeAndGoBesideTheSameCards":         TestDatasetsOfPricesComeAndGoBesideTheSameCards,
	"SnapshotsThatGoOnFromOthersAreThoseReadAfresh":       TestSnapshotsThatGoOnFromOthersAreThoseReadAfresh,
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
	"SnapshotIsTheCatalogue":                              TestSnapshotIsTheCatalogue,
	"SnapshotsOfEqualContentAreEqual":                     TestSnapshotsOfEqualContentAreEqual,
	"SnapshotHasWhatRevisionsShare":                       TestSnapshotHasWhatRevisionsShare,
	"ReadOnlyDatabaseIsPublishedWhileAnotherWrites":       TestReadOnlyDatabaseIsPublishedWhileAnotherWrites,
	"PublishOverwritesNothingAndLeavesNothing":            TestPublishOverwritesNothingAndLeavesNothing,
	"BackupIsACompleteDatabase":                           TestBackupIsACompleteDatabase,
	"BackupDoesNotOverwrite":                              TestBackupDoesNotOverwrite,
	"ASecondFactorIsKeptAndTakenAway":                     TestASecondFactorIsKeptAndTakenAway,
	"TheNewestDevicesOfAnAccountAreKnown":                 TestTheNewestDevicesOfAnAccountAreKnown,
	"ProcessKilledBetweenChangesLeavesEachWhole":          TestProcessKilledBetweenChangesLeavesEachWhole,
	"FullProcessKilledBetweenChangesLeavesEachWhole":      TestFullProcessKilledBetweenChangesLeavesEachWhole,
	"TextsThatAreNoneAreNoFaultOfTheDatabase":             TestTextsThatAreNoneAreNoFaultOfTheDatabase,
	"SessionsAreListedByAccount":                          TestSessionsAreListedByAccount,
	"HistoriesAreReadBetweenDays":                         TestHistoriesAreReadBetweenDays,
	"StartsFromKeptSumsReadTheSame":                       TestStartsFromKeptSumsReadTheSame,
	"UploadThatBecameAFileIsNotTakenAway":                 TestUploadThatBecameAFileIsNotTakenAway,
	"ProcessKilledOnAWayLeavesEachChangeWhole":            TestProcessKilledOnAWayLeavesEachChangeWhole,
	"FullProcessKilledOnAWayLeavesEachChangeWhole":        TestFullProcessKilledOnAWayLeavesEachChangeWhole,
	"SumsOfAnOlderFormatAreKeptAnew":                      TestSumsOfAnOlderFormatAreKeptAnew,
	"SumsAreEqualWhoeverSummedThemUp":                     TestSumsAreEqualWhoeverSummedThemUp,
	"SumsThatAreNotWorthItAreSummedUpOnce":                TestSumsThatAreNotWorthItAreSummedUpOnce,
	"CopyThatIsKilledLeavesNothing":                       TestCopyThatIsKilledLeavesNothing,
	"FilesOfPricesHoldAllOfThem":                          TestFilesOfPricesHoldAllOfThem,
	"MigrationThatIsKilledLosesNothing":                   TestMigrationThatIsKilledLosesNothing,
	"FullCopyThatIsKilledLeavesNothing":                   TestFullCopyThatIsKilledLeavesNothing,
	"FullMigrationThatIsKilledLosesNothing":               TestFullMigrationThatIsKilledLosesNothing,
	"PricesApartReadAsThoseOfTheDatabase":                 TestPricesApartReadAsThoseOfTheDatabase,
	"PricesApartHaveToBeAllOfThem":                        TestPricesApartHaveToBeAllOfThem,
}

// onOne are the tests that are of one kind of database, or use both.
var onOne = map[string]string{
	"a file, its folder and its disk": "ANewDatabaseIsForItsOwnerAlone FailedBackupLeavesNoFile CloseEmptiesTheLog " +
		"DatabaseHeldExclusivelyIsReportedAsLocked NewDatabaseHeldByAnotherIsReportedAsLocked " +
		"DraftOnAFullDiskIsTakenAway DraftWithoutRoomIsTakenAway DiskFullWhileImportingKeepsThePreviousRevision " +
		"OpenRefusesWhatIsNoUsableDatabaseAndLeavesItAlone RefusedDatabaseGetsNoFilesBesideIt " +
		"DamagedPageIsReportedByLoad OpenCreatesMissingAndEmptyFiles SeveralMayCreateADatabaseAtOnce OpenReadOnly " +
		"ForeignKeysHoldOnEveryConnection OpenReportsWhatCannotBeWritten MessagesNameTheCause " +
		"ADiscardedDraftGivesItsRoomBack",
	"migrations of SQLite": "FullMigrationThatIsKilledInAStatementLosesNothing MigrationKeepsLinesOfPrices " +
		"MigrationsGoUpDownAndUp EveryTableIsStrict " +
		"MigrateSaysFromWhereToWhere ReasonsOfBeforeServeBothLanguages UpgradeKeepsEveryFigureAndPrice " +
		"AnOlderDatabaseShowsTheSame FullAnOlderDatabaseShowsTheSame",
	"snapshots and their schema": "OfEveryTableAndColumnIsKnownWhetherItIsPublished NothingPrivateIsPublished " +
		"NothingPrivateIsPublishedApart " +
		"SnapshotOfAnOlderSchemaIsMigrated OtherFilesAreNoSnapshots",
	"no database": "HouseEveryWayToWriteIsKilled PartsReadBackAsTheyWere ADamagedPartTakesLittleMemory " +
		"SumsReadBackAreTheSame",
	"PostgreSQL alone": "ConnectionsThatRunOutLoseNothing AStartWaitsForTheServerSeldom",
}

func TestHouseEveryTestSaysForWhichDatabaseItIs(t *testing.T) {
	said := map[string]bool{"Main": true}
	for name := range onBoth {
		said[name] = true
	}
	for _, names := range onOne {
		for name := range strings.FieldsSeq(names) {
			said[name] = true
		}
	}
	files, err := filepath.Glob("*_test.go")
	if err != nil || len(files) < 20 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		if name := filepath.Base(file); name == "postgres_test.go" || name == "copy_test.go" || name == "away_test.go" {
			continue // of PostgreSQL
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range parsed.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Recv != nil {
				continue
			}
			if name, is := strings.CutPrefix(f.Name.Name, "Test"); is && !said[name] {
				t.Errorf("%s: add Test%s to onBoth, or say in onOne why it is not for PostgreSQL", file, name)
			}
		}
	}
}
