package importer_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"tianti/audit"
	"tianti/catalog"
	"tianti/format"
	"tianti/importer"
	"tianti/store"
)

// exampleStore is a database with one card in it, in a folder that remove deletes.
func exampleStore(ctx context.Context) (db *store.Store, remove func(), err error) {
	folder, err := os.MkdirTemp("", "example")
	if err != nil {
		return nil, nil, err
	}
	if db, err = store.Open(ctx, filepath.Join(folder, "tianti.db"), store.Options{}); err != nil {
		return nil, nil, err
	}
	remove = func() { db.Close(); os.RemoveAll(folder) }
	card := catalog.Card{ID: "acme-one", Name: "One", Vendor: "Acme", Kind: "gpu", Segment: "datacenter"}
	_, err = db.Import(
		ctx,
		catalog.Dataset{ID: "cards", Cards: []catalog.Card{card}},
		importer.FileInfo{SHA256: strings.Repeat("0", 64)},
		"",
	)
	return db, remove, err
}

// A file is kept as it is and read into a draft, which nobody sees. A preview says what it
// would change; to apply it is one transaction.
func Example() {
	ctx := context.Background()
	db, remove, err := exampleStore(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer remove()
	snapshot := func() *catalog.Snapshot {
		s, _ := db.Load(ctx, nil)
		return s
	}
	in := importer.New(importer.Config{Store: db, Snapshot: snapshot, Today: func() catalog.Date {
		return "2026-11-21"
	}})
	ada := audit.Actor{Name: "ada", Channel: audit.ByCommand}

	const file = "card,price,currency,kind,date\nOne,1000,USD,street,2026-11-01\nTwo,700,USD,street,2026-11-01\n"
	draft, err := in.Draft(
		ctx,
		importer.Upload{Name: "prices.csv", Size: int64(len(file)), Data: strings.NewReader(file)},
		importer.Options{},
		ada,
		nil,
	)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf(
		"%s read as %s: %d of %d rows taken\n",
		draft.File.Name,
		draft.Options.Format,
		draft.Summary.Taken,
		draft.Summary.Rows,
	)
	db.EachSkipped(ctx, draft.ID, "", func(l *format.Skipped) error {
		fmt.Printf("line %d is left out: %s\n", l.Line, l.Message)
		return nil
	})

	preview, err := in.Preview(ctx, draft.ID)
	fmt.Println("preview:", preview.Draft.Summary.Prices[catalog.StreetPrice].Added, "price would be new", err)
	fmt.Println("shown before:", snapshot().PriceCountOf(0))

	revision, err := in.Apply(ctx, draft.ID, "prices of November", ada)
	fmt.Println("applied:", revision.Dataset, revision.Prices, err)
	fmt.Println("shown after:", snapshot().PriceCountOf(0))
	// Output:
	// prices.csv read as table: 1 of 2 rows taken
	// line 3 is left out: no card is called "Two"; say which is meant, or create it
	// preview: 1 price would be new <nil>
	// shown before: 0
	// applied: prices 1 <nil>
	// shown after: 1
}
