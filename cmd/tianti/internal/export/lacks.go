package export

import (
	"fmt"
	"strings"

	"tianti/catalog"
)

// Lacks says what parts of a dataset are missing in its table of cards, prices or rates; "" when it is complete.
func Lacks(d *catalog.Dataset, table string) string {
	facts, names := 0, 0
	for i := range d.Cards {
		facts += len(d.Cards[i].Facts)
		names += len(d.Cards[i].Aliases) + len(d.Cards[i].PCIIDs)
	}
	notes := d.Annotations.Len()
	var lacks []string
	add := func(n int, what string) {
		if n > 0 {
			lacks = append(lacks, fmt.Sprintf(what, n))
		}
	}
	if table == "cards" {
		add(facts, "the sources and notes of %d figures, of which it has those shown")
		add(names, "%d aliases and PCI ids")
	} else {
		add(len(d.Cards), "%d cards")
		add(facts, "%d figures")
	}
	if table != "prices" {
		add(len(d.Prices), "%d prices")
	}
	if table != "rates" {
		add(len(d.Rates), "%d exchange rates")
	}
	add(notes, "%d annotations")
	if len(lacks) == 0 {
		return ""
	}
	return "Not in this table: " + strings.Join(lacks, ", ") + ". --format yaml or json holds everything."
}
