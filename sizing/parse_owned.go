package sizing

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"tianti/catalog"
)

// severalOf is a number before a name, as people write it: "4x3090", "4 × RTX 3090", "8张 A100".
var severalOf = regexp.MustCompile(`^([0-9]{1,4})\s*(?:[xX×*]\s*|[张块片]\s*)(\S.*)$`)

// ownedParts are the name and the number of an entry: "id", "id:4" or "4 × name".
func ownedParts(entry string) (name, count string, counted bool) {
	if m := severalOf.FindStringSubmatch(entry); m != nil && !strings.Contains(entry, ":") {
		return m[2], m[1], true
	}
	return strings.Cut(entry, ":")
}

// ownedCards reads what somebody has: entries parted by commas, or as one machine is written, "4090 + 2x3090".
func (p *parser) ownedCards(v string) {
	entries := strings.Split(v, ",")
	if len(entries) > maxListEntries {
		p.fail(catalog.ParamError{Param: "own", Code: catalog.TooMany, Allowed: strconv.Itoa(maxListEntries)})
		return
	}
	for _, entry := range entries {
		if len(p.errs) >= catalog.MostErrors {
			return
		}
		if strings.TrimSpace(entry) == "" {
			continue
		}
		for _, o := range p.machine(entry) {
			p.owned = joined(p.owned, o)
			i := slices.IndexFunc(p.owned, func(x Owned) bool { return x.Card == o.Card })
			p.owned[i].Count = min(MaxCards, p.owned[i].Count)
		}
	}
}
