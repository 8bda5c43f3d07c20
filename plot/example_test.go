package plot_test

import (
	"fmt"

	"tianti/catalog"
	"tianti/plot"
)

// The front is the cards that no other is at least as good as in both quantities and
// better in one.
func ExampleNew() {
	d := catalog.Dataset{ID: "example", Sources: []catalog.Source{{ID: "sheet", Kind: "datasheet"}}}
	for _, c := range []struct {
		name          string
		power, memory float64 // W, GB
	}{{"Small", 75, 16}, {"Middle", 200, 24}, {"Hot", 300, 16}, {"Large", 350, 80}} {
		d.Cards = append(d.Cards, catalog.Card{ID: c.name, Name: c.name, Vendor: "Acme", Facts: []catalog.Fact{
			{
				Quantity: "tdp_w",
				Number:   c.power,
				Source:   "sheet",
			}, {Quantity: "memory_gb", Number: c.memory, Source: "sheet"}}})
	}
	s := catalog.NewSnapshot(1, d)
	power, _ := catalog.LookupQuantity("tdp_w")
	memory, _ := catalog.LookupQuantity("memory_gb")
	p := plot.New(
		s,
		[]int{0, 1, 2, 3},
		plot.Axis{Quantity: power, Better: plot.Lower},
		plot.Axis{Quantity: memory, Better: plot.Higher},
		plot.ByVendor,
	)
	for _, point := range p.Points {
		fmt.Printf("%s: %.0f W, %.0f GB, on the front: %v", s.Card(point.Row).Name, point.X, point.Y, point.Front)
		for _, better := range point.By {
			fmt.Print(", worse than ", s.Card(p.Points[better].Row).Name)
		}
		fmt.Println()
	}
	// Output:
	// Small: 75 W, 16 GB, on the front: true
	// Middle: 200 W, 24 GB, on the front: true
	// Hot: 300 W, 16 GB, on the front: false, worse than Middle, worse than Small
	// Large: 350 W, 80 GB, on the front: true
}

// Below the ridge a card waits for its memory, above it for its units.
func ExampleRoof() {
	bf16, _ := plot.LookupPrecision("bf16")
	roof := plot.Roof{Precision: bf16, Peak: 1000, Bandwidth: 4000} // TFLOPS, GB/s
	fmt.Printf("ridge: %.0f operations a byte\n", roof.Ridge())
	for _, work := range plot.Works {
		intensity := work.Intensity(bf16)
		fmt.Printf("%s: %.0f operations a byte, up to %.0f TFLOPS\n", work.ID, intensity, roof.At(intensity))
	}
	// Output:
	// ridge: 250 operations a byte
	// decode1: 1 operations a byte, up to 4 TFLOPS
	// decode32: 32 operations a byte, up to 128 TFLOPS
	// prefill: 1215 operations a byte, up to 1000 TFLOPS
	// training: 2188 operations a byte, up to 1000 TFLOPS
}
