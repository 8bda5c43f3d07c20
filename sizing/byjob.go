package sizing

// A byJob keeps a value for each of many jobs. A job is found by what jobs that are worked out together mostly differ
// in, and then compared as a whole: to hash all of it, as a map with jobs for keys does, takes five times as long.
type byJob[V any] struct{ of map[jobKey][]jobValue[V] }

type jobKey struct {
	model                                      *Model
	cards, batch, context, stage, data, tensor int
}

type jobValue[V any] struct {
	job   Workload
	value V
}

func keyOf(w *Workload) jobKey {
	s := &w.Sharding
	return jobKey{w.Model, w.Cards, w.Batch, w.Context, s.Stage, s.Data, s.Tensor}
}

func (b *byJob[V]) get(w *Workload) (v V, ok bool) {
	list := b.of[keyOf(w)]
	for i := range list {
		if list[i].job == *w {
			return list[i].value, true
		}
	}
	return v, false
}

// put sets the value of a job that has none yet.
func (b *byJob[V]) put(w *Workload, v V) {
	if b.of == nil {
		b.of = map[jobKey][]jobValue[V]{}
	}
	k := keyOf(w)
	b.of[k] = append(b.of[k], jobValue[V]{*w, v})
}
