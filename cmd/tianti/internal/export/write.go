package export

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"

	"tianti/catalog"
	"tianti/csvsafe"
	"tianti/seed"
	"tianti/tablefile"
	"tianti/web/api"
)

// JSON writes one object: the dataset as in data files, and, for other programs, snapshot, metrics, and all cards as in
// the API.
func JSON(w io.Writer, s *catalog.Snapshot, d catalog.Dataset) error {
	b := bufio.NewWriter(w)
	metrics, err := json.Marshal(api.Metrics(s).Items)
	if err != nil {
		return err
	}
	var dataset bytes.Buffer
	if err := seed.EncodeJSON(&dataset, d); err != nil {
		return err
	}
	// What is the same has the same name, whichever database it is from.
	digest := sha256.Sum256(dataset.Bytes())
	fmt.Fprintf(b, "{\n\"format\": \"tianti\",\n\"snapshot\": \"%x\",\n\"dataset\": ", digest[:12])
	b.Write(dataset.Bytes())
	fmt.Fprintf(b, ",\n\"metrics\": %s,\n\"cards\": [", metrics)
	for i := range s.Len() {
		detail, err := api.Detail(s, i, catalog.Pricing{})
		if err != nil {
			return err
		}
		card, err := json.Marshal(detail)
		if err != nil {
			return err
		}
		if i > 0 {
			b.WriteString(",")
		}
		b.WriteString("\n")
		b.Write(card)
	}
	b.WriteString("\n]\n}\n")
	return b.Flush() // the first error of any write
}

// CSV writes a row for each card and a column for each quantity. The header has the ids, the cells the shown values,
// exact; a cell without a value is empty.
func CSV(w io.Writer, s *catalog.Snapshot) error {
	quantities := catalog.Quantities()
	row := []string{"id"}
	for _, q := range quantities {
		row = append(row, q.ID)
	}
	return table(w, row, func(write func([]string)) {
		for i := range s.Len() {
			row[0] = s.Card(i).ID
			for k, q := range quantities {
				row[k+1] = cell(s, q, i)
			}
			write(row)
		}
	})
}

// Prices writes a row for each price, with the columns of its source.
func Prices(w io.Writer, d *catalog.Dataset) error {
	sources := sourceRows(d)
	return table(w, slices.Concat(seed.PriceColumns, seed.SourceColumns), func(write func([]string)) {
		for i := range d.Prices {
			write(append(seed.PriceRow(&d.Prices[i]), sources[d.Prices[i].Source]...))
		}
	})
}

// Rates writes a row for each exchange rate, with the columns of its source.
func Rates(w io.Writer, d *catalog.Dataset) error {
	sources := sourceRows(d)
	return table(w, slices.Concat(seed.RateColumns, seed.SourceColumns), func(write func([]string)) {
		for i := range d.Rates {
			write(append(seed.RateRow(&d.Rates[i]), sources[d.Rates[i].Source]...))
		}
	})
}

// As writes a table of CSV in another format: jsonl, xlsx or parquet.
func As(w io.Writer, format string, table io.Reader) error {
	t, err := tablefile.FromCSV(table)
	if err != nil {
		return err
	}
	var data []byte
	switch format {
	case "jsonl":
		data = t.JSONL()
	case "xlsx":
		data = t.XLSX("Tianti")
	default:
		data = t.Parquet()
	}
	_, err = w.Write(data)
	return err
}

func sourceRows(d *catalog.Dataset) map[string][]string {
	rows := make(map[string][]string, len(d.Sources))
	for i := range d.Sources {
		rows[d.Sources[i].ID] = seed.SourceRow(&d.Sources[i])
	}
	return rows
}

// table writes CSV whose cells are no formulas of spreadsheets.
func table(w io.Writer, header []string, rows func(write func([]string))) error {
	out := csv.NewWriter(w)
	out.Write(header)
	rows(func(row []string) {
		for i := range row {
			row[i] = csvsafe.Cell(row[i])
		}
		out.Write(row)
	})
	out.Flush()
	return out.Error() // the first error of any write
}

func cell(s *catalog.Snapshot, q *catalog.Quantity, i int) string {
	if q.Kind == catalog.Number {
		v, ok := s.Number(q, i)
		if !ok {
			return ""
		}
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	text, _ := s.Text(q, i)
	if q.ID == "standing" && text == catalog.Sold {
		return "" // no source need say so
	}
	return text
}
