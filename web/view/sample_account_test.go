package view

import "tianti/locale"

func sampleSignIn(l *locale.Locale) SignIn {
	p := SignIn{Layout: sampleLayout(l, NavNone, l.T("signin.title"), "/admin/sign-in"), Action: l.Path("/admin/sign-in"), Next: l.Path("/admin/accounts"),
		Problem: l.T("signin.wrong"), Fields: []FormField{
			{ID: "name", Label: l.T("signin.name"), Type: "text", Value: `<anna> "a"`, Autocomplete: "username"},
			{ID: "password", Label: l.T("signin.password"), Type: "password", Autocomplete: "current-password"}}}
	p.Administered = true
	return p
}

func sampleNobody(l *locale.Locale) SignIn {
	p := sampleSignIn(l)
	p.Nobody = true
	return p
}

func sampleNewAccount(l *locale.Locale) []FormField {
	return []FormField{
		{ID: "name", Label: l.T("signin.name"), Type: "text", Value: "an na", Autocomplete: "username", Help: l.T("setup.namehelp"), Problem: l.T("account.rule.name.form")},
		{ID: "password", Label: l.T("signin.password"), Type: "password", Autocomplete: "new-password", Help: l.T("account.passwordhelp"), Problem: l.T("account.rule.password.short")}}
}

func sampleSetup(l *locale.Locale) Setup {
	return Setup{Layout: sampleLayout(l, NavNone, l.T("setup.title"), "/admin/setup"), Action: l.Path("/admin/setup"), Key: "c2VjcmV0", Fields: sampleNewAccount(l)}
}

func sampleSetupGone(l *locale.Locale) Setup {
	p := sampleSetup(l)
	p.Gone = true
	return p
}

func sampleAdminHome(l *locale.Locale) AdminHome {
	return AdminHome{Layout: sampleLayout(l, NavNone, l.T("admin.title"), "/admin"), Name: "bob", Role: l.T("account.role.reader"), Note: l.T("admin.mayread"), SignOut: l.Path("/admin/sign-out"),
		Doors: []Link{{Label: l.T("tokens.title"), Href: l.Path("/admin/tokens"), Note: l.T("admin.tokensnote")}, {Label: l.T("account.title"), Href: l.Path("/admin/account"), Note: l.T("admin.accountnote")}}}
}

func sampleOwnAccount(l *locale.Locale) OwnAccount {
	return OwnAccount{Layout: sampleLayout(l, NavNone, l.T("account.title"), "/admin/account"), Crumbs: []Link{{Label: l.T("admin.title"), Href: l.Path("/admin")}},
		Name: "anna", Role: l.T("account.role.administrator"), Done: l.T("account.done.password"), Password: l.Path("/admin/account/password"), SignOut: l.Path("/admin/account/sign-out"),
		Fields: []FormField{{ID: "current", Label: l.T("account.current"), Type: "password", Autocomplete: "current-password", Problem: l.T("account.wrong.current")},
			{ID: "new", Label: l.T("account.new"), Type: "password", Autocomplete: "new-password", Help: l.T("account.passwordhelp")}}}
}

func sampleAccounts(l *locale.Locale) Accounts {
	roles := []Option{{Value: "reader", Label: l.T("account.role.reader"), Selected: true}, {Value: "administrator", Label: l.T("account.role.administrator")}}
	row := func(id, name string) AccountRow {
		return AccountRow{ID: id, Name: name, Role: l.T("account.role.reader"), Since: l.T("accounts.since", "2026-11-20"), Action: l.Path("/admin/accounts/" + id), Roles: roles, Enabled: true,
			Field: FormField{ID: "password-" + id, Label: l.T("account.new"), Type: "password", Autocomplete: "new-password", Help: l.T("account.passwordhelp")}}
	}
	p := Accounts{Layout: sampleLayout(l, NavNone, l.T("accounts.title"), "/admin/accounts"), Crumbs: []Link{{Label: l.T("admin.title"), Href: l.Path("/admin")}},
		Done: l.T("accounts.done.disable"), Problem: l.T("accounts.lastadmin"), Action: l.Path("/admin/accounts"), Fields: sampleNewAccount(l), Roles: roles,
		Rows: []AccountRow{row("1", "anna"), row("2", "张伟"), row("3", "carol")}}
	p.Rows[0].Self, p.Rows[0].Role = true, l.T("account.role.administrator")
	p.Rows[1].Enabled, p.Rows[1].State = false, l.T("accounts.disabled")
	p.Rows[2].Open, p.Rows[2].Field.Problem = true, l.T("account.rule.password.name")
	return p
}

func sampleTokens(l *locale.Locale) Tokens {
	return Tokens{Layout: sampleLayout(l, NavNone, l.T("tokens.title"), "/admin/tokens"), Crumbs: []Link{{Label: l.T("admin.title"), Href: l.Path("/admin")}},
		Secret: "tianti_mfivZqbTM5WprD2qe6-zzHN_UrOYnmwUqRNAAep1Lb0", Named: "<nightly>", Example: `curl -H "Authorization: Bearer $(cat token.txt)" https://cards.example/api/v1/cards`,
		Action: l.Path("/admin/tokens"), Field: FormField{ID: "name", Label: l.T("tokens.name"), Type: "text", Autocomplete: "off", Help: l.T("tokens.namehelp")},
		Scopes: []Option{{Value: "read", Label: l.T("tokens.is.read")}, {Value: "import", Label: l.T("tokens.is.import")}},
		Terms:  []Option{{Value: "90", Label: l.T("tokens.days", "90"), Selected: true}, {Value: "0", Label: l.T("tokens.never")}},
		Rows: []TokenRow{
			{Name: "<nightly>", Account: "anna", Scope: l.T("tokens.is.import"), Created: "2026-11-20", Expires: "2027-02-18", Used: l.T("tokens.never"), Revoke: l.Path("/admin/tokens/2/revoke")},
			{Name: "dashboard", Account: "张伟", Scope: l.T("tokens.is.read"), Created: "2026-10-01", Expires: l.T("tokens.never"), Used: "2026-11-02", State: l.T("tokens.revoked", "2026-11-03")},
		}}
}

func sampleNoTokens(l *locale.Locale) Tokens {
	p := sampleTokens(l)
	p.Rows, p.Secret = nil, ""
	return p
}
