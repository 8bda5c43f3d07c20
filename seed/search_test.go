package seed

import (
	"encoding/csv"
	"os"
	"path"
	"testing"
)

// The queries were written down before the ranking was made.
func TestSearchesMeanTheCardThatPeopleMean(t *testing.T) {
	f, err := os.Open("testdata/searches.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	s := builtinSnapshot(t)
	right := 0
	for _, row := range rows[1:] {
		found := s.Ranked(row[0], 3)
		if len(found) == 0 {
			found = s.Suggest(row[0], 3) // as the pages do
		}
		if len(found) > 0 {
			if ok, _ := path.Match(row[1], s.Card(found[0]).ID); ok {
				right++
				continue
			}
		}
		var ids []string
		for _, r := range found {
			ids = append(ids, s.Card(r).ID)
		}
		t.Logf("%q: %v, want %s", row[0], ids, row[1])
	}
	if n := len(rows) - 1; right*100 < n*95 {
		t.Errorf("%d of %d searches have the card that is meant first", right, n)
	}
}
