package view

import "strings"

// FormField is a line of a form with its label and what is wrong with it.
type FormField struct {
	ID           string // and name
	Label        string
	Type         string // "text" or "password"
	Value        string // of a text
	Autocomplete string
	Help         string
	Problem      string
}

// describedBy are the ids of the texts that explain the field.
func (f FormField) describedBy() string {
	var ids []string
	if f.Help != "" {
		ids = append(ids, f.ID+"-help")
	}
	if f.Problem != "" {
		ids = append(ids, f.ID+"-problem")
	}
	return strings.Join(ids, " ")
}

// SignIn is the form to sign in with.
type SignIn struct {
	Layout
	Action  string
	Next    string // address to go on to
	Problem string
	Nobody  bool // there is no account yet
	Fields  []FormField
}

// Setup is the form that makes the first account.
type Setup struct {
	Layout
	Action  string
	Key     string
	Gone    bool // the link is void
	Problem string
	Fields  []FormField
}

// AdminHome is the start page of the administration.
type AdminHome struct {
	Layout
	Name, Role string
	Doors      []Link
	SignOut    string // address
	Note       string
}

// OwnAccount is where somebody changes the own password.
type OwnAccount struct {
	Layout
	Crumbs     []Link
	Name, Role string
	Done       string
	Problem    string
	Fields     []FormField
	Password   string // addresses of the forms
	SignOut    string
}

// Accounts is the list of accounts.
type Accounts struct {
	Layout
	Crumbs  []Link
	Done    string
	Problem string
	Action  string
	Rows    []AccountRow
	Fields  []FormField
	Roles   []Option
}

// AccountRow is an account.
type AccountRow struct {
	ID      string
	Name    string
	Role    string
	Since   string
	State   string // a word when it is disabled
	Self    bool
	Action  string
	Roles   []Option
	Field   FormField // the new password
	Enabled bool
	Open    bool // its forms are shown: something is wrong in them
}

// Tokens is the list of tokens.
type Tokens struct {
	Layout
	Crumbs  []Link
	Done    string
	Problem string
	Secret  string // of the token that has just been made; it is shown once
	Named   string // what the token is called
	Example string // how it is used
	Action  string
	Rows    []TokenRow
	Field   FormField
	Scopes  []Option
	Terms   []Option
}

// TokenRow is a token without its secret.
type TokenRow struct {
	Name, Account, Scope   string
	Created, Expires, Used string
	State                  string // why it lets nobody in; empty: it does
	Revoke                 string // address; empty: nothing to revoke
}
