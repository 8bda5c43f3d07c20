package site

import (
	"net/http"

	"tianti/web/api"
)

// An Operation is one of the API, with what answers it: Handle, or Serve for a stream
// and for what is private to those who ask.
type Operation struct {
	api.Operation
	Handle Handler
	Cost   Cost // of Handle
	Serve  http.HandlerFunc
}

// Described is what the document of the API says of operations.
func Described(operations []Operation) []api.Operation {
	out := make([]api.Operation, len(operations))
	for i, o := range operations {
		out[i] = o.Operation
	}
	return out
}

// Answering is what answers an operation of the API.
func (s *Site) Answering(o Operation) http.HandlerFunc {
	if o.Serve != nil {
		return o.Serve
	}
	return s.PageOf(strict(o.Operation, o.Handle), o.Cost)
}

// strict refuses parameters that the operation does not document. An operation
// with filters reads its parameters itself.
func strict(o api.Operation, h Handler) Handler {
	return func(st *State, r *Request) (Plan, error) {
		if o.Filters || hasMany(o) {
			return h(st, r)
		}
		if err := r.Only(o.QueryParams()...); err != nil {
			return Plan{}, err
		}
		return h(st, r)
	}
}

func hasMany(o api.Operation) bool {
	for _, p := range o.Params {
		if p.Many {
			return true
		}
	}
	return false
}

// Body is the plan of an answer that is encoded by encoding/json.
func Body(key string, v func() any) (Plan, error) {
	return Plan{Key: key, Render: func() (Answer, error) { return JSONAnswer(v()) }}, nil
}

// Deprecated is a plan whose answer says that the address has a parameter that is no longer to be used, and since when.
func Deprecated(p Plan, since string) Plan {
	render := p.Render
	if render == nil {
		return p
	}
	p.Key += " deprecated"
	p.Render = func() (Answer, error) {
		a, err := render()
		a.Deprecation = since
		return a, err
	}
	return p
}
