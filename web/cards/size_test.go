package cards

import (
	"bytes"
	"compress/gzip"
	"context"
	"testing"

	"tianti/locale"
	"tianti/web/ui/uitest"
)

func TestCatalogueOf330CardsIsSmall(t *testing.T) {
	p := sampleCards(locale.Of("en"))
	p.Rows = uitest.ManyRows(330, len(p.Columns))
	var compressed bytes.Buffer
	w, err := gzip.NewWriterLevel(&compressed, 6)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Page().Render(context.Background(), w); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if got := compressed.Len(); got > 45_000 {
		t.Errorf("the page has %d compressed bytes, want at most 45000", got)
	}
	t.Logf("330 cards × %d columns: %d bytes compressed", len(p.Columns), compressed.Len())
}
