package locale

import (
	"encoding/csv"
	"os"
	"strings"
	"testing"
)

// One word for one thing, and the one that the field uses: terms.csv says which words must not appear.
func TestMessagesUseTheWordsOfTheField(t *testing.T) {
	f, err := os.Open("testdata/terms.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	en, zh := catalogues(t)
	for _, row := range rows[1:] {
		for key, m := range map[string]map[string]text{"en": en, "zh": zh}[row[2]] {
			for _, text := range []string{m.one, m.other} {
				if strings.Contains(strings.ToLower(text), row[0]) {
					t.Errorf("%s, %s: %q says %q; the word is %q", row[2], key, text, row[0], row[1])
				}
			}
		}
	}
}
