package web_test

import (
	"encoding/csv"
	"net/http"
	"strings"
	"testing"
)

// exportCells are the rows of the catalogue as CSV: id, verdict.
func exportCells(t *testing.T, s http.Handler, query string) map[string]string {
	t.Helper()
	r := get(t, s, "/cards.csv?"+query)
	body := bodyOf(t, r)
	if r.StatusCode != http.StatusOK {
		t.Fatalf("%s: %d: %s", query, r.StatusCode, body)
	}
	rows, err := csv.NewReader(strings.NewReader(body)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, row := range rows[1:] {
		out[row[0]] = row[len(row)-3]
	}
	if rows[0][len(rows[0])-3] != "export_verdict" {
		t.Errorf("the last columns are %v", rows[0])
	}
	return out
}

func TestTheCatalogueIsFilteredByWhatMayBeShipped(t *testing.T) {
	s := newServer(t, 200, nil)
	const where = "&destination=CN&as_of=2026-06-01&limit=1000"
	all := exportCells(t, s, "export=any"+where)
	if len(all) != 202 {
		t.Fatalf("any verdict leaves %d cards", len(all))
	}
	counts := map[string]int{}
	for _, verdict := range all {
		counts[verdict]++
	}
	if len(counts) < 3 {
		t.Fatalf("the sample has too few verdicts to tell filters apart: %v", counts)
	}
	for verdict, n := range counts {
		some := exportCells(t, s, "export="+verdict+where)
		if len(some) != n {
			t.Errorf("%s: %d cards, want %d", verdict, len(some), n)
		}
		for id, got := range some {
			if got != verdict {
				t.Errorf("%s: %s is among %s", id, got, verdict)
			}
		}
	}
	both := exportCells(t, s, "export=unknown&export=not_controlled&vendor=Acme"+where)
	for id := range both {
		if !strings.HasPrefix(id, "acme-") {
			t.Errorf("%s is not of the vendor", id)
		}
	}
}

func TestTheFilterIsInTheAddressAndCanBeTakenAway(t *testing.T) {
	s := newServer(t, 20, nil)
	page := bodyOf(t, get(t, s, "/cards?export=unknown&destination=vn&as_of=2026-06-01"))
	for _, want := range []string{"Export control, Vietnam, 2026-06-01",
		`href="/cards.csv?as_of=2026-06-01&amp;destination=VN&amp;export=unknown"`,
		`name="export" value="unknown" checked`} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	if page := bodyOf(t, get(t, s, "/zh/cards?export=unknown&destination=VN&as_of=2026-06-01")); !strings.Contains(page,
		"越南") {
		t.Error("the Chinese page does not name the destination")
	}
}

// TestDestinationAloneIsNoFilter: the form sends destination and day with every search.
func TestDestinationAloneIsNoFilter(t *testing.T) {
	s := newServer(t, 20, nil)
	with, without := bodyOf(t, get(t, s, "/cards?destination=VN&as_of=&vendor=Acme")),
		bodyOf(t, get(t, s, "/cards?vendor=Acme"))
	if with != without {
		t.Error("destination without a verdict changes the page")
	}
}

func TestTheFilterNamesWhatItDoesNotTake(t *testing.T) {
	s := newServer(t, 5, nil)
	for query, field := range map[string]string{
		"export=maybe": "export", "export=any&as_of=2026-02-30": "as_of", "export=any&destination=XX": "destination",
		"destination=Narnia":        "destination",
		"export=any&headquarters=1": "headquarters",
	} {
		r := get(t, s, "/cards.json?"+query)
		if body := bodyOf(t, r); r.StatusCode != http.StatusBadRequest ||
			!strings.Contains(body, `"parameter":"`+field+`"`) {
			t.Errorf("%s: %d %s", query, r.StatusCode, body)
		}
		if r := get(t, s, "/cards?"+query); r.StatusCode != http.StatusBadRequest {
			t.Errorf("page, %s: %d", query, r.StatusCode)
		}
	}
}
