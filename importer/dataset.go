package importer

import (
	"fmt"

	"tianti/catalog"
)

// Datasets that the program itself makes.
const (
	Builtin = "builtin"     // embedded in the program
	Local   = catalog.Local // corrections made here
)

// Ranks of datasets: the higher one's figures are shown.
const (
	NewRank     = 50  // default of a new dataset: it fills gaps
	WholeRank   = 150 // of an export of a whole catalogue: it goes before the built-in data that it was made of
	BuiltinRank = catalog.BuiltinRank
	LocalRank   = 200
	MaxRank     = 1000 // and its negative
)

// A TooLargeError is a file beyond the limit of a server.
type TooLargeError struct{ Most int64 } // bytes

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("the file is larger than %d bytes", e.Most)
}

// MaxBytes is the largest file that is taken, as it is handed in.
func (in *Importer) MaxBytes() int64 {
	if in.cfg.MaxBytes == 0 {
		return 1 << 30
	}
	return in.cfg.MaxBytes
}

// NewPrices is how many prices an import adds.
func (s *Summary) NewPrices() int {
	n := 0
	for _, k := range catalog.PriceKinds() {
		n += s.Prices[k].Added
	}
	return n
}
