package web_test

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"
)

func TestFormulasInCellsAreHarmless(t *testing.T) {
	s := newServer(t, 0, nil)
	body := bodyOf(t, get(t, s, "/cards.csv?fields=form_factor&q=acme"))
	rows, err := csv.NewReader(strings.NewReader(body)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if got := rows[1][3]; got != "'=SUM(A1)" {
		t.Errorf("got %q", got)
	}
}

// screenTable reads the catalogue table of a page: ids, and the texts of the cells.
func screenTable(t *testing.T, page string) (ids []string, cells [][]string) {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	var text func(*html.Node) string
	text = func(n *html.Node) string {
		if n.Type == html.TextNode {
			return n.Data
		}
		var s string
		for c := range n.ChildNodes() {
			s += text(c)
		}
		return s
	}
	for n := range doc.Descendants() {
		if n.Data != "tbody" {
			continue
		}
		for tr := range n.ChildNodes() {
			if tr.Data != "tr" {
				continue
			}
			var row []string
			for td := range tr.ChildNodes() {
				if td.Data == "td" || td.Data == "th" {
					row = append(row, strings.TrimSpace(text(td)))
				}
			}
			for in := range tr.Descendants() {
				for _, a := range in.Attr {
					if in.Data == "input" && a.Key == "value" {
						ids = append(ids, a.Val)
					}
				}
			}
			cells = append(cells, row[2:])
		}
		return ids, cells
	}
	return nil, nil
}

// TestAllFormatsHoldTheSameRowsAndColumns asks for 50 random addresses in four
// formats and compares rows, columns and order.
func TestAllFormatsHoldTheSameRowsAndColumns(t *testing.T) {
	s := newServer(t, 300, nil)
	r := rand.New(rand.NewPCG(3, 4))
	for range 50 {
		query := randomQuery(r)
		page := bodyOf(t, get(t, s, "/cards?"+query))
		ids, cells := screenTable(t, page)
		rows, err := csv.NewReader(strings.NewReader(bodyOf(t, get(t, s, "/cards.csv?"+query)))).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		var list struct {
			Items []struct {
				ID      string
				Figures map[string]float64
			}
		}
		if err := json.NewDecoder(get(t, s, alternate(t, page, "application/json")).Body).Decode(&list); err != nil {
			t.Fatal(err)
		}
		var csvIDs, jsonIDs []string
		for _, row := range rows[1:] {
			csvIDs = append(csvIDs, row[0])
		}
		for _, item := range list.Items {
			jsonIDs = append(jsonIDs, item.ID)
		}
		if !slices.Equal(ids, csvIDs) || !slices.Equal(ids, jsonIDs) {
			t.Fatalf("%s: rows differ: screen %d, CSV %d, JSON %d", query, len(ids), len(csvIDs), len(jsonIDs))
		}
		markdown := markdownCells(bodyOf(t, get(t, s, "/cards.md?"+query)))
		if diff := cmp.Diff(cells, markdown); diff != "" && len(ids) > 0 {
			t.Fatalf("%s: screen and Markdown differ: %s", query, diff)
		}
		if len(cells) > 0 && len(rows[0])-3 != len(cells[0]) {
			t.Fatalf("%s: %d columns on the screen, %d in CSV", query, len(cells[0]), len(rows[0])-3)
		}
		for i, item := range list.Items {
			for j, id := range rows[0][3:] {
				if want, known := item.Figures[id]; known && rows[i+1][j+3] != trimFloat(want) {
					t.Fatalf("%s: %s %s: CSV %q, JSON %v", query, item.ID, id, rows[i+1][j+3], want)
				}
			}
		}
	}
}

// alternate is the address of a page's data in another type.
func alternate(t *testing.T, page, mediaType string) string {
	t.Helper()
	_, rest, ok := strings.Cut(page, `<link rel="alternate" type="`+mediaType+`" href="`)
	address, _, closed := strings.Cut(rest, `"`)
	if !ok || !closed {
		t.Fatalf("the page names no %s", mediaType)
	}
	return html.UnescapeString(address)
}

func trimFloat(v float64) string { b, _ := json.Marshal(v); return string(b) }

// markdownCells are the cells of the table's body without the first column.
func markdownCells(text string) [][]string {
	var out [][]string
	for i, line := range strings.Split(text, "\n") {
		if i < 2 || !strings.HasPrefix(line, "|") {
			continue
		}
		var row []string
		for _, cell := range strings.Split(strings.Trim(line, "|"), " | ") {
			row = append(row, strings.NewReplacer("\\", "").Replace(strings.TrimSpace(cell)))
		}
		out = append(out, row[1:])
	}
	return out
}

func randomQuery(r *rand.Rand) string {
	v := url.Values{}
	numbers := []string{"memory_gb", "tdp_w", "memory_bandwidth_gb_s", "bf16_matrix_dense_tflops", "interconnect_gb_s",
		"bf16_tflops_per_w"}
	others := []string{"memory_type", "launched", "vendor", "bf16", "form_factor"}
	for _, id := range numbers[:r.IntN(3)] {
		lo := r.IntN(400)
		v.Set(id, fmt.Sprintf("%d..%d", lo, lo+r.IntN(2000)))
	}
	if r.IntN(2) == 0 {
		v.Set("vendor", []string{"Contoso", "!Litware", "Contoso,Northwind"}[r.IntN(3)])
	}
	all := append(slices.Clone(numbers), others...)
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	if r.IntN(2) == 0 {
		v.Set("fields", strings.Join(all[:1+r.IntN(6)], ","))
	}
	if r.IntN(3) > 0 {
		v.Set("sort", []string{"", "-"}[r.IntN(2)]+all[0])
	}
	if r.IntN(3) == 0 {
		v.Set("limit", fmt.Sprint(1+r.IntN(40)))
		v.Set("page", fmt.Sprint(1+r.IntN(3)))
	}
	return v.Encode()
}

// A table has pages, its file does not: who takes one of 300 cards gets 300, whichever page is looked at.
func TestTheFileOfATableHasAllItsPages(t *testing.T) {
	s := newServer(t, 300, nil)
	for _, page := range []string{"/cards", "/cards?page=3", "/zh/cards?page=2"} {
		address := alternate(t, bodyOf(t, get(t, s, page)), "text/csv")
		body := strings.TrimPrefix(bodyOf(t, get(t, s, address)), "\ufeff")
		rows, err := csv.NewReader(strings.NewReader(body)).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		if s.Snapshot().Len() != len(rows)-1 {
			t.Errorf("%s leads to %s of %d rows, want all %d", page, address, len(rows)-1, s.Snapshot().Len())
		}
	}
}
