package admin

import "tianti/web/ui"

// adminHome is the start page of the administration.
type adminHome struct {
	ui.Layout
	Name, Role string
	Sections   []ui.Link
	SignOut    string // address
	Note       string
}

// ownAccount is where somebody changes the own password.
type ownAccount struct {
	ui.Layout
	Crumbs     []ui.Link
	Name, Role string
	Done       string
	Problem    string
	Fields     []ui.FormField
	Password   string // addresses of the forms
	SignOut    string
	Factor     string // whether there is a second factor
	FactorPage string // address
	Sessions   []sessionRow
}

// sessionRow is a session of the own account.
type sessionRow struct {
	Agent, Address string
	Begun, Seen    string
	Here           bool
	End            string // address
}

// factor is the page of the own second factor.
type factor struct {
	ui.Layout
	Crumbs  []ui.Link
	Done    string
	Problem string
	Action  string
	Has     string // since when there is one; empty: there is none
	Left    string // how many recovery codes are left
	Current ui.FormField
	Code    ui.FormField
	Secret  string   // for the device, while one is being set up
	QR      qrCode   // the same
	Codes   []string // recovery codes that have just been made; they are shown once
}

// accounts is the list of accounts.
type accounts struct {
	ui.Layout
	Crumbs  []ui.Link
	Done    string
	Problem string
	Action  string
	Rows    []accountRowData
	Fields  []ui.FormField
	Current ui.FormField // the password of whoever makes one
	Roles   []ui.Option
}

// accountRowData is an account.
type accountRowData struct {
	ID      string
	Name    string
	Role    string
	Since   string
	State   string // a word when it is disabled
	Self    bool
	Action  string
	Roles   []ui.Option
	Field   ui.FormField // the new password
	Enabled bool
	Factor  bool
	Open    bool // its forms are shown: something is wrong in them

	// The password of whoever changes something, in each form.
	ForRole, ForPassword, ForDo ui.FormField
}

// tokens is the list of tokens.
type tokens struct {
	ui.Layout
	Crumbs  []ui.Link
	Done    string
	Problem string
	Secret  string // of the token that has just been made; it is shown once
	Named   string // what the token is called
	Example string // how it is used
	Action  string
	Rows    []tokenRow
	Field   ui.FormField
	Current ui.FormField // the password of whoever makes one
	Scopes  []ui.Option
	Terms   []ui.Option
}

// tokenRow is a token without its secret.
type tokenRow struct {
	Name, Account, Scope   string
	Created, Expires, Used string
	State                  string // why it lets nobody in; empty: it does
	Revoke                 string // address; empty: nothing to revoke
}
