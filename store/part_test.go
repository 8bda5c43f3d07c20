package store

import (
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tianti/catalog"
)

// decodedPrices are the prices of a part.
func decodedPrices(data []byte) ([]catalog.PlacedPrice, error) {
	r := &partReading{held: newInterner()}
	return r.appendPart(nil, "card", data)
}

func TestPartsReadBackAsTheyWere(t *testing.T) {
	odd := []catalog.Price{
		{Card: "card", Kind: catalog.LaunchPrice, Amount: catalog.Money{Micros: 1, Currency: "CNY"},
			Unit:  catalog.PerCard,
			Cards: 1, Date: "1999", Source: "来源", Note: catalog.Text{En: "first", Zh: "首个"}},
		{Card: "card", Kind: catalog.Reserved, Amount: catalog.Money{Micros: 1e15, Currency: "USD"},
			Unit:  catalog.PerMonth,
			Cards: 100_000, Term: 120, Seller: "S", Instance: "I", Region: "R", Tax: catalog.TaxIncluded,
			Date:   "2026-02",
			Source: "s"},
		{Card: "card", Kind: catalog.Spot, Amount: catalog.Money{Micros: 2, Currency: "USD"}, Unit: catalog.PerHour,
			Cards: 8, Seller: "R", Date: "2026-02-28", Source: "s", Note: catalog.Text{En: "S", Zh: "S"}},
	}
	many := manyPrices(0, 3000)
	for i := range many {
		many[i].Card = "card"
	}
	r := rand.New(rand.NewPCG(1, 2))
	var e partEncoder
	for name, list := range map[string][]catalog.Price{"odd": odd, "one": odd[1:2], "many": many} {
		at := []int32{}
		for i := range list {
			if i == 0 || r.IntN(3) > 0 {
				at = append(at, int32(i))
			}
		}
		data := e.encode(list, at, 7_000_000+int(at[0]))
		got, err := decodedPrices(data)
		if err != nil {
			t.Fatal(name, err)
		}
		var want []catalog.PlacedPrice
		for _, i := range at {
			want = append(want, catalog.PlacedPrice{Price: list[i], Place: 7_000_000 + int(i)})
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if name == "many" && len(data) > 12*len(at) {
			t.Errorf("%d prices take %d bytes, want 12 each at most", len(at), len(data))
		}
	}
}

func TestADamagedPartTakesLittleMemory(t *testing.T) {
	const n = 1 << 20
	data := binary.AppendUvarint([]byte{partRaw, 1, 0}, n) // a price, no words, terms without end
	data = append(data, make([]byte, n)...)
	for i := 4; i < len(data); i++ {
		data[i] = 0xff
	}
	var d decodedPart
	if err := d.decode(data, newInterner()); !errors.Is(err, ErrCorrupt) || cap(d.terms) > 100 {
		t.Errorf("got %v and room for %d terms", err, cap(d.terms))
	}
}

func FuzzPart(f *testing.F) {
	var e partEncoder
	list := manyPrices(0, 40)
	for i := range list {
		list[i].Card = "card"
	}
	f.Add(append([]byte(nil), e.encode(list, []int32{0}, 3)...))
	f.Add(append([]byte(nil), e.encode(list, []int32{0, 1, 2, 30}, 0)...))
	f.Add([]byte{partRaw, 1, 0, 0, 0})
	f.Add([]byte{partZstd, 0x28, 0xb5, 0x2f, 0xfd})
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := decodedPrices(data)
		if err != nil {
			if !errors.Is(err, ErrCorrupt) {
				t.Errorf("got %v, want an error that says that the database is damaged", err)
			}
			return
		}
		var prices []catalog.Price
		for i := range got {
			prices = append(prices, got[i].Price)
			if got[i].Amount.Micros < 1 || got[i].Date == "" || got[i].Card != "card" {
				t.Errorf("got %+v", got[i])
			}
		}
		at := make([]int32, len(prices))
		for i := range at {
			at[i] = int32(i)
		}
		again, err := decodedPrices(new(partEncoder).encode(prices, at, got[0].Place))
		if err != nil || len(again) != len(got) {
			t.Fatalf("encoded again: %d of %d, %v", len(again), len(got), err)
		}
		for i := range again {
			if again[i].Price != got[i].Price {
				t.Errorf("encoded again: got %+v, want %+v", again[i].Price, got[i].Price)
			}
		}
	})
}
