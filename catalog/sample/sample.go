// Package sample makes catalogues for tests, benchmarks and load scripts. Its
// cards are synthetic: no figure of it belongs to a real product.
package sample

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"tianti/catalog"
)

// The synthetic sources and values that cards are drawn from.
var (
	vendors       = []string{"Northwind", "Contoso", "Fabrikam", "Tailspin", "Litware", "Proseware"}
	architectures = []string{"Alder", "Birch", "Cedar", "Dogwood", "Elm", "Fir", "Ginkgo", "Hazel"}
	memoryTypes   = []string{"GDDR6", "GDDR7", "HBM2e", "HBM3", "HBM3E", "LPDDR5X"}
	formFactors   = []string{"PCIe", "SXM5", "OAM", "Laptop"}
)

// memory draws a type and a capacity and bus that memory of that type can have.
func memory(r *rand.Rand) (kind string, gb, bits float64) {
	kind = pick(r, memoryTypes)
	if strings.HasPrefix(kind, "HBM") {
		stacks := pick(r, []float64{2, 4, 5, 6, 8})
		return kind, stacks * pick(r, []float64{8, 16, 24, 36}), 1024 * stacks
	}
	chips := pick(r, []float64{4, 6, 8, 10, 12, 16})
	return kind, chips * pick(r, []float64{1, 2, 3, 4}), 32 * chips
}

// Dataset returns n synthetic cards with about twenty facts each; equal arguments
// give equal datasets, and every figure obeys the consistency rules of catalog.
func Dataset(id string, n int) catalog.Dataset {
	d := catalog.Dataset{ID: id, Title: catalog.Text{En: "Synthetic", Zh: "合成数据"}, Rank: 1, Sources: sources(),
		Cards: make([]catalog.Card, n)}
	for i := range d.Cards {
		d.Cards[i] = Card(i)
	}
	if n > 0 {
		d.Annotations = annotations(d.Cards[0])
	}
	return d
}

// annotations are one of each kind; what speaks of a card speaks of the given one.
func annotations(c catalog.Card) catalog.Annotations {
	text := func(en, zh string) catalog.Text { return catalog.Text{En: en, Zh: zh} }
	const source = "synthetic-whitepaper"
	reached := number("bf16_matrix_dense_tflops", 1)
	reached.Source = source
	return catalog.Annotations{
		Generations: []catalog.Generation{{
			ID: "northwind-alder", Vendor: "Northwind", Name: "Alder", Line: "Northwind",
			Facts: []catalog.Fact{attribute("launched", "2009-06"), attribute("chip", "N1"),
				number("transistors_million", 3000), number("die_mm2", 500), number("process_nm", 40)},
			Unit:       []catalog.Statement{{Text: text("32 FP32 lanes", "32 个 FP32 单元"), Source: source}},
			Introduced: []catalog.Statement{{Text: text("Caches", "缓存"), Source: source}},
		}},
		Measured: []catalog.Measurement{{Card: c.ID, Fact: reached,
			Conditions: text("One matrix product", "一次矩阵乘法")}},
		Benchmarks: []catalog.Benchmark{{ID: "blender-4.5", Label: text("Rendering", "渲染"), Unit: "samples/min",
			Version: "4.5.0", Method: text("One scene", "单一场景"), Source: source,
			Results: []catalog.BenchmarkResult{{Card: c.ID, Value: 100, Runs: 3, Low: 90, High: 110, With: "OptiX"}}}},
		Claims: []catalog.Claim{{ID: "fast", Cards: []string{c.ID}, By: text("Somebody", "某人"), Said: "2024-05",
			Source: source, Text: text("It is fast.", "它很快。")}},
		Equivalents: []catalog.Equivalent{{ID: "link", Role: text("Link between cards", "卡间互连"),
			Names: []catalog.VendorName{{Vendor: "Northwind", Name: "NorthLink", Source: source},
				{Vendor: "Contoso", Name: "ConLink", Source: source}}}},
		Glossary: []catalog.GlossaryEntry{{ID: "npu", Term: "NPU",
			Meanings: []catalog.Meaning{{Name: text("Neural processing unit", "神经网络处理器"),
				Text: text("A processor for neural networks.", "用于神经网络的处理器。"), Source: source}}}},
	}
}

