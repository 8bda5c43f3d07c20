package session

import (
	"tianti/locale"
	"tianti/web/ui"
	"tianti/web/ui/uitest"
)

func sampleSignIn(l *locale.Locale) signIn {
	p := signIn{
		Layout: uitest.Layout(l, ui.NavNone, l.T("signin.title"), "/admin/sign-in"), Action: l.Path("/admin/sign-in"),
		Next: l.Path("/admin/accounts"), Problem: l.T("signin.wrong"),
		Fields: []ui.FormField{
			{ID: "name", Label: l.T("signin.name"), Type: "text", Value: `<anna> "a"`, Autocomplete: "username"},
			{ID: "password", Label: l.T("signin.password"), Type: "password", Autocomplete: "current-password"},
		},
	}
	p.Administered = true
	return p
}

func sampleNobody(l *locale.Locale) signIn {
	p := sampleSignIn(l)
	p.Nobody = true
	return p
}

func sampleCode(l *locale.Locale) codeForm {
	return codeForm{
		Layout: uitest.Layout(l, ui.NavNone, l.T("factor.title"), "/admin/sign-in/code"),
		Action: l.Path("/admin/sign-in/code"),
		Next:   l.Path("/admin"), Again: l.Path("/admin/sign-in"), Problem: l.T("factor.wrong"),
		Field: ui.FormField{
			ID: "code", Label: l.T("factor.code"), Type: "text", Autocomplete: "one-time-code",
			Help: l.T("factor.codehelp"),
		},
	}
}

func sampleSetup(l *locale.Locale) setup {
	return setup{
		Layout: uitest.Layout(l, ui.NavNone, l.T("setup.title"), "/admin/setup"), Action: l.Path("/admin/setup"),
		Key: "c2VjcmV0", Fields: uitest.AccountFields(l),
	}
}

func sampleSetupGone(l *locale.Locale) setup {
	p := sampleSetup(l)
	p.Gone = true
	return p
}
