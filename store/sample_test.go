package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"tianti/catalog"
	"tianti/importer"
)

// clock is the time at which tests import.
var clock = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func testOptions() Options {
	return Options{BusyTimeout: 50 * time.Millisecond, Now: func() time.Time { return clock }}
}

func openTest(t testing.TB, path string) *Store {
	t.Helper()
	s, err := Open(context.Background(), path, testOptions())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// newStore opens a fresh database.
func newStore(t testing.TB) *Store {
	t.Helper()
	address := newAddress(t)
	if !onPostgres {
		if err := os.WriteFile(address, emptySQLite(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return openTest(t, address)
}

// emptySQLite is a file of the current schema without content: to make one takes longer than many tests do.
var emptySQLite = sync.OnceValue(func() []byte {
	dir, err := os.MkdirTemp("", "tianti-empty-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "empty.db")
	s, err := Open(context.Background(), file, testOptions())
	if err == nil {
		err = s.Close()
	}
	text, readErr := os.ReadFile(file)
	if err = errors.Join(err, readErr); err != nil {
		panic(err)
	}
	return text
})

// newAddress names a database that is still empty: a file, or one of PostgreSQL while TestPostgreSQL runs.
func newAddress(t testing.TB) string {
	if onPostgres {
		return emptyPostgres(t)
	}
	return filepath.Join(t.TempDir(), "tianti.db")
}

// parallel lets a test run beside others, unless it runs for PostgreSQL.
func parallel(t *testing.T) {
	if !onPostgres {
		t.Parallel()
	}
}

// addressOf names the database of a store for others to open.
func addressOf(s *Store) string {
	if s.server != nil {
		return s.server.address
	}
	return s.path
}

func importTest(t testing.TB, s *Store, ds catalog.Dataset) importer.Revision {
	t.Helper()
	rev, err := s.Import(context.Background(), ds, importer.FileInfo{}, "a note")
	if err != nil {
		t.Fatal(err)
	}
	return rev
}

func load(t testing.TB, s *Store) *catalog.Snapshot {
	t.Helper()
	snap, err := s.Load(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return snap
}

// sample is a small dataset that uses every field.
func sample() catalog.Dataset {
	return catalog.Dataset{
		ID: "builtin", Title: catalog.Text{En: "Built-in data", Zh: "内置数据"}, Rank: 10,
		Sources: []catalog.Source{
			{
				ID:        "sheet",
				Publisher: "NVIDIA",
				Title:     "H100 datasheet",
				URL:       "https://example.org/h100",
				Kind:      "datasheet",
				Published: "2023-03",
				Retrieved: "2026-02-28",
			},
			{
				ID:        "paper",
				Publisher: "NVIDIA",
				Title:     "Hopper whitepaper",
				URL:       "https://example.org/hopper",
				Kind:      "whitepaper",
				Published: "2022",
			},
			{
				ID:        "undated",
				Publisher: "Somebody",
				Title:     "Measurements",
				URL:       "https://example.org/m",
				Kind:      "measured",
				Standing:  catalog.Estimate,
				Origin:    "NVIDIA",
			},
		},
		Cards: []catalog.Card{
			{
				ID: "nvidia-h100", Name: "H100", Vendor: "NVIDIA", Kind: "gpu", Segment: "datacenter",
				Architecture: "Hopper",
				Aliases: []string{
					"NVIDIA H100 80GB HBM3",
					"H100 SXM",
				}, PCIIDs: []string{"10de:2330", "10de:2330:10de:16c1"},
				Facts: []catalog.Fact{
					{Quantity: "memory_gb", Number: 80, Source: "sheet", Standing: catalog.BeforeLaunch},
					{
						Quantity: "fp32_vector_tflops",
						Number:   66.9,
						Source:   "sheet",
						Note:     catalog.Text{En: "boost clock", Zh: "加速频率"},
					},
					{
						Quantity:   "fp32_vector_tflops",
						Number:     60,
						Source:     "paper",
						Superseded: catalog.Text{En: "preliminary", Zh: "初步数值"},
					},
					{
						Quantity: "memory_type",
						Text:     "HBM3",
						Source:   "sheet",
						Accept:   map[string]catalog.Text{"bandwidth": {En: "rounded by the vendor", Zh: "厂商取整"}},
					},
					{Quantity: "launched", Text: "2022-03-22", Source: "paper"},
					{Quantity: "ecc", Text: "true", Source: "undated"},
				},
			},
			{ID: "empty", Name: "Empty", Vendor: "Nobody", Kind: "npu", Segment: "edge"},
		},
		Prices: []catalog.Price{
			{
				Card:     "nvidia-h100",
				Kind:     catalog.OnDemand,
				Amount:   catalog.Money{Micros: 98_320_000, Currency: "USD"},
				Unit:     catalog.PerHour,
				Cards:    8,
				Seller:   "AWS",
				Instance: "p5.48xlarge",
				Region:   "us-east-1",
				Tax:      catalog.TaxExcluded,
				Date:     "2023-07-26",
				Source:   "paper",
				Note:     catalog.Text{En: "at launch", Zh: "上线时"},
			},
			{
				Card:   "elsewhere",
				Kind:   catalog.Reserved,
				Amount: catalog.Money{Micros: 1, Currency: "CNY"},
				Unit:   catalog.PerMonth,
				Cards:  1,
				Term:   12,
				Date:   "2024-03",
				Source: "sheet",
			},
		},
		Rates: []catalog.ExchangeRate{
			{Date: "2023-07-26", Base: "EUR", Quote: "USD", Rate: "1.1059", Source: "undated"},
		},
		Annotations: catalog.Annotations{
			Generations: []catalog.Generation{{
				ID: "nvidia-hopper", Vendor: "NVIDIA", Name: "Hopper", Line: "NVIDIA", Cards: []string{"nvidia-h100"},
				Facts: []catalog.Fact{
					{
						Quantity: "die_mm2",
						Number:   814,
						Source:   "paper",
						Note:     catalog.Text{En: "full die", Zh: "完整裸片"},
						Accept:   map[string]catalog.Text{"density": {En: "a reason", Zh: "原因"}},
					},
				},
				Unit: []catalog.Statement{
					{Text: catalog.Text{En: "128 FP32 lanes", Zh: "128 个 FP32 单元"}, Source: "paper"},
				},
				Introduced: []catalog.Statement{{Text: catalog.Text{En: "FP8", Zh: "FP8"}, Source: "paper"}},
			}},
			Measured: []catalog.Measurement{
				{
					Card:       "nvidia-h100",
					Fact:       catalog.Fact{Quantity: "bf16_matrix_dense_tflops", Number: 794, Source: "undated"},
					Conditions: catalog.Text{En: "matmul", Zh: "矩阵乘法"},
				},
			},
			Claims: []catalog.Claim{
				{
					ID:     "fast",
					Cards:  []string{"nvidia-h100", "empty"},
					By:     catalog.Text{En: "Somebody", Zh: "某人"},
					Said:   "2024-05",
					Source: "undated",
					Text:   catalog.Text{En: "It is fast", Zh: "很快"},
					Note:   catalog.Text{En: "It is", Zh: "确实"},
				},
				{
					ID:     "slow",
					Cards:  []string{"empty"},
					By:     catalog.Text{En: "Somebody", Zh: "某人"},
					Source: "undated",
					Text:   catalog.Text{En: "It is slow", Zh: "很慢"},
				},
			},
			Equivalents: []catalog.Equivalent{
				{
					ID:    "link",
					Role:  catalog.Text{En: "Link", Zh: "互连"},
					Names: []catalog.VendorName{{Vendor: "NVIDIA", Name: "NVLink", Source: "sheet"}},
				},
			},
			Glossary: []catalog.GlossaryEntry{
				{
					ID:   "gpu",
					Term: "GPU",
					Meanings: []catalog.Meaning{
						{
							Name:   catalog.Text{En: "Graphics processing unit", Zh: "图形处理器"},
							Text:   catalog.Text{En: "Draws", Zh: "绘图"},
							Source: "sheet",
						},
					},
				},
			},
		},
	}
}

// one is a dataset with one card and one figure.
func one(id string, rank int, gigabytes float64) catalog.Dataset {
	return catalog.Dataset{
		ID: id, Rank: rank,
		Sources: []catalog.Source{{ID: "s", Kind: "datasheet"}},
		Cards: []catalog.Card{{ID: "card", Name: "Card", Vendor: "V", Kind: "gpu", Segment: "edge",
			Facts: []catalog.Fact{{Quantity: "memory_gb", Number: gigabytes, Source: "s"}}}},
	}
}

// memory is the shown memory size of the card of one.
func memory(t testing.TB, snap *catalog.Snapshot) float64 {
	t.Helper()
	i, ok := snap.Find("card")
	if !ok {
		return 0
	}
	q, _ := catalog.LookupQuantity("memory_gb")
	v, _ := snap.Number(q, i)
	return v
}

// synthetic makes a dataset of that many cards with that many facts each, in
// the proportions of the real ones: four texts in twenty, few notes.
func synthetic(cards, facts int) catalog.Dataset {
	ds := catalog.Dataset{ID: "synthetic", Title: catalog.Text{En: "Synthetic", Zh: "合成"}}
	for i := range 500 {
		ds.Sources = append(
			ds.Sources,
			catalog.Source{ID: fmt.Sprintf("source-%d", i), Kind: catalog.SourceKinds[i%len(catalog.SourceKinds)],
				Publisher: "Publisher", Title: fmt.Sprintf("Document %d", i), URL: fmt.Sprintf("https://example.org/%d",
					i), Published: "2024-05"},
		)
	}
	var numbers, texts []*catalog.Quantity
	for _, q := range catalog.Quantities() {
		switch {
		case q.Stored() && q.Kind == catalog.Number:
			numbers = append(numbers, q)
		case q.Stored() && q.Kind == catalog.Category:
			texts = append(texts, q)
		}
	}
	for i := range cards {
		c := catalog.Card{
			ID:           fmt.Sprintf("card-%d", i),
			Name:         fmt.Sprintf("Card %d", i),
			Vendor:       fmt.Sprintf("Vendor %d", i%30),
			Kind:         "gpu",
			Segment:      catalog.Segments[i%len(catalog.Segments)],
			Architecture: fmt.Sprintf("Architecture %d", i%60),
			Aliases:      []string{fmt.Sprintf("Alias %d", i)},
			PCIIDs:       []string{fmt.Sprintf("10de:%04x", i%65536)},
		}
		for k := range facts {
			f := catalog.Fact{Source: ds.Sources[(i+k/5)%500].ID}
			if k%5 == 4 {
				f.Quantity, f.Text = texts[k/5%len(texts)].ID, fmt.Sprintf("text %d", i%9)
			} else {
				f.Quantity, f.Number = numbers[k%len(numbers)].ID, float64(i)/8+float64(k)
			}
			if (i+k)%50 == 0 {
				f.Note = catalog.Text{En: "a note", Zh: "注释"}
			}
			c.Facts = append(c.Facts, f)
		}
		ds.Cards = append(ds.Cards, c)
	}
	return ds
}
