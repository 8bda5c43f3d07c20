package importer_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"tianti/audit"
	"tianti/catalog"
	"tianti/importer"
	"tianti/store"
)

var admin = audit.Actor{Name: "ada", Channel: audit.ByCommand}

// bench is an intake with a database of a few cards.
type bench struct {
	*importer.Importer
	t  *testing.T
	db *store.Store
}

func newBench(t *testing.T) *bench {
	t.Helper()
	db, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "tianti.db"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	builtin := catalog.Dataset{ID: "builtin", Title: catalog.Text{En: "Built-in", Zh: "内置"}, Rank: importer.BuiltinRank,
		Sources: []catalog.Source{{ID: "sheet", Publisher: "Acme", Title: "Datasheet", URL: "https://example.com/sheet",
			Kind: "datasheet"}},
		Cards: []catalog.Card{
			acme("acme-one", "One", number("memory_gb", 80, "sheet"), number("tdp_w", 300, "sheet")),
			acme("acme-two-16", "Two", number("memory_gb", 16, "sheet")),
			acme("acme-two-32", "Two", number("memory_gb", 32, "sheet")),
		}}
	builtin.Cards[0].Aliases = []string{"A1"}
	if _, err := db.Import(t.Context(), builtin, importer.FileInfo{SHA256: strings.Repeat("a", 64)}, ""); err != nil {
		t.Fatal(err)
	}
	b := &bench{t: t, db: db}
	b.Importer = b.with(importer.Config{})
	return b
}

func (b *bench) with(cfg importer.Config) *importer.Importer {
	cfg.Store, cfg.Snapshot = b.db, b.snapshot
	cfg.Today = func() catalog.Date { return "2026-11-21" }
	return importer.New(cfg)
}

func (b *bench) snapshot() *catalog.Snapshot {
	snap, err := b.db.Load(context.Background(), nil)
	if err != nil {
		b.t.Error(err)
	}
	return snap
}

func acme(id, name string, facts ...catalog.Fact) catalog.Card {
	return catalog.Card{ID: id, Name: name, Vendor: "Acme", Kind: "gpu", Segment: "research", Facts: facts}
}

func number(quantity string, v float64, source string) catalog.Fact {
	return catalog.Fact{Quantity: quantity, Number: v, Source: source}
}

func (b *bench) draft(name, text string, opt importer.Options) importer.Draft {
	b.t.Helper()
	d, err := b.Draft(b.t.Context(), importer.Upload{Name: name, Size: int64(len(text)), Data: strings.NewReader(text)},
		opt, admin, nil)
	if err != nil {
		b.t.Fatal(err)
	}
	return d
}

func (b *bench) apply(d importer.Draft) importer.Revision {
	b.t.Helper()
	rev, err := b.Apply(b.t.Context(), d.ID, "", admin)
	if err != nil {
		b.t.Fatal(err)
	}
	return rev
}

func (b *bench) left(d importer.Draft) []string {
	b.t.Helper()
	list, _, err := b.db.Skipped(b.t.Context(), d.ID, "", 0, 100)
	if err != nil {
		b.t.Fatal(err)
	}
	var out []string
	for _, l := range list {
		out = append(out, fmt.Sprintf("%d %s %s: %s", l.Line, l.Name, l.Reason, l.Message))
	}
	return out
}

// table is a table of any kind with prices.
const table = `card,price,currency,kind,date,seller
One,1000,USD,street,2026-11-01,Shop
A1,1000,USD,street,2026-11-01,Shop
one,900,USD,used,2026-11-01,Shop
Two,500,USD,street,2026-11-01,Shop
Three,700,USD,street,2026-11-01,Shop
One,0.01,USD,street,2026-11-02,Shop
`
