package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"tianti/catalog"
	"tianti/pricefile"
)

func rowsOfFile(t *testing.T, path string) []fileRow {
	t.Helper()
	data := readFile(t, path)
	r := parquet.NewGenericReader[fileRow](bytes.NewReader(data))
	defer r.Close()
	rows := make([]fileRow, r.NumRows())
	if n, err := r.Read(rows); n != len(rows) || err != nil && !errors.Is(err, io.EOF) {
		t.Fatal(n, err)
	}
	return rows
}

// fileRow is a price as another program reads it.
type fileRow struct {
	Card       string `parquet:"card"`
	Kind       string `parquet:"kind"`
	Date       string `parquet:"date"`
	Amount     int64  `parquet:"amount,decimal(6:18)"`
	Currency   string `parquet:"currency"`
	Unit       string `parquet:"unit"`
	Cards      int32  `parquet:"cards"`
	TermMonths int32  `parquet:"term_months"`
	Seller     string `parquet:"seller"`
	Instance   string `parquet:"instance"`
	Region     string `parquet:"region"`
	Tax        string `parquet:"tax"`
	Source     string `parquet:"source"`
	NoteEn     string `parquet:"note_en"`
	NoteZh     string `parquet:"note_zh"`
	Place      int64  `parquet:"place"`
}

func priceOf(r *fileRow) catalog.PlacedPrice {
	return catalog.PlacedPrice{Price: catalog.Price{Card: r.Card, Kind: catalog.PriceKind(r.Kind),
		Amount: catalog.Money{Micros: r.Amount, Currency: r.Currency}, Unit: catalog.PriceUnit(r.Unit),
		Cards: int(r.Cards),
		Term:  int(r.TermMonths), Seller: r.Seller, Instance: r.Instance, Region: r.Region, Tax: catalog.Tax(r.Tax),
		Date: catalog.Date(r.Date), Source: r.Source, Note: catalog.Text{En: r.NoteEn, Zh: r.NoteZh}},
		Place: int(r.Place)}
}

// filesOf publishes, and lists what is written of the published database.
func filesOf(t *testing.T, s *Store, known *pricefile.History) (h *pricefile.History, dir string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "published.db")
	if _, _, err := s.Publish(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	db, err := OpenPublished(t.Context(), path, testOptions())
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	dir = t.TempDir()
	h, err = db.PriceFiles(t.Context(), dir, func(madeOf string) (pricefile.Part, bool) {
		i := slices.IndexFunc(known.Parts, func(p pricefile.Part) bool { return p.MadeOf == madeOf })
		if i < 0 {
			return pricefile.Part{}, false
		}
		return known.Parts[i], true
	})
	if err != nil {
		t.Fatal(err)
	}
	return h, dir
}

