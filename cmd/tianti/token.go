package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"text/tabwriter"
	"time"

	"github.com/alecthomas/kong"

	"tianti/account"
)

// tokenCmd is tianti token.
type tokenCmd struct {
	Create tokenCreateCmd `cmd:"" help:"Make a token and print it, once."`
	List   tokenListCmd   `cmd:"" help:"List the tokens, without what is secret."`
	Revoke tokenRevokeCmd `cmd:"" help:"End a token."`
}

// tokenCreateCmd is tianti token create.
type tokenCreateCmd struct {
	Name      string        `arg:"" help:"What the token is called, such as the program that uses it."`
	Account   string        `required:"" placeholder:"NAME" help:"Account for which it acts."`
	Scope     account.Scope `enum:"read,import" default:"read" help:"${scope_help} ${default} unless given."`
	Days      int           `placeholder:"N" default:"90" help:"${days_help} ${default} unless given."`
	accountDB `embed:""`
}

// tokenHelp is the help of flags that is too long for their tags.
var tokenHelp = kong.Vars{
	"scope_help": "read, or import for files, previews and reverts;",
	"days_help":  "Days until it expires, 0 for never;",
}

// Help is the manual of tianti token create.
func (tokenCreateCmd) Help() string {
	return `Makes a token and prints it on standard output. It cannot be had again: the
database keeps a hash. Programs send it as Authorization: Bearer TOKEN. A token
with the scope import needs the account of an administrator.

Example:

    (umask 077; tianti token create --account anna --scope import nightly > token.txt)
    curl -H "Authorization: Bearer $(cat token.txt)" http://127.0.0.1:8080/api/v1/cards`
}

// validate checks the days.
func (c *tokenCreateCmd) validate() error {
	if c.Days < 0 || c.Days > 3650 {
		return fmt.Errorf("--days is %d: want 0 for never, or 1 to 3650", c.Days)
	}
	return nil
}

// Run makes the token.
func (c *tokenCreateCmd) Run(e *env) error {
	return c.write(e, false, func(ctx context.Context, auth *account.Authenticator) error {
		a, err := existing(ctx, auth, c.Account)
		switch {
		case err != nil:
			return err
		case a.Disabled:
			return fmt.Errorf("the account %s is disabled", a.Name)
		case c.Scope == account.ScopeImport && a.Role != account.Administrator:
			return fmt.Errorf("%s is a %s: a token with the scope import needs an administrator", a.Name, a.Role)
		}
		var expires time.Time
		if c.Days > 0 {
			expires = time.Now().AddDate(0, 0, c.Days)
		}
		_, secret, err := auth.CreateToken(ctx, a, c.Name, c.Scope, expires)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(e.stdout, secret)
		return err
	})
}

// tokenListCmd is tianti token list.
type tokenListCmd struct{ accountDB }

// Run lists the tokens.
func (c *tokenListCmd) Run(e *env) error {
	return c.read(e, func(auth *account.Authenticator) error {
		all, err := auth.Store.Tokens(e.ctx)
		if err != nil {
			return err
		}
		w := tabwriter.NewWriter(e.stdout, 0, 0, 2, ' ', 0)
		fmt.Fprintln(w, "NUMBER\tNAME\tACCOUNT\tSCOPE\tCREATED\tEXPIRES\tLAST USED\tSTATE")
		for _, t := range all {
			fmt.Fprintf(w, "%d\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", t.Key, t.Name, t.Account, t.Scope,
				dayOrNever(t.Created), dayOrNever(t.Expires), dayOrNever(t.Used), tokenState(t))
		}
		return w.Flush()
	})
}

func dayOrNever(at time.Time) string {
	if at.IsZero() {
		return "never"
	}
	return at.Format(time.DateOnly)
}

func tokenState(t account.Token) string {
	switch {
	case !t.Revoked.IsZero():
		return "revoked"
	case !t.Live(time.Now()):
		return "expired"
	}
	return "good"
}

// tokenRevokeCmd is tianti token revoke.
type tokenRevokeCmd struct {
	Number    int64 `arg:"" help:"Number of the token, as tianti token list shows it."`
	accountDB `embed:""`
}

// Run ends the token.
func (c *tokenRevokeCmd) Run(e *env) error {
	return c.write(e, false, func(ctx context.Context, auth *account.Authenticator) error {
		err := auth.Store.RevokeToken(ctx, c.Number, time.Now())
		if errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("there is no token %d (tianti token list shows them): %w", c.Number, fs.ErrNotExist)
		}
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(e.stdout, "token %d is revoked\n", c.Number)
		return err
	})
}
