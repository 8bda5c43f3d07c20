package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/url"

	"github.com/alecthomas/kong"

	"tianti/account"
	"tianti/web"
)

// access has the flags for authorization.
type access struct {
	ReadOnly  bool `help:"${read_only_help}"`
	Private   bool `help:"Show nothing to anybody who has not signed in."`
	SetupLink bool `help:"${setup_link_help}"`

	SecondFactor string `enum:"own,administrators" default:"own" help:"${second_factor_help}"`
}

// accessHelp is the help of flags that is too long for their tags.
var accessHelp = kong.Vars{
	"read_only_help": "Change nothing: there is no administration, and the database is only read. It must be there, " +
		"with the schema of this version.",
	"second_factor_help": "Who needs a second factor to sign in: own, as each account chooses (default), or " +
		"administrators, who do nothing before they have set one up.",
	"setup_link_help": "Print the link that makes the first administrator also where standard error is not a terminal.",
}

// validate rejects flags that contradict each other.
func (a *access) validate() error {
	if a.ReadOnly && a.SetupLink {
		return errors.New("--setup-link makes an account, and --read-only changes nothing: leave one out")
	}
	return nil
}

// openDatabase opens the database to serve from.
func (a *access) openDatabase(
	ctx context.Context, path dbPath, migrating func(done, total int),
) (database, error) {
	if a.ReadOnly {
		return openReadOnly(ctx, path)
	}
	return openForServer(ctx, path, migrating)
}

// configure sets the authentication and the audit log of a server.
func (a *access) configure(cfg *web.Config, db database) {
	cfg.ReadOnly, cfg.Private, cfg.RequireFactor = a.ReadOnly, a.Private, a.SecondFactor == "administrators"
	if !a.ReadOnly || a.Private {
		cfg.Accounts = account.NewAuthenticator(db, account.NewHasher(), nil)
	}
	if !a.ReadOnly {
		cfg.Record = db.Record
	}
}

// offerSetup says how to create the first account while there is none. The link is a secret that makes its user an
// administrator: it is written to the terminal and not to the log.
func (a *access) offerSetup(
	ctx context.Context, accounts *account.Authenticator, to io.Writer, base string, log *slog.Logger,
) error {
	if accounts == nil {
		return nil
	}
	none, err := accounts.None(ctx)
	switch {
	case err != nil || !none:
		return err
	case a.ReadOnly:
		log.Warn("there is no account, so that nobody can sign in: make one with tianti admin create")
	case a.SetupLink || isTerminal(to):
		link := base + "/admin/setup?" + url.Values{"key": {accounts.Setup.Offer()}}.Encode()
		_, err = fmt.Fprintf(to, "There is no account yet. This link makes the first administrator; "+
			"it works once, within an hour:\n\n    %s\n\n", link)
	default:
		log.Info("there is no account yet: tianti admin create makes one, or --setup-link prints a link that does")
	}
	return err
}
