package pricefile

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"

	"tianti/catalog"
)

// An olderRow is a price as files of earlier releases have it, which parquet-go wrote.
type olderRow struct {
	Card       string `parquet:"card,dict"`
	Kind       string `parquet:"kind,dict"`
	Date       string `parquet:"date,dict"`
	Amount     int64  `parquet:"amount,decimal(6:18)"`
	Currency   string `parquet:"currency,dict"`
	Unit       string `parquet:"unit,dict"`
	Cards      int32  `parquet:"cards"`
	TermMonths int32  `parquet:"term_months"`
	Seller     string `parquet:"seller,dict"`
	Instance   string `parquet:"instance,dict"`
	Region     string `parquet:"region,dict"`
	Tax        string `parquet:"tax,dict"`
	Source     string `parquet:"source,dict"`
	NoteEn     string `parquet:"note_en,dict"`
	NoteZh     string `parquet:"note_zh,dict"`
	Place      int64  `parquet:"place,delta"`
}

func rowOf(p *catalog.PlacedPrice) olderRow {
	return olderRow{Card: p.Card, Kind: string(p.Kind), Date: string(p.Date), Amount: p.Amount.Micros,
		Currency: p.Amount.Currency, Unit: string(p.Unit), Cards: int32(p.Cards), TermMonths: int32(p.Term),
		Seller: p.Seller, Instance: p.Instance, Region: p.Region, Tax: string(p.Tax), Source: p.Source,
		NoteEn: p.Note.En, NoteZh: p.Note.Zh, Place: int64(p.Place)}
}

// TestFilesOfEarlierReleasesAreRead: their pages are larger, of version 2 and of other encodings.
func TestFilesOfEarlierReleasesAreRead(t *testing.T) {
	for _, size := range []struct{ cards, prices, page int }{{1, 1, 0}, {40, 700, 0}, {2, 9000, 4 << 10}} {
		_, all := sample(t, size.cards, size.prices)
		var out bytes.Buffer
		options := []parquet.WriterOption{parquet.Compression(&zstd.Codec{Level: zstd.DefaultLevel, Concurrency: 1})}
		if size.page > 0 {
			options = append(options, parquet.PageBufferSize(size.page), parquet.DataPageVersion(1))
		}
		w := parquet.NewGenericWriter[olderRow](&out, options...)
		for c := range size.cards {
			list := all[cardOf(c)]
			for i := range list {
				if _, err := w.Write([]olderRow{rowOf(&list[i])}); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		p := of(out.Bytes(), size.cards*size.prices)
		for c := range size.cards {
			got, err := p.PricesOf(cardOf(c))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(all[cardOf(c)], got); diff != "" {
				t.Fatalf("%v (-written +read):\n%.2000s", size, diff)
			}
		}
	}
}
