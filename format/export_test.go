package format

import "slices"

// Hide makes a matcher forget what sources say of a name, and returns what makes it know again.
func (m *Matcher) Hide(provider, name string) (restore func()) {
	all := *m.known
	defer clear(m.seen)
	m.known = &instances{byName: map[string][]listing{}, byFamily: all.byFamily}
	for _, f := range familiesOf(provider, name) {
		had := all.byFamily[f]
		all.byFamily[f] = slices.DeleteFunc(slices.Clone(had), func(l listing) bool { return l.name == name })
		inner := restore
		restore = func() {
			all.byFamily[f] = had
			if inner != nil {
				inner()
			}
		}
	}
	inner := restore
	return func() {
		if inner != nil {
			inner()
		}
		m.known = &all
		clear(m.seen)
	}
}

// CloudOf is the provider of a seller; Providers are all of them.
var CloudOf = cloudOf

func Providers() []string {
	var all []string
	for _, c := range clouds {
		all = append(all, c.provider)
	}
	return all
}
