package catalog

// Shown is the fact behind the shown value of a quantity of card i; false where no
// source gives one, and for what is derived.
func (s *Snapshot) Shown(q *Quantity, i int) (Value, bool) {
	for _, f := range s.facts[i] {
		if int(f.quantity) == q.index && f.superseded == 0 {
			return s.value(f), true
		}
	}
	return Value{}, false
}
