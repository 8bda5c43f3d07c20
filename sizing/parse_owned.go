package sizing

import (
	"fmt"
	"math"
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

func (p *parser) ownedCards(v string) {
	entries := strings.Split(v, ",")
	if len(entries) > maxListEntries {
		p.fail(catalog.ParamError{Param: "own", Code: catalog.TooMany, Allowed: strconv.Itoa(maxListEntries)})
		return
	}
	for _, entry := range entries {
		id, count, counted := ownedParts(strings.TrimSpace(entry))
		n := 1
		if counted {
			v, err := catalog.ReadNumber(count, "张")
			if n = int(v); err != nil || v != math.Trunc(v) || v < 1 || v > maxCards {
				p.fail(catalog.ParamError{Param: "own", Value: entry, Code: catalog.OutOfRange,
					Allowed: fmt.Sprintf("1 … %d", maxCards)})
				continue
			}
		}
		if id == "" {
			continue
		}
		if len(p.errs) >= catalog.MostErrors {
			return
		}
		c, e := p.a.CardNamed("own", id)
		if e != nil {
			p.fail(*e)
			continue
		}
		if had := slices.IndexFunc(p.owned, func(o Owned) bool { return o.Card == c }); had >= 0 {
			p.owned[had].Count = min(maxCards, p.owned[had].Count+n)
			continue
		}
		p.owned = append(p.owned, Owned{c, n})
	}
}
