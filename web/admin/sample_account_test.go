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
		Factor: l.T("factor.none"), FactorPage: l.Path("/admin/account/second-factor"),
		Sessions: []sessionRow{
			{Agent: "Firefox · Linux", Address: "192.0.2.7", Begun: "2026-11-20 09:12",
				Seen: "2026-11-21 08:00", Here: true},
			{
				Address: "2001:db8::", Begun: "2026-11-18 19:03", Seen: "2026-11-20 22:41",
				End: l.Path("/admin/account/sessions/0123456789abcdef01234567/end"),
			},
		},
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

// sampleFactor is the page where there is no second factor; the others are made of it.
func sampleFactor(l *locale.Locale) factor {
	return factor{
		Layout: uitest.Layout(l, ui.NavNone, l.T("factor.title"), "/admin/account/second-factor"),
		Crumbs: []ui.Link{
			{Label: l.T("admin.title"), Href: l.Path("/admin")},
			{Label: l.T("account.title"), Href: l.Path("/admin/account")},
		},
		Action: l.Path("/admin/account/second-factor"),
		Current: ui.FormField{ID: "current", Label: l.T("account.current"), Type: "password",
			Autocomplete: "current-password"},
		Code: ui.FormField{
			ID: "code", Label: l.T("factor.code"), Type: "text", Autocomplete: "one-time-code",
			Help: l.T("factor.codehelp"),
		},
	}
}

func sampleFactorOffer(l *locale.Locale) factor {
	p := sampleFactor(l)
	code, err := newQRCode("otpauth://totp/Tianti:anna?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ")
	if err != nil {
		panic(err)
	}
	p.Secret, p.QR, p.Code.Problem = "GEZD GNBV GY3T QOJQ GEZD GNBV GY3T QOJQ", code, l.T("factor.wrong")
	return p
}

func sampleFactorCodes(l *locale.Locale) factor {
	p := sampleFactor(l)
	p.Has, p.Left = l.T("factor.since", "2026-11-20"), l.T("factor.left", 2)
	p.Codes = []string{"mfivzq-btm5wp-rd2qe6-zzhnur", "oynmwu-qrnaae-p1lb0c-xk3v7t"}
	return p
}

func sampleAccounts(l *locale.Locale) accounts {
	roles := []ui.Option{
		{Value: "reader", Label: l.T("account.role.reader"), Selected: true},
		{Value: "administrator", Label: l.T("account.role.administrator")},
	}
	current := func(form string) ui.FormField {
		return ui.FormField{
			ID: "current-" + form, Label: l.T("accounts.yours"), Type: "password", Autocomplete: "current-password",
		}
	}
	row := func(id, name string) accountRowData {
		return accountRowData{
			ID: id, Name: name, Role: l.T("account.role.reader"), Since: l.T("accounts.since", "2026-11-20"),
			Action: l.Path("/admin/accounts/" + id), Roles: roles, Enabled: true,
			ForRole: current("role-" + id), ForPassword: current("password-" + id), ForDo: current("do-" + id),
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
	p.Current = ui.FormField{ID: "current", Label: l.T("account.current"), Type: "password",
		Autocomplete: "current-password"}
	p.Rows[2].Factor = true
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
		Current: ui.FormField{
			ID: "current", Label: l.T("account.current"), Type: "password", Autocomplete: "current-password",
			Problem: l.T("account.wrong.current"),
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
