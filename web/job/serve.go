package job

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"tianti/catalog"
	"tianti/sizing"
	"tianti/web/api"
	"tianti/web/site"
)

// serveNames are the parameters of a job that plans of a service take as well, with the names that they have there.
var serveNames = map[string]string{"model": "model", "weights": "weights", "kv_cache": "kv_cache",
	"framework": "engine",
	"batch":     "concurrency", "prompt": "prompt", "cards": "max_cards", "currency": "currency", "acquire": "acquire",
	"buy_price": "buy_price", "rent_price": "rent_price", "tariff": "tariff", "pue": "pue", "years": "years",
	"residual": "residual", "utilisation": "utilisation", "vendor": "vendor", "segment": "segment", "card": "card",
	"destination": "destination", "as_of": "as_of"}

// ServeValues are the parameters of a service that are those of a job: of its sequence, what is not prompt is output.
func ServeValues(asked url.Values) url.Values {
	out := url.Values{}
	for name, there := range serveNames {
		if given := slices.DeleteFunc(slices.Clone(asked[name]),
			func(s string) bool { return s == "" }); len(given) > 0 {
			out[there] = given
		}
	}
	context, err := catalog.ReadTokens(asked.Get("context"))
	prompt, bad := catalog.ReadTokens(asked.Get("prompt"))
	if bad != nil {
		prompt = float64(int(context / 2))
	}
	if err == nil && context >= 2 && context <= 1e6 && prompt > 0 && prompt < context {
		out.Set("prompt", strconv.FormatFloat(prompt, 'f', -1, 64))
		out.Set("output", strconv.FormatFloat(context-prompt, 'f', -1, 64))
	}
	return out
}

// NotServed refuses the task serve and names the address that answers it.
func NotServed(values url.Values, path string) error {
	if !strings.EqualFold(strings.TrimSpace(values.Get("task")), string(sizing.Serve)) {
		return nil
	}
	var tasks []string
	for _, t := range sizing.Tasks {
		if t != sizing.Serve {
			tasks = append(tasks, string(t))
		}
	}
	if query := ServeValues(values).Encode(); query != "" {
		path += "?" + query
	}
	return api.BadParams([]catalog.ParamError{{Param: "task", Value: string(sizing.Serve), Code: catalog.UnknownValue,
		Allowed: catalog.Listed(tasks...), Nearest: []string{path}}})
}

// ServedElsewhere are routes that lead, with the task serve, to the plans of services.
func ServedElsewhere(s *site.Site, routes []site.Route) []site.Route {
	for i := range routes {
		routes[i].Serve = serving(s.PageOf(routes[i].Page, routes[i].Cost))
	}
	return routes
}

// serving leads from a page of jobs with the task serve to the plans of services, with what was asked; next answers
// every other address.
func serving(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		values := r.URL.Query()
		if len(r.URL.RawQuery) > site.MaxQuery || len(values["task"]) != 1 ||
			!strings.EqualFold(values.Get("task"), string(sizing.Serve)) {
			next(w, r)
			return
		}
		to := url.URL{Path: strings.Replace(r.URL.Path, "/recommend", "/serve", 1)}
		if query := ServeValues(values); len(query) > 0 {
			if to.Path != "/serve" && to.Path != "/zh/serve" {
				query.Del("card")
			}
			to.RawQuery = query.Encode()
		}
		http.Redirect(w, r, to.String(), http.StatusSeeOther)
	}
}