// TestFilesOfPricesHoldAllOfThem reads back by another's reader what is written, after additions, undo and a branch: a
// price more changes one file, and what is known is not written again.
func TestFilesOfPricesHoldAllOfThem(t *testing.T) {
	before := partPrices
	partPrices = 40
	t.Cleanup(func() { partPrices = before })
	s := newStore(t)
	importTest(t, s, history(100))
	added(t, s, observations(100, 100))
	for month := range 3 { // one with many prices, three with some
		later := observations(200+20*month, 20)
		for i := range later {
			later[i].Date = catalog.Date(fmt.Sprintf("2027-%02d-%02d", 1+month, 1+i))
		}
		added(t, s, later)
	}
	first := added(t, s, observations(260, 140)).Number
	nothing := &pricefile.History{}
	check := func(h *pricefile.History, dirs ...string) {
		t.Helper()
		want, got := map[string]int{}, 0
		snap := load(t, s)
		for row := range snap.Len() {
			all, err := snap.History(row)
			if err != nil {
				t.Fatal(err)
			}
			for i := range all {
				want[fmt.Sprint(*all[i].Price, all[i].Placed().Place)]++
			}
		}
		for _, p := range h.Parts {
			dir := dirs[slices.IndexFunc(dirs, func(d string) bool {
				_, err := os.Stat(filepath.Join(d, p.SHA256))
				return err == nil
			})]
			data := readFile(t, filepath.Join(dir, p.SHA256))
			if sum := sha256.Sum256([]byte(data)); hex.EncodeToString(sum[:]) != p.SHA256 ||
				int64(len(data)) != p.Size {
				t.Errorf("a file of %d bytes is not what its name says", len(data))
			}
			rows := rowsOfFile(t, filepath.Join(dir, p.SHA256))
			if len(rows) != p.Prices {
				t.Errorf("%d prices are in a file of %d", len(rows), p.Prices)
			}
			for i := range rows {
				r := &rows[i]
				price := priceOf(r)
				want[fmt.Sprint(price.Price, price.Place)]--
				got++
				if r.Card < p.FirstCard || r.Card > p.LastCard || price.Date.Ordinal() < p.From.Ordinal() ||
					price.Date.LastOrdinal() > p.To.Ordinal() {
					t.Errorf("%s of %s is in a file of %s to %s, %s to %s", r.Card, r.Date, p.FirstCard,
						p.LastCard, p.From, p.To)
				}
				if h.Sources[p.Dataset][r.Source].Publisher != "" {
					t.Errorf("source %q", r.Source)
				}
				if _, ok := h.Sources[p.Dataset][r.Source]; !ok {
					t.Errorf("source %q is not listed", r.Source)
				}
				if i > 0 && (rows[i-1].Card > r.Card || rows[i-1].Card == r.Card && rows[i-1].Date > r.Date) {
					t.Errorf("%s %s comes behind %s %s", r.Card, r.Date, rows[i-1].Card, rows[i-1].Date)
				}
			}
		}
		for price, n := range want {
			if n != 0 {
				t.Errorf("%d too few of %s", n, price)
			}
		}
		if got != h.Prices() || got != snap.PriceCount() {
			t.Errorf("%d prices, listed %d, want %d", got, h.Prices(), snap.PriceCount())
		}
	}
	one, dir := filesOf(t, s, nothing)
	check(one, dir)
	if len(one.Parts) < 5 {
		t.Fatalf("%d files: the sample is too small", len(one.Parts))
	}
	again, _ := filesOf(t, s, nothing)
	if diff := cmp.Diff(one, again); diff != "" {
		t.Errorf("again (-once +again):\n%s", diff)
	}
	again, other := again, ""
	again, other = filesOf(t, s, one)
	if diff := cmp.Diff(one, again); diff != "" || len(names(t, other)) != 0 {
		t.Errorf("%v are written though they are known\n%s", names(t, other), diff)
	}
	latest := observations(400, 1)
	latest[0].Date = "2030-05-05"
	added(t, s, latest, catalog.Source{ID: "t"})
	two, second := filesOf(t, s, one)
	check(two, dir, second)
	if n := len(names(t, second)); n != 1 {
		t.Errorf("one price more changes %d files, want 1", n)
	}
	whole, _ := filesOf(t, s, nothing)
	if diff := cmp.Diff(two, whole); diff != "" {
		t.Errorf("all at once (-one after the other +at once):\n%s", diff)
	}
	if err := s.Activate(t.Context(), "history", first, ann); err != nil {
		t.Fatal(err)
	}
	undone, third := filesOf(t, s, one)
	check(undone, dir, third)
	if diff := cmp.Diff(one.Parts, undone.Parts); diff != "" || len(names(t, third)) != 0 {
		t.Errorf("undone (-before +after):\n%s", diff)
	}
	added(t, s, observations(700, 9))
	branch, fourth := filesOf(t, s, two)
	check(branch, dir, second, fourth)
	if text := string(branch.Encode()); !strings.Contains(text, `"made_of"`) {
		t.Errorf("got %.200s", text)
	}
	read, err := pricefile.Parse(branch.Encode())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(*branch, read); diff != "" {
		t.Errorf("list (-written +read):\n%s", diff)
	}
}

func names(t *testing.T, dir string) []string {
	t.Helper()
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, f := range files {
		out = append(out, f.Name())
	}
	return out
}