func sources() []catalog.Source {
	return []catalog.Source{
		{ID: "synthetic-datasheet", Publisher: "Synthetic", Title: "Datasheet", URL: "https://example.com/datasheet",
			Kind: "datasheet", Published: "2025-01"},
		{ID: "synthetic-whitepaper", Publisher: "Synthetic", Title: "Whitepaper", URL: "https://example.com/whitepaper",
			Kind: "whitepaper", Published: "2024"},
	}
}

// Card returns the i-th synthetic card.
func Card(i int) catalog.Card {
	r := rand.New(rand.NewPCG(uint64(i), 20260101))
	vendor := vendors[i%len(vendors)]
	c := catalog.Card{
		ID: fmt.Sprintf("synthetic-%06d", i), Name: fmt.Sprintf("Accelerator %06d", i), Vendor: vendor,
		Kind: catalog.CardKinds[r.IntN(3)], Segment: catalog.Segments[r.IntN(len(catalog.Segments))],
		Architecture: pick(r, architectures),
		Aliases:      []string{fmt.Sprintf("%s ACC-%06d", vendor, i)},
		PCIIDs:       []string{fmt.Sprintf("f%03x:%04x", i>>16&0xfff, i&0xffff)},
	}
	c.Facts = facts(r)
	return c
}

func pick[T any](r *rand.Rand, from []T) T { return from[r.IntN(len(from))] }

func facts(r *rand.Rand) []catalog.Fact {
	kind, gb, bus := memory(r)
	rate := 2 + float64(r.IntN(3000))/100
	cores, boost := float64(128*(1+r.IntN(160))), float64(900+r.IntN(2000))
	fp32 := 2 * cores * boost / 1e6
	fp16 := fp32 * float64(int(2)<<r.IntN(4))
	out := []catalog.Fact{
		number("memory_gb", gb), number("memory_bus_bits", bus),
		number("memory_data_rate_gbps", rate), number("memory_bandwidth_gb_s", bus*rate/8),
		number("shader_cores", cores), number("boost_clock_mhz", boost), number("fp32_vector_tflops", fp32),
		number("fp16_matrix_dense_tflops", fp16), number("fp16_matrix_sparse_tflops", 2*fp16),
		number("bf16_matrix_dense_tflops", fp16), number("bf16_matrix_sparse_tflops", 2*fp16),
		number("int8_matrix_dense_tops", 2*fp16), number("tdp_w", float64(70+r.IntN(930))),
		number("pcie_generation", float64(3+r.IntN(3))), number("pcie_lanes", 16),
		number("die_mm2", float64(100+r.IntN(700))),
		attribute("memory_type", kind), attribute("form_factor", pick(r, formFactors)),
		attribute("launched", fmt.Sprintf("20%02d-%02d", 10+r.IntN(16), 1+r.IntN(12))), attribute("bf16", "true"),
	}
	if r.IntN(3) == 0 {
		out = append(out, number("interconnect_gb_s", float64(100*(1+r.IntN(18)))))
	}
	if r.IntN(4) == 0 {
		other := number("fp32_vector_tflops", fp32*1.1)
		other.Source = "synthetic-whitepaper"
		out = append(out, other)
	}
	return out
}

func number(q string, v float64) catalog.Fact {
	return catalog.Fact{Quantity: q, Number: v, Source: "synthetic-datasheet"}
}

func attribute(q, v string) catalog.Fact {
	return catalog.Fact{Quantity: q, Text: v, Source: "synthetic-datasheet"}
}
