package admin

import (
	"tianti/locale"
	"tianti/web/ui"
	"tianti/web/ui/uitest"
)

func sampleAdminHome(l *locale.Locale) adminHome {
	return adminHome{
		Layout: uitest.Layout(l, ui.NavNone, l.T("admin.title"), "/admin"), Name: "bob",
		Role: l.T("account.role.reader"), Note: l.T("admin.mayread"), SignOut: l.Path("/admin/sign-out"),
		Sections: []ui.Link{
			{Label: l.T("tokens.title"), Href: l.Path("/admin/tokens"), Note: l.T("admin.tokensnote")},
			{Label: l.T("account.title"), Href: l.Path("/admin/account"), Note: l.T("admin.accountnote")},
		},
	}
}

func sampleOwnAccount(l *locale.Locale) ownAccount {
	return ownAccount{
		Layout: uitest.Layout(l, ui.NavNone, l.T("account.title"), "/admin/account"),
		Crumbs: []ui.Link{{Label: l.T("admin.title"), Href: l.Path("/admin")}}, Name: "anna",
		Role: l.T("account.role.administrator"), Done: l.T("account.done.password"),
		Password: l.Path("/admin/account/password"), SignOut: l.Path("/admin/account/sign-out"),
		Fields: []ui.FormField{
			{
				ID: "current", Label: l.T("account.current"), Type: "password", Autocomplete: "current-password",
				Problem: l.T("account.wrong.current"),
			},
			{
				ID: "new", Label: l.T("account.new"), Type: "password", Autocomplete: "new-password",
				Help: l.T("account.passwordhelp"),
			},
		},
	}
}

func sampleAccounts(l *locale.Locale) accounts {
	roles := []ui.Option{
		{Value: "reader", Label: l.T("account.role.reader"), Selected: true},
		{Value: "administrator", Label: l.T("account.role.administrator")},
	}
	row := func(id, name string) accountRowData {
		return accountRowData{
			ID: id, Name: name, Role: l.T("account.role.reader"), Since: l.T("accounts.since", "2026-11-20"),
			Action: l.Path("/admin/accounts/" + id), Roles: roles, Enabled: true,
			Field: ui.FormField{
				ID: "password-" + id, Label: l.T("account.new"), Type: "password", Autocomplete: "new-password",
				Help: l.T("account.passwordhelp"),
			},
		}
	}
	p := accounts{
		Layout: uitest.Layout(l, ui.NavNone, l.T("accounts.title"), "/admin/accounts"),
		Crumbs: []ui.Link{{Label: l.T("admin.title"), Href: l.Path("/admin")}}, Done: l.T("accounts.done.disable"),
		Problem: l.T("accounts.lastadmin"), Action: l.Path("/admin/accounts"), Fields: uitest.AccountFields(l),
		Roles: roles, Rows: []accountRowData{row("1", "anna"), row("2", "张伟"), row("3", "carol")},
	}
	p.Rows[0].Self, p.Rows[0].Role = true, l.T("account.role.administrator")
	p.Rows[1].Enabled, p.Rows[1].State = false, l.T("accounts.disabled")
	p.Rows[2].Open, p.Rows[2].Field.Problem = true, l.T("account.rule.password.name")
	return p
}

func sampleTokens(l *locale.Locale) tokens {
	return tokens{
		Layout: uitest.Layout(l, ui.NavNone, l.T("tokens.title"), "/admin/tokens"),
		Crumbs: []ui.Link{{Label: l.T("admin.title"), Href: l.Path("/admin")}},
		Secret: "tianti_mfivZqbTM5WprD2qe6-zzHN_UrOYnmwUqRNAAep1Lb0", Named: "<nightly>",
		Example: `curl -H "Authorization: Bearer $(cat token.txt)" https://cards.example/api/v1/cards`,
		Action:  l.Path("/admin/tokens"),
		Field: ui.FormField{
			ID: "name", Label: l.T("tokens.name"), Type: "text", Autocomplete: "off", Help: l.T("tokens.namehelp"),
		},
		Scopes: []ui.Option{
			{Value: "read", Label: l.T("tokens.is.read")},
			{Value: "import", Label: l.T("tokens.is.import")},
		},
		Terms: []ui.Option{
			{Value: "90", Label: l.T("tokens.days", "90"), Selected: true},
			{Value: "0", Label: l.T("tokens.never")},
		},
		Rows: []tokenRow{
			{
				Name: "<nightly>", Account: "anna", Scope: l.T("tokens.is.import"), Created: "2026-11-20",
				Expires: "2027-02-18", Used: l.T("tokens.never"), Revoke: l.Path("/admin/tokens/2/revoke"),
			},
			{
				Name: "dashboard", Account: "张伟", Scope: l.T("tokens.is.read"), Created: "2026-10-01",
				Expires: l.T("tokens.never"), Used: "2026-11-02", State: l.T("tokens.revoked", "2026-11-03"),
			},
		},
	}
}

func sampleNoTokens(l *locale.Locale) tokens {
	p := sampleTokens(l)
	p.Rows, p.Secret = nil, ""
	return p
}
