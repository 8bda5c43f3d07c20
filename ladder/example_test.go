package ladder_test

import (
	"fmt"

	"tianti/ladder"
)

// Cards stand in bands of one ratio around a reference. Values that differ by 5 % at most
// share their ranks, and a card without a value is listed apart with the reason.
func ExampleMake() {
	cards := []ladder.Entry{
		{ID: "large", Value: 400}, {ID: "middle", Value: 104}, {ID: "usual", Value: 100}, {ID: "small", Value: 30},
		{ID: "unknown", Reason: ladder.NotStated},
	}
	l := ladder.Make(cards, ladder.Options{Step: 2, Reference: cards[2]})
	for i := range l.Bands {
		band := &l.Bands[i]
		fmt.Printf("tier %d: %.0f up to %.0f\n", band.Number, band.From, band.To)
		for _, place := range l.Of(band) {
			fmt.Printf("  %s: %.0f %%, rank %d to %d\n", place.ID, 100*place.Ratio, place.From, place.To)
		}
	}
	for _, card := range l.Unplaced {
		fmt.Println(card.ID, card.Reason)
	}
	// Output:
	// tier 1: 283 up to 566
	//   large: 400 %, rank 1 to 1
	// tier 2: 141 up to 283
	// tier 3: 71 up to 141
	//   middle: 104 %, rank 2 to 3
	//   usual: 100 %, rank 2 to 3
	// tier 4: 35 up to 71
	// tier 5: 18 up to 35
	//   small: 30 %, rank 4 to 4
	// unknown not_stated
}

// A basis is one quantity of the catalogue, or the speed of one job.
func ExampleFind() {
	basis, _ := ladder.Find("memory_read_ms")
	fmt.Println(basis.Label.En, basis.Unit, "less is better:", basis.Lower)

	_, err := ladder.Find("memory_gb,tdp_w") // values of two bases have no order
	fmt.Println(err)
	// Output:
	// Time to read all memory ms less is better: true
	// mixed_bases: basis=memory_gb,tdp_w; nearest: memory_gb, tdp_w
}
