package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os/user"
	"text/tabwriter"
	"time"

	"github.com/alecthomas/kong"

	"tianti/account"
	"tianti/audit"
)

// adminCmd is tianti admin.
type adminCmd struct {
	Create   adminCreateCmd   `cmd:"" help:"Make an account."`
	List     adminListCmd     `cmd:"" help:"List the accounts."`
	Password adminPasswordCmd `cmd:"" help:"Give an account another password."`
	Disable  adminDisableCmd  `cmd:"" help:"Keep an account out; its sessions end, its tokens let nobody in."`
	Enable   adminEnableCmd   `cmd:"" help:"Let a disabled account in again."`
	SignOut  adminSignOutCmd  `cmd:"" help:"End all sessions of an account."`

	ResetFactor adminResetFactorCmd `cmd:"" help:"Take the second factor of an account away; its sessions end."`
}

// accountDB is the database of commands about accounts.
type accountDB struct {
	DB dbPath `name:"db" placeholder:"FILE" default:"tianti.db" predictor:"file" help:"${db_help}"`
}

// write opens the database for writing; the audit log names the user of the system as the actor. Without create the
// database must exist.
func (c accountDB) write(e *env, create bool, do func(context.Context, *account.Authenticator) error) error {
	open := openExisting
	if create {
		open = openOrCreate
	}
	db, err := open(e.ctx, c.DB)
	if err != nil {
		return err
	}
	ctx := audit.WithActor(e.ctx, byCommand())
	return errors.Join(do(ctx, account.NewAuthenticator(db, account.NewHasher(), nil)), db.Close())
}

// read opens the database without changing it.
func (c accountDB) read(e *env, do func(*account.Authenticator) error) error {
	db, err := openReadOnly(e.ctx, c.DB)
	if err != nil {
		return err
	}
	return errors.Join(do(account.NewAuthenticator(db, account.NewHasher(), nil)), db.Close())
}

// systemUser is who runs the command.
func systemUser() string {
	if u, err := user.Current(); err == nil && u.Username != "" {
		return u.Username
	}
	return "tianti"
}

// existing finds an account; a missing one is an error.
func existing(ctx context.Context, auth *account.Authenticator, name string) (account.Account, error) {
	a, hash, err := auth.Find(ctx, name)
	if err == nil && hash == "" {
		err = fmt.Errorf("there is no account %q (tianti admin list shows them): %w", name, fs.ErrNotExist)
	}
	return a, err
}

// adminHelp is the help of flags that is too long for their tags.
var adminHelp = kong.Vars{
	"roles":              "reader,administrator",
	"role_help":          "reader or administrator;",
	"password_file_help": "File whose first line is the password; - is standard input.",
}

// adminCreateCmd is tianti admin create.
type adminCreateCmd struct {
	Name      string       `arg:"" help:"Name to sign in with."`
	Role      account.Role `enum:"${roles}" default:"administrator" help:"${role_help} ${default} unless given."`
	accountDB `embed:""`
	newPassword
}

// Help is the manual of tianti admin create.
func (adminCreateCmd) Help() string {
	return `Makes an account. On a terminal the password is asked for twice; otherwise it is
the first line of standard input, or of --password-file. It has at least 12
characters. A reader sees what visitors of a private server may see; an
administrator changes the catalogue and the accounts.

Examples:

    tianti admin create anna
    tianti admin create --role reader --password-file pw.txt visitor
    pass show tianti | tianti admin create --db /var/lib/tianti/tianti.db anna`
}

// Run makes the account.
func (c *adminCreateCmd) Run(e *env) error {
	name, err := account.CleanName(c.Name)
	if err != nil {
		return err
	}
	password, err := c.choose(e, name)
	if err != nil {
		return err
	}
	return c.write(e, true, func(ctx context.Context, auth *account.Authenticator) error {
		a, err := auth.Create(ctx, name, c.Role, password, false)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(e.stdout, "%s is made: %s\n", a.Name, a.Role)
		return err
	})
}

// adminListCmd is tianti admin list.
type adminListCmd struct{ accountDB }

