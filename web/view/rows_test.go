package view

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"tianti/locale"
)

func TestAppendRowEscapesWhatItIsGiven(t *testing.T) {
	evil := `<b onclick="x">&'`
	row := AppendRow(nil, Row{ID: evil, Name: evil, Sub: evil, Cells: []Cell{{Text: evil}, {Missing: evil}, {Text: evil, Note: evil}}})
	doc, err := html.Parse(strings.NewReader("<table>" + string(row) + "</table>"))
	if err != nil {
		t.Fatal(err)
	}
	var attributes, texts []string
	for _, n := range elements(doc) {
		if n.Data == "b" {
			t.Errorf("the name became an element: %s", row)
		}
		for _, key := range []string{"value", "aria-label", "title"} {
			if v, ok := attr(n, key); ok {
				attributes = append(attributes, v)
			}
		}
		if n.Data == "a" || n.Data == "small" || n.Data == "td" && n.FirstChild != nil && n.FirstChild.Type == html.TextNode {
			texts = append(texts, text(n))
		}
	}
	if diff := cmp.Diff([]string{evil, evil, evil}, attributes); diff != "" {
		t.Errorf("attributes -want +got:\n%s", diff)
	}
	if diff := cmp.Diff([]string{evil, evil, evil, "—", evil + " " + evil, evil}, texts); diff != "" {
		t.Errorf("texts -want +got:\n%s", diff)
	}
}

func TestAppendRowHoldsEverythingOfTheRow(t *testing.T) {
	got := string(AppendRow(nil, Row{ID: "nvidia-t4", Name: "T4", Sub: "NVIDIA · PCIe", Selected: true, Cells: []Cell{{Text: "16"}, {Missing: "No source states it."}, {}}}))
	want := `<tr><td><input type="checkbox" name="card" value="nvidia-t4" aria-label="T4" checked><th scope="row"><a href="cards/nvidia-t4">T4</a>` +
		`<small>NVIDIA · PCIe</small><td>16<td title="No source states it.">—<td>—` + "\n"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// manyRows are rows as different from each other as those of a real catalogue.
func manyRows(n, columns int) []Row {
	l := locale.Of("en")
	rows := make([]Row, n)
	seed := uint64(1)
	next := func(below uint64) uint64 {
		seed = seed*6364136223846793005 + 1442695040888963407
		return seed >> 33 % below
	}
	for i := range rows {
		base := sampleRows[i%len(sampleRows)]
		tail := string(rune('a'+next(26))) + string(rune('a'+next(26))) + l.Number(float64(next(90)+10))
		rows[i] = Row{ID: base.id + "-" + tail, Name: base.name + " " + tail, Sub: base.sub}
		for range columns {
			cell := Cell{Text: l.Number(float64(next(99999)) / 10)}
			if next(5) == 0 {
				cell = Cell{Missing: "No source states it."}
			}
			rows[i].Cells = append(rows[i].Cells, cell)
		}
	}
	return rows
}

func TestCatalogueOf330CardsIsSmall(t *testing.T) {
	p := sampleCards(locale.Of("en"))
	p.Rows = manyRows(330, len(p.Columns))
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

func BenchmarkTableRows500x10(b *testing.B) {
	rows := tableRows(manyRows(500, 10))
	b.ReportAllocs()
	for b.Loop() {
		if err := rows.Render(context.Background(), io.Discard); err != nil {
			b.Fatal(err)
		}
	}
}
