package store

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tianti/catalog"
)

func setSumsEvery(t *testing.T, n int) {
	before := sumsEvery
	sumsEvery = n
	t.Cleanup(func() { sumsEvery = before })
}

// TestStartsFromKeptSumsReadTheSame holds catalogues that begin with what is kept against those that read all prices:
// after additions, undo, branches and replacement, kept at every step and at some.
func TestStartsFromKeptSumsReadTheSame(t *testing.T) {
	setSumsEvery(t, 1)
	s := newStore(t)
	kept := func() (revision int64, prices int) {
		t.Helper()
		if err := s.reader.QueryRow("SELECT revision, prices FROM price_sums").Scan(&revision, &prices); err != nil {
			t.Fatal(err)
		}
		return revision, prices
	}
	keep := func(want int64, prices int) {
		t.Helper()
		if err := s.KeepSums(t.Context()); err != nil {
			t.Fatal(err)
		}
		if revision, n := kept(); revision != want || n != prices {
			t.Errorf("sums of revision %d with %d prices are kept, want %d with %d", revision, n, want, prices)
		}
	}
	same := func(what string) {
		t.Helper()
		with := fresh(t, s)
		var data []byte
		var dataset, revision, prices int64
		err := s.reader.QueryRow("SELECT dataset, revision, prices, data FROM price_sums").Scan(&dataset, &revision,
			&prices, &data)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.writer.Exec("DELETE FROM price_sums"); err != nil {
			t.Fatal(err)
		}
		sameCatalogue(t, what, with, fresh(t, s))
		if _, err := s.writer.Exec("INSERT INTO price_sums VALUES (?, ?, ?, ?)", dataset, revision, prices,
			data); err != nil {
			t.Fatal(err)
		}
	}
	first := importTest(t, s, history(400)).Number
	keep(first, 400)
	same("of all")
	second := added(t, s, observations(400, 30), catalog.Source{ID: "t"}).Number
	same("with some behind")
	third := added(t, s, observations(430, 1)).Number
	keep(third, 431)
	same("of all, again")
	if err := s.Activate(t.Context(), "history", second, ann); err != nil {
		t.Fatal(err)
	}
	same("of an undone revision")
	branch := added(t, s, observations(700, 9)).Number
	same("of another branch")
	keep(branch, 439)
	same("of the branch")
	load(t, s) // the next are kept of what is loaded
	replaced := importTest(t, s, history(12)).Number
	same("of what was replaced")
	keep(replaced, 12)
	same("of what replaced it")
	setSumsEvery(t, 13)
	added(t, s, observations(900, 12))
	keep(replaced, 12)
	last := added(t, s, observations(912, 1)).Number
	keep(last, 25)
	same("when it is time")
	var good []byte
	if err := s.reader.QueryRow("SELECT data FROM price_sums").Scan(&good); err != nil {
		t.Fatal(err)
	}
	for name, damaged := range map[string][]byte{
		"of zeros": make([]byte, 9), "of another format": append([]byte{sumsFormat + 1}, good[1:]...),
		"cut off": good[:len(good)-9],
	} {
		if _, err := s.writer.Exec("UPDATE price_sums SET data = ?", damaged); err != nil {
			t.Fatal(err)
		}
		same(name)
	}
}

func TestSumsReadBackAreTheSame(t *testing.T) {
	list := catalog.SumUpPrices(observations(0, 500))
	if len(list) < 2 || len(list[0].Offers) < 2 {
		t.Fatal("the sample is too small")
	}
	for _, c := range list { // as they are written
		slices.SortFunc(c.Offers, func(a, b catalog.Offer) int { return a.Latest.Place - b.Latest.Place })
	}
	data := encodeSums(list)
	got, err := decodeSums(data)
	if err != nil {
		t.Fatal(err)
	}
	strip := cmp.Transformer("", func(c *catalog.CardOffers) []any { return []any{c.Card, c.Offers, c.Cited} })
	if diff := cmp.Diff(list, got, strip); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	for n := range data {
		if _, err := decodeSums(data[:n]); err == nil {
			t.Errorf("%d of %d bytes are taken", n, len(data))
		}
	}
	plain, err := zstdDecoder().DecodeAll(data[1:], nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range plain { // whatever is damaged inside, it ends
		bad := slices.Clone(plain)
		bad[i] ^= 0x81
		_, _ = decodeSums(zstdEncoder().EncodeAll(bad, []byte{sumsFormat}))
	}
}
