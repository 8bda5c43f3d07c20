package bulk

import (
	"bytes"
	"encoding/csv"

	"tianti/catalog"
	"tianti/csvsafe"
	"tianti/tablefile"
	"tianti/web/api"
	"tianti/web/site"
)

// wholeJSON is one object: the revision, the registry of quantities, and every card as the API gives it.
func wholeJSON(s *catalog.Snapshot) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString(`{"snapshot":`)
	b.Write(api.Encode(api.Snapshot(s)))
	b.WriteString(`,"metrics":`)
	b.Write(api.Encode(api.Metrics(s).Items))
	b.WriteString(`,"cards":[`)
	for i := range s.Len() {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteByte('\n')
		card, err := api.Detail(s, i, catalog.Pricing{})
		if err != nil {
			return nil, err
		}
		b.Write(bytes.TrimSpace(api.Encode(card)))
	}
	b.WriteString("\n]}\n")
	return b.Bytes(), nil
}

// lines are the cards as the API gives them, a line each.
func lines(s *catalog.Snapshot) ([]byte, error) {
	var b bytes.Buffer
	for i := range s.Len() {
		card, err := api.Detail(s, i, catalog.Pricing{})
		if err != nil {
			return nil, err
		}
		b.Write(bytes.TrimSpace(api.Encode(card)))
		b.WriteByte('\n')
	}
	return b.Bytes(), nil
}

// table has a row for each card and a column for each quantity: the shown values, exact.
func table(s *catalog.Snapshot) *tablefile.Table {
	t := &tablefile.Table{Columns: []string{"id"}}
	for _, q := range catalog.Quantities() {
		t.Columns = append(t.Columns, q.ID)
	}
	for i := range s.Len() {
		row := []string{s.Card(i).ID}
		for _, q := range catalog.Quantities() {
			row = append(row, site.Raw(s, q, i))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// csvOf is a table without formulas, with a byte-order mark where spreadsheets need one.
func csvOf(t *tablefile.Table, mark bool) []byte {
	var b bytes.Buffer
	if mark {
		b.WriteString("\ufeff")
	}
	w := csv.NewWriter(&b)
	for _, row := range append([][]string{t.Columns}, t.Rows...) {
		cells := make([]string, len(row))
		for i, cell := range row {
			cells[i] = csvsafe.Cell(cell)
		}
		_ = w.Write(cells) // a bytes.Buffer does not fail
	}
	w.Flush()
	return b.Bytes()
}
