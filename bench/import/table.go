package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"

	"tianti/audit"
	"tianti/catalog"
	"tianti/importer"
	"tianti/store"
)

// cardIDs are cards of the built-in data, so that every row finds its card.
var cardIDs = []string{
	"nvidia-h100-sxm5-80gb", "nvidia-a100-sxm4-80gb", "nvidia-h200-sxm5-141gb", "nvidia-l40s", "nvidia-l4", "nvidia-t4",
	"amd-instinct-mi300x", "aws-inferentia",
}

var kinds = []struct {
	kind catalog.PriceKind
	term int
}{{catalog.OnDemand, 0}, {catalog.Spot, 0}, {catalog.Reserved, 12}}

// price is the i-th of the table: an offer of a provider, no two alike.
func price(i int) catalog.Price {
	k := kinds[i%len(kinds)]
	return catalog.Price{
		Card: cardIDs[i/3%len(cardIDs)], Kind: k.kind, Term: k.term,
		Amount: catalog.Money{Micros: int64(1_000_000 + i), Currency: "USD"}, Unit: catalog.PerHour,
		Cards:  1 << (i % 4),
		Seller: []string{"AWS", "Azure", "GCP", "Lambda"}[i%4], Instance: fmt.Sprintf("p%d.%dxlarge", i%97, 1<<(i%6)),
		Region: fmt.Sprintf("region-%d", i%61),
		Tax:    catalog.TaxExcluded, Date: catalog.Date(fmt.Sprintf("%d-%02d-%02d", 2022+i%4, 1+i/7%12, 1+i/5%28)),
		Source: "list",
	}
}

// writeTable writes prices in Tianti's own format.
func writeTable(file string, rows int) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<20)
	fmt.Fprintln(w,
		"card,kind,amount,currency,unit,cards,term_months,seller,instance,region,tax,date,source,note_en,note_zh")
	for i := range rows {
		p := price(i)
		term := ""
		if p.Term > 0 {
			term = fmt.Sprint(p.Term)
		}
		fmt.Fprintf(w, "%s,%s,%s,%s,%s,%d,%s,%s,%s,%s,%s,%s,%s,,\n", p.Card, p.Kind, p.Amount.Decimal(),
			p.Amount.Currency, p.Unit, p.Cards, term,
			p.Seller, p.Instance, p.Region, p.Tax, p.Date, p.Source)
	}
	return errors.Join(w.Flush(), f.Close())
}

// writeDraft writes the same prices into a draft, without a file.
func writeDraft(database string, rows int) error {
	ctx := context.Background()
	db, err := store.Open(ctx, database, store.Options{})
	if err != nil {
		return err
	}
	w, err := db.BeginDraft(ctx, importer.FileInfo{Name: "prices.csv"}, importer.Options{Dataset: "prices"},
		audit.Program)
	if err != nil {
		return errors.Join(err, db.Close())
	}
	err = w.Sources([]catalog.Source{{ID: "list", Kind: "press", Publisher: "Benchmark", Title: "A list"}})
	part := make([]catalog.Price, 0, 1000)
	for i := 0; i < rows && err == nil; i++ {
		if part = append(part, price(i)); len(part) == cap(part) || i == rows-1 {
			err = w.Prices(part)
			part = part[:0]
		}
	}
	if err == nil {
		_, err = w.Finish(ctx, importer.Options{Dataset: "prices"}, importer.Summary{Rows: rows, Taken: rows})
	}
	return errors.Join(err, w.Abort(), db.Close())
}