// Run lists the accounts.
func (c *adminListCmd) Run(e *env) error {
	return c.read(e, func(auth *account.Authenticator) error {
		all, err := auth.Store.Accounts(e.ctx)
		if err != nil {
			return err
		}
		w := tabwriter.NewWriter(e.stdout, 0, 0, 2, ' ', 0)
		fmt.Fprintln(w, "NAME\tROLE\tSINCE\tSTATE\tSECOND FACTOR")
		for _, a := range all {
			state, factor := "enabled", "no"
			if a.Disabled {
				state = "disabled"
			}
			if a.Factor {
				factor = "yes"
			}
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", a.Name, a.Role, a.Created.Format(time.DateOnly), state, factor)
		}
		return w.Flush()
	})
}

// adminPasswordCmd is tianti admin password.
type adminPasswordCmd struct {
	Name      string `arg:"" help:"Account."`
	accountDB `embed:""`
	newPassword
}

// Help is the manual of tianti admin password.
func (adminPasswordCmd) Help() string {
	return `Gives an account another password, which is asked for or read as tianti admin
create does. Its sessions end. This is the way back in for whoever has forgotten
theirs; a running server need not be stopped.`
}

// Run sets the password.
func (c *adminPasswordCmd) Run(e *env) error {
	return c.write(e, false, func(ctx context.Context, auth *account.Authenticator) error {
		a, err := existing(ctx, auth, c.Name)
		if err != nil {
			return err
		}
		password, err := c.choose(e, a.Name)
		if err != nil {
			return err
		}
		if err := auth.SetPassword(ctx, a, password); err != nil {
			return err
		}
		_, err = fmt.Fprintf(e.stdout, "%s has another password; sessions begun before have ended\n", a.Name)
		return err
	})
}

// accountChange is a command that changes one account.
type accountChange struct {
	Name string `arg:"" help:"Account."`
	accountDB
}

// accountWork changes an account.
type accountWork func(context.Context, *account.Authenticator, account.Account) error

// run changes the account and prints what was done.
func (c accountChange) run(e *env, said string, do accountWork) error {
	return c.write(e, false, func(ctx context.Context, auth *account.Authenticator) error {
		a, err := existing(ctx, auth, c.Name)
		if err != nil {
			return err
		}
		if err := do(ctx, auth, a); err != nil {
			return err
		}
		_, err = fmt.Fprintf(e.stdout, "%s %s\n", a.Name, said)
		return err
	})
}

// adminDisableCmd is tianti admin disable.
type adminDisableCmd struct{ accountChange }

// Run disables the account.
func (c *adminDisableCmd) Run(e *env) error {
	return c.run(e, "is disabled", func(ctx context.Context, auth *account.Authenticator, a account.Account) error {
		return auth.Change(ctx, a, a.Role, true)
	})
}

// adminEnableCmd is tianti admin enable.
type adminEnableCmd struct{ accountChange }

// Run enables the account.
func (c *adminEnableCmd) Run(e *env) error {
	return c.run(e, "is enabled", func(ctx context.Context, auth *account.Authenticator, a account.Account) error {
		return auth.Change(ctx, a, a.Role, false)
	})
}

// adminSignOutCmd is tianti admin sign-out.
type adminSignOutCmd struct{ accountChange }

// Run ends the sessions of the account.
func (c *adminSignOutCmd) Run(e *env) error {
	end := func(ctx context.Context, auth *account.Authenticator, a account.Account) error {
		return auth.Store.EndSessions(ctx, a.Key)
	}
	return c.run(e, "is signed out everywhere", end)
}

// adminResetFactorCmd is tianti admin reset-factor.
type adminResetFactorCmd struct{ accountChange }

// Help is the manual of tianti admin reset-factor.
func (adminResetFactorCmd) Help() string {
	return `For whoever has lost the device with the second factor and the recovery codes: the
account signs in with its password alone, until it has another factor. Its
sessions end; the audit log says who did it.`
}

// Run takes the second factor away.
func (c *adminResetFactorCmd) Run(e *env) error {
	return c.write(e, false, func(ctx context.Context, auth *account.Authenticator) error {
		a, err := existing(ctx, auth, c.Name)
		switch {
		case err != nil:
			return err
		case !a.Factor:
			return fmt.Errorf("%s has no second factor", a.Name)
		}
		if err := auth.Store.RemoveFactor(ctx, a.Key); err != nil {
			return err
		}
		_, err = fmt.Fprintf(e.stdout, "%s has no second factor any more\n", a.Name)
		return err
	})
}
