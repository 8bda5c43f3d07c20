package session

import "tianti/web/ui"

// signIn is the form to sign in with.
type signIn struct {
	ui.Layout
	Action  string
	Next    string // address to go on to
	Problem string
	Nobody  bool // there is no account yet
	Fields  []ui.FormField
}

// setup is the form that makes the first account.
type setup struct {
	ui.Layout
	Action  string
	Key     string
	Gone    bool // the link is void
	Problem string
	Fields  []ui.FormField
}

// codeForm asks for the second factor.
type codeForm struct {
	ui.Layout
	Action  string
	Next    string // address to go on to
	Again   string // address to sign in with another account
	Problem string
	Field   ui.FormField
}
