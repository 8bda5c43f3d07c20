package catalog

import "cmp"

// Preferred returns the index of the fact that is shown among those that one
// dataset holds of one quantity of one card, and -1 when there is none to show.
// A superseded fact is never shown, and a weak one (from before the launch, of the
// full die, an estimate) only where there is no firm one. Of the others the best kind of source wins,
// then the latest publication (a source without a date counts as the oldest, and
// one known to the year as older than one known to a month of that year), then
// the first in the order of the file. A source that sources lacks is the least
// trusted.
func Preferred(facts []Fact, sources map[string]*Source) int {
	best := -1
	for i := range facts {
		if !facts[i].Superseded.IsZero() {
			continue
		}
		if best < 0 {
			best = i
			continue
		}
		a, b := sources[facts[i].Source], sources[facts[best].Source]
		weak := StandingOf(&facts[i], a).Weakness() - StandingOf(&facts[best], b).Weakness()
		if weak < 0 || weak == 0 && better(a, b) {
			best = i
		}
	}
	return best
}

// better reports whether a is to be believed before b.
func better(a, b *Source) bool {
	if a == nil || b == nil {
		return a != nil
	}
	return compareTrust(a, b) < 0
}

// compareTrust orders sources by what is to be believed first: the better kind,
// then the later publication. As strings, "" < "2022" < "2022-03" < "2022-03-22"
// < "2023".
func compareTrust(a, b *Source) int {
	return cmp.Or(cmp.Compare(a.Kind.Trust(), b.Kind.Trust()), cmp.Compare(b.Published, a.Published))
}
