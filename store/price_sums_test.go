package store

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tianti/catalog"
)

func setSumsEvery(t *testing.T, n int) { set(t, &sumsEvery, n) }

func set(t *testing.T, what *int, n int) {
	before := *what
	*what = n
	t.Cleanup(func() { *what = before })
}

// TestStartsFromKeptSumsReadTheSame holds catalogues that begin with what is kept against those that read all prices:
// after additions, undo, branches and replacement, kept at every step and at some.
func TestStartsFromKeptSumsReadTheSame(t *testing.T) {
	setSumsEvery(t, 1)
	set(t, &shareOfOffers, 7)
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
		"cut off": good[:len(good)-9], "not worth it": notWorth,
	} {
		if _, err := s.writer.Exec("UPDATE price_sums SET data = ?", damaged); err != nil {
			t.Fatal(err)
		}
		same(name)
	}
}

// TestSumsOfAnOlderFormatAreKeptAnew: otherwise each start would read all prices until many more have come.
func TestSumsOfAnOlderFormatAreKeptAnew(t *testing.T) {
	setSumsEvery(t, 100)
	s := newStore(t)
	importTest(t, s, history(400))
	if err := s.KeepSums(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := s.writer.Exec("UPDATE price_sums SET data = ?", []byte{sumsFormat - 1, 7}); err != nil {
		t.Fatal(err)
	}
	if err := s.KeepSums(t.Context()); err != nil {
		t.Fatal(err)
	}
	var data []byte
	if err := s.reader.QueryRow("SELECT data FROM price_sums").Scan(&data); err != nil || data[0] != sumsFormat {
		t.Errorf("format %d is kept, %v, want %d", data[:1], err, sumsFormat)
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
	if data := encodeSums(list, 10); !bytes.Equal(data, notWorth) {
		t.Errorf("got %d bytes where 10 are worth it, want %x", len(data), notWorth)
	}
	data := encodeSums(list, smallSums)
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
	plain, err := plainSums(data[1:])
	if err != nil {
		t.Fatal(err)
	}
	for i := range plain { // whatever is damaged inside, it ends
		bad := slices.Clone(plain)
		bad[i] ^= 0x81
		words := zstdEncoder().EncodeAll(bad[:len(bad)/2], nil)
		packed := append(binary.AppendUvarint([]byte{sumsFormat}, uint64(len(words))), words...)
		_, _ = decodeSums(zstdEncoder().EncodeAll(bad[len(bad)/2:], packed))
	}
}

// TestSumsAreEqualWhoeverSummedThemUp sums up what is loaded, and what is read in shares.
func TestSumsAreEqualWhoeverSummedThemUp(t *testing.T) {
	set(t, &shareOfOffers, 7)
	s := newStore(t)
	importTest(t, s, history(400))
	added(t, s, observations(400, 30))
	sums := func() (all []byte) {
		t.Helper()
		tx, _, err := s.beginRead(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer tx.Rollback()
		heads, err := readHeads(t.Context(), tx)
		if err != nil {
			t.Fatal(err)
		}
		for i := range heads {
			line, err := lineOf(t.Context(), tx, heads[i].Revision)
			if err == nil {
				var data []byte
				data, err = s.sumsOf(t.Context(), tx, heads[i].key, line, math.MaxInt)
				all = append(all, data...)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		return all
	}
	read := sums()
	load(t, s)
	if loaded := sums(); len(read) < 100 || !bytes.Equal(loaded, read) {
		t.Errorf("got %d bytes of what is loaded, and others, %d, of what is read", len(loaded), len(read))
	}
}

// TestSumsThatAreNotWorthItAreSummedUpOnce has prices that are each of an offer of their own.
func TestSumsThatAreNotWorthItAreSummedUpOnce(t *testing.T) {
	setSumsEvery(t, 1)
	set(t, &shareOfOffers, 7)
	set(t, &smallSums, 0)
	s := newStore(t)
	importTest(t, s, history(400))
	for range 2 {
		if err := s.KeepSums(t.Context()); err != nil {
			t.Fatal(err)
		}
		var data []byte
		if err := s.reader.QueryRow("SELECT data FROM price_sums").Scan(&data); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(data, notWorth) {
			t.Errorf("got %d bytes of 400 prices, want that they are not worth it", len(data))
		}
	}
	tx, _, err := s.beginRead(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	if due, err := s.sumsDue(t.Context()); err != nil || len(due) != 0 {
		t.Errorf("got %d due, %v, want none: they were looked at", len(due), err)
	}
}
