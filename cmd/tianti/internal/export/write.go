package export

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"tianti/catalog"
	"tianti/web/api"
)

// JSON writes one object: snapshot, the metrics, and every card as the API gives
// it.
func JSON(w io.Writer, s *catalog.Snapshot) error {
	b := bufio.NewWriter(w)
	metrics, err := json.Marshal(api.Metrics(s).Items)
	if err != nil {
		return err
	}
	fmt.Fprintf(b, "{\n\"snapshot\": %q,\n\"metrics\": %s,\n\"cards\": [", api.Snapshot(s), metrics)
	for i := range s.Len() {
		card, err := json.Marshal(api.Detail(s, i, catalog.Pricing{}))
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

// CSV writes a row for each card and a column for each quantity, under its id:
// the shown values, exact, empty where no source gives one. Cells that a
// spreadsheet would run as a formula are made text by a leading apostrophe.
func CSV(w io.Writer, s *catalog.Snapshot) error {
	out := csv.NewWriter(w)
	quantities := catalog.Quantities()
	row := []string{"id"}
	for _, q := range quantities {
		row = append(row, q.ID)
	}
	if err := out.Write(row); err != nil {
		return err
	}
	for i := range s.Len() {
		row[0] = s.Card(i).ID
		for k, q := range quantities {
			row[k+1] = cell(s, q, i)
		}
		if err := out.Write(row); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
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
	if text != "" && strings.ContainsRune("=+-@\t\r", rune(text[0])) {
		return "'" + text
	}
	return text
}
