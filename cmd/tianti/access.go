package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/url"

	"tianti/account"
	"tianti/store"
	"tianti/web"
)

// access says who may do what on a server.
type access struct {
	ReadOnly  bool `help:"Change nothing: there is no administration, and the database is only read. It must be there, with the schema of this version."`
	Private   bool `help:"Show nothing to anybody who has not signed in."`
	SetupLink bool `help:"Print the link that makes the first administrator also where standard error is not a terminal."`
}

// Validate refuses flags that contradict each other.
func (a *access) Validate() error {
	if a.ReadOnly && a.SetupLink {
		return errors.New("--setup-link makes an account, and --read-only changes nothing: leave one out")
	}
	return nil
}

// openStore opens the database to serve from.
func (a *access) openStore(ctx context.Context, path dbPath) (*store.Store, error) {
	if a.ReadOnly {
		return store.OpenReadOnly(ctx, string(path), store.Options{})
	}
	return store.Open(ctx, string(path), store.Options{Gentle: true})
}

// configure lets people in.
func (a *access) configure(cfg *web.Config, db *store.Store) {
	cfg.ReadOnly, cfg.Private = a.ReadOnly, a.Private
	if !a.ReadOnly || a.Private {
		cfg.Accounts = account.NewKeeper(db, account.NewHasher(), nil)
	}
	if !a.ReadOnly {
		cfg.Record = db.Record
	}
}

// offerSetup says how to make the first account while there is none. The link is
// written to the terminal and not to the log: whoever has it becomes administrator.
func (a *access) offerSetup(ctx context.Context, keeper *account.Keeper, to io.Writer, base string, log *slog.Logger) error {
	if keeper == nil {
		return nil
	}
	none, err := keeper.None(ctx)
	switch {
	case err != nil || !none:
		return err
	case a.ReadOnly:
		log.Warn("there is no account, so that nobody can sign in: make one with tianti admin create")
	case a.SetupLink || isTerminal(to):
		link := base + "/admin/setup?" + url.Values{"key": {keeper.Setup.Offer()}}.Encode()
		_, err = fmt.Fprintf(to, "There is no account yet. This link makes the first administrator; it works once, within an hour:\n\n    %s\n\n", link)
	default:
		log.Info("there is no account yet: tianti admin create makes one, or --setup-link prints a link that does")
	}
	return err
}
