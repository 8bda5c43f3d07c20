package web

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"

	"tianti/advisor"
	"tianti/catalog"
	"tianti/exportcontrol"
	"tianti/web/api"
)

// sizing is what answers questions of sizing. A server that has no data for it does
// not have the pages either.
func (s *Server) sizing(st *state) (*advisor.Advisor, error) {
	if s.cfg.Advise == nil {
		return nil, api.NewProblem(http.StatusNotFound, "This server has no data for sizing.")
	}
	return st.advisor()
}

// without are the parameters but some.
func without(values url.Values, names ...string) url.Values {
	out := url.Values{}
	for name, given := range values {
		if !slices.Contains(names, name) {
			out[name] = given
		}
	}
	return out
}

// limitOf reads a limit of a list.
func limitOf(values url.Values, standard int) (int, []catalog.ParamError) {
	text := strings.TrimSpace(values.Get("limit"))
	if text == "" {
		return standard, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > 1000 || len(values["limit"]) > 1 {
		return standard, []catalog.ParamError{{Param: "limit", Value: catalog.Clip(text), Code: catalog.BadLimit, Allowed: "1 … 1000"}}
	}
	return n, nil
}

// recommendLimit is how many options an answer holds when it names no limit.
const recommendLimit = 20

func (s *Server) apiRecommend(st *state, r *request) (plan, error) {
	adv, err := s.sizing(st)
	if err != nil {
		return plan{}, err
	}
	limit, limitErrs := limitOf(r.values, recommendLimit)
	asked, errs := adv.ParseRequest(without(r.values, "limit"))
	if p := sizingProblem(errs, limitErrs); p != nil {
		return plan{}, p
	}
	asked.Today = catalog.Date(s.today())
	bad := s.admit(st, &asked)
	if len(bad) > 0 {
		return plan{}, api.BadParams(bad)
	}
	key := r.URL.Path + "?" + adv.Values(advisor.ForRecommend, asked).Encode() + "&limit=" + strconv.Itoa(limit)
	pl, err := body(key, func() any {
		a := adv.Recommend(asked, adv.Cards)
		return api.Recommend(st.snap, &a, limit)
	})
	pl.dated = true // prices age
	return pl, err
}

// sizingProblem is the 400 for everything that is wrong, or nil.
func sizingProblem(errs []advisor.ParamError, others []catalog.ParamError) error {
	switch {
	case len(errs) > 0 && len(others) > 0:
		p, more := api.BadSizing(errs), api.BadParams(others)
		p.Params, p.Errors, p.Detail = append(p.Params, more.Params...), append(p.Errors, more.Errors...), p.Detail+" "+more.Detail
		return p
	case len(errs) > 0:
		return api.BadSizing(errs)
	case len(others) > 0:
		return api.BadParams(others)
	}
	return nil
}

// admit lets a request leave out cards that need a licence for its destination,
// with the verdict as the reason; those of which nothing is known stay in.
func (s *Server) admit(st *state, asked *advisor.Request) (errs []catalog.ParamError) {
	if asked.Destination == "" {
		if asked.AsOf != "" {
			errs = append(errs, catalog.ParamError{Param: "destination", Code: catalog.Missing})
		}
		return errs
	}
	values := url.Values{"destination": {asked.Destination}}
	if asked.AsOf != "" {
		values.Set("as_of", asked.AsOf)
	}
	q, errs := s.question(values)
	if len(errs) > 0 {
		return errs
	}
	asked.Destination = q.Destination
	verdicts := sync.OnceValue(func() map[string]exportcontrol.Status {
		out := make(map[string]exportcontrol.Status, st.snap.Len())
		for _, e := range exportcontrol.EvaluateAll(st.snap, q) {
			out[st.snap.Card(e.Row).ID] = e.Verdict
		}
		return out
	})
	asked.Admit = func(c *advisor.Card) (bool, string) {
		v, ok := verdicts()[c.ID]
		if !ok {
			v = exportcontrol.Unknown
		}
		return v == exportcontrol.NotControlled || v == exportcontrol.Unknown, string(v)
	}
	return nil
}

func (s *Server) apiEstimate(st *state, r *request) (plan, error) {
	adv, err := s.sizing(st)
	if err != nil {
		return plan{}, err
	}
	asked, errs := adv.ParseEstimate(r.values)
	if len(errs) > 0 {
		return plan{}, api.BadSizing(errs)
	}
	asked.Today = catalog.Date(s.today())
	card := adv.Card(asked.Cards[0])
	pl, err := body(r.URL.Path+"?"+adv.Values(advisor.ForEstimate, asked).Encode(), func() any {
		e := adv.Estimate(asked.Workload, card, asked)
		return api.Estimate(st.snap, &e)
	})
	pl.dated = true // prices age
	return pl, err
}

func (s *Server) apiModels(st *state, r *request) (plan, error) {
	adv, err := s.sizing(st)
	if err != nil {
		return plan{}, err
	}
	limit, errs := limitOf(r.values, api.DefaultLimit)
	q := api.ModelQuery{Text: strings.TrimSpace(r.values.Get("q")), Limit: limit}
	if len(q.Text) > 200 {
		errs = append(errs, catalog.ParamError{Param: "q", Code: catalog.TooLong, Allowed: "≤ 200"})
	}
	var families []string
	for i := range adv.Models.All {
		if f := adv.Models.All[i].Family; f != "" && !slices.Contains(families, f) {
			families = append(families, f)
		}
	}
	for _, p := range []struct {
		name  string
		field *string
		known []string
	}{{"family", &q.Family, families}, {"kind", &q.Kind, api.ModelKinds}} {
		v := strings.TrimSpace(r.values.Get(p.name))
		if v == "" {
			continue
		}
		at := slices.IndexFunc(p.known, func(k string) bool { return strings.EqualFold(k, v) })
		if at < 0 {
			errs = append(errs, catalog.ParamError{Param: p.name, Value: catalog.Clip(v), Code: catalog.UnknownValue, Nearest: catalog.Nearest(v, p.known, 3)})
			continue
		}
		*p.field = p.known[at]
	}
	if v := r.values.Get("cursor"); v != "" {
		from, ok := readCursor(v)
		if !ok || from > len(adv.Models.All) {
			errs = append(errs, catalog.ParamError{Param: "cursor", Value: catalog.Clip(v), Code: catalog.BadCursor})
		}
		q.From = from
	}
	if len(errs) > 0 {
		return plan{}, api.BadParams(errs)
	}
	address := func(from int) string {
		v := url.Values{}
		for name, value := range map[string]string{"q": q.Text, "family": q.Family, "kind": q.Kind} {
			if value != "" {
				v.Set(name, value)
			}
		}
		if limit != api.DefaultLimit {
			v.Set("limit", strconv.Itoa(limit))
		}
		if from > 0 {
			v.Set("cursor", writeCursor(from))
		}
		if len(v) == 0 {
			return r.URL.Path
		}
		return r.URL.Path + "?" + v.Encode()
	}
	return plan{key: address(q.From), render: func() (answer, error) {
		list := api.Models(st.snap, adv.Models, q, address)
		a, err := jsonAnswer(list)
		if list.Next != nil {
			a.link = nextLink(*list.Next)
		}
		return a, err
	}}, nil
}

const cursorMark = "models:"

func writeCursor(from int) string {
	return base64.RawURLEncoding.EncodeToString([]byte(cursorMark + strconv.Itoa(from)))
}

func readCursor(s string) (int, bool) {
	raw, err := base64.RawURLEncoding.DecodeString(s)
	text, ok := strings.CutPrefix(string(raw), cursorMark)
	n, bad := strconv.Atoi(text)
	return n, err == nil && ok && bad == nil && n >= 0
}
