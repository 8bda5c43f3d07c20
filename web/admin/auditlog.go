package admin

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"tianti/audit"
	"tianti/catalog"
	"tianti/locale"
	"tianti/web/api"
	"tianti/web/site"
	"tianti/web/ui"
)

// entriesAtOnce is how many lines of the record a page has.
const entriesAtOnce = 100

// logActions are the beginnings of actions that the record can be narrowed to.
var auditActions = []string{"import", "draft", "dataset", "refresh", "account", "token", "run", "webhook"}

// changesLog answers GET /admin/log.
func (h *Handler) auditLog(w http.ResponseWriter, r *site.Request) error {
	st := h.site.State.Load()
	if err := r.Only("q", "action", "page"); err != nil {
		return err
	}
	page, err := pageNumber(r)
	if err != nil {
		return err
	}
	kind, _, _ := strings.Cut(r.Values.Get("action"), ".")
	if kind != "" && !slices.Contains(auditActions, kind) {
		return api.BadParams([]catalog.ParamError{catalog.Unknown("action", r.Values.Get("action"), auditActions)})
	}
	q := audit.Query{Text: r.Values.Get("q"), Action: r.Values.Get("action"), From: (page - 1) * entriesAtOnce,
		N: entriesAtOnce}
	entries, total, err := h.store.Entries(r.Context(), q)
	if err != nil {
		return err
	}
	l := r.Loc
	v := auditLogData{Layout: h.session.AdminLayout(r, st, l.T("log.title")), Crumbs: adminCrumbs(l),
		Action: l.Path("/admin/log"), Text: q.Text, Total: l.T("log.total", total),
		Kinds: []ui.Option{option("", l.T("log.all"), q.Action)}, Exports: auditExports(q)}
	for _, a := range auditActions {
		v.Kinds = append(v.Kinds, option(a, l.T("log.actions."+a+".any"), q.Action))
	}
	for i := range entries {
		v.Rows = append(v.Rows, auditRow(l, &entries[i]))
	}
	v.Pager = adminPager(l, page, total, entriesAtOnce, func(n int) string {
		values := auditParams(q)
		values.Set("page", strconv.Itoa(n))
		return v.Action + "?" + values.Encode()
	})
	return h.session.Show(w, r, http.StatusOK, v.Page())
}

// pageNumber is which page of a list is asked for.
func pageNumber(r *site.Request) (int, error) {
	page, err := strconv.Atoi(cmp.Or(r.Values.Get("page"), "1"))
	if err != nil || page < 1 || page > 1_000_000 {
		return 0, api.BadParams([]catalog.ParamError{{Param: "page", Value: catalog.Clip(r.Values.Get("page")),
			Code: catalog.BadNumber, Allowed: "1–1000000"}})
	}
	return page, nil
}

// pageOf is where a page of a list begins and ends.
func pageOf(list, atOnce, page int) (from, to int) {
	from = min((page-1)*atOnce, list)
	return from, min(from+atOnce, list)
}

func auditRow(l *locale.Locale, e *audit.Entry) auditEntry {
	row := auditEntry{When: clock(e.At), Who: e.Actor.Name, Channel: l.T("log.via." + string(e.Actor.Channel)),
		What: e.Action, Subject: e.Subject}
	if key := "log.actions." + e.Action; l.Has(key) { // else the code says it
		row.Did = l.T(key)
	}
	if e.Actor.Address != "" {
		row.Channel += " " + e.Actor.Address
	}
	for _, name := range slices.SortedFunc(maps.Keys(e.Detail), func(a, b string) int {
		return cmp.Or(cmp.Compare(auditFieldOrder(a), auditFieldOrder(b)), cmp.Compare(a, b))
	}) {
		f := auditField{Name: name}
		if key := "log.fields." + name; l.Has(key) {
			f.Name = l.T(key)
		}
		switch v := e.Detail[name].(type) {
		case string:
			f.Value = v
			if key := auditValueTexts[name] + v; l.Has(key) {
				f.Value = l.T(key)
			}
		case float64: // it came from JSON
			counted := slices.Contains(auditCounts, name)
			switch {
			case v == 0 && (counted || name == "before"): // there was none
			case counted:
				f.Value = l.Number(v)
			default: // it names a revision, draft or token
				f.Value = strconv.FormatFloat(v, 'f', -1, 64)
			}
		case bool:
			f.Value = l.T("log.is." + strconv.FormatBool(v))
		case []any:
			var parts []string
			for _, x := range v {
				parts = append(parts, fmt.Sprint(x))
			}
			f.Value = strings.Join(parts, l.T("list.separator"))
		default:
			text, _ := json.Marshal(v)
			f.Value = string(text)
		}
		if f.Value != "" {
			row.Fields = append(row.Fields, f)
		}
	}
	return row
}

// logFields are the fields of entries in an order to read them in; others follow.
var auditFields = []string{"file", "format", "revision", "before", "from", "to", "cards", "figures", "prices", "rates",
	"note", "name", "scope", "role", "dataset", "why", "detail", "reason", "path"}

// logCounts are the fields that count something.
var auditCounts = []string{"cards", "figures", "prices", "rates", "skipped"}

// logWords are the messages of the values of fields.
var auditValueTexts = map[string]string{"role": "account.role.", "scope": "tokens.is.", "why": "feeds.why.",
	"reason": "log.reasons."}

func auditFieldOrder(field string) int {
	if i := slices.Index(auditFields, field); i >= 0 {
		return i
	}
	return len(auditFields)
}

func auditParams(q audit.Query) url.Values {
	values := url.Values{}
	if q.Text != "" {
		values.Set("q", q.Text)
	}
	if q.Action != "" {
		values.Set("action", q.Action)
	}
	return values
}

// logExports are the whole record for programs.
func auditExports(q audit.Query) []ui.Link {
	query := auditParams(q).Encode()
	if query != "" {
		query = "?" + query
	}
	return []ui.Link{{Label: "CSV", Href: "/api/v1/log.csv" + query}, {Label: "JSON", Href: "/api/v1/log" + query}}
}
