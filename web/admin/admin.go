package admin

import (
	"net/http"
	"slices"

	"tianti/account"
	"tianti/locale"
	"tianti/web/session"
	"tianti/web/site"
	"tianti/web/ui"
)

// form answers everybody, at addresses by which people are let in.
func (s *Handler) form(h session.AdminPage) http.HandlerFunc {
	return func(w http.ResponseWriter, httpReq *http.Request) {
		site.NoteRoute(w, httpReq)
		w.Header()["Cache-Control"] = site.NoStore
		r := site.NewRequest(httpReq)
		err := r.Parse()
		if err == nil {
			err = h(w, r)
		}
		if err != nil {
			s.site.Fail(w, r, nil, err)
		}
	}
}

func readOnly(http.ResponseWriter, *site.Request) error { return site.ErrReadOnly }

// goTo sends the browser to a page after a form was done; done names what was.
func (h *Handler) goTo(w http.ResponseWriter, r *site.Request, path, done string) error {
	to := r.Loc.Path(path)
	if done != "" {
		to += "?" + site.ParamsEncoded("done", done)
	}
	w.Header()["Cache-Control"] = site.NoStore
	http.Redirect(w, r.Request, to, http.StatusSeeOther)
	return nil
}

// doneText says what has just been done, when the address names one of some things; texts is what the keys of their
// messages begin with.
func doneText(r *site.Request, texts string, known ...string) (string, error) {
	if err := r.Only("done"); err != nil {
		return "", err
	}
	done := r.Values.Get("done")
	if !slices.Contains(known, done) {
		return "", nil // the page is the same without it
	}
	return r.Loc.T(texts + done), nil
}

// adminCrumbs lead back to the start page.
func adminCrumbs(l *locale.Locale) []ui.Link {
	return []ui.Link{{Label: l.T("admin.title"), Href: l.Path("/admin")}}
}

func roleText(l *locale.Locale, role account.Role) string { return l.T("account.role." + string(role)) }

// adminHome answers /admin.
func (h *Handler) adminHome(w http.ResponseWriter, r *site.Request) error {
	if err := r.Only(); err != nil {
		return err
	}
	l, a := r.Loc, session.Account(r.Context())
	p := adminHome{Layout: h.session.AdminLayout(r, h.site.State.Load(), l.T("admin.title")), Name: a.Name,
		Role: roleText(l, a.Role), SignOut: l.Path("/admin/sign-out")}
	section := func(path, title, note string) {
		p.Sections = append(p.Sections, ui.Link{Label: l.T(title), Href: l.Path(path), Note: l.T(note)})
	}
	if h.site.ReadOnly {
		p.Note = l.T("admin.readonly")
		return h.session.Show(w, r, http.StatusOK, p.Page())
	}
	if a.Role == account.Administrator {
		section("/admin/import", "import.title", "admin.importnote")
		section("/admin/datasets", "datasets.title", "admin.datasetsnote")
		if h.site.Runs {
			section("/admin/runs", "runs.title", "admin.runsnote")
		}
		if h.site.Webhooks {
			section("/admin/webhooks", "webhooks.title", "admin.webhooksnote")
		}
		section("/admin/log", "log.title", "admin.lognote")
		section("/admin/accounts", "accounts.title", "admin.accountsnote")
	} else {
		p.Note = l.T("admin.mayread")
	}
	section("/admin/tokens", "tokens.title", "admin.tokensnote")
	section("/admin/account", "account.title", "admin.accountnote")
	return h.session.Show(w, r, http.StatusOK, p.Page())
}
