package prices

import (
	"regexp"
	"strconv"

	"tianti/catalog"
)

// Offers of one card of a larger node: their notes say of which ("per card of an 8-card instance", "the whole machine
// of 8 is rented"), or the name of the instance does ("8x H100 SXM").
var (
	nodeInNote = regexp.MustCompile(`\b([0-9]{1,4})-card (?:instance|node)|\b(?:machine|metal) of ([0-9]{1,4})\b`)
	nodeInName = regexp.MustCompile(`^([0-9]{1,4})x `)
)

// node is how many cards the node of an offer holds: those that its price is for, or of which one is priced.
func node(q *catalog.Quote) int {
	if q.Cards > 1 {
		return q.Cards
	}
	found := nodeInNote.FindStringSubmatch(q.Note.En)
	if found == nil {
		found = nodeInName.FindStringSubmatch(q.Instance)
	}
	for _, text := range found[min(1, len(found)):] {
		if n, err := strconv.Atoi(text); err == nil && n > 0 {
			return n
		}
	}
	return 1
}
