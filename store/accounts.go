package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"tianti/account"
	"tianti/audit"
)

var _ account.Store = (*Store)(nil)

const accountColumns = "a.key, a.name, a.role, a.created_at, a.changed_at, a.disabled, " +
	"EXISTS (SELECT 1 FROM second_factors f WHERE f.account = a.key)"

// accountRow scans accountColumns.
type accountRow struct {
	account.Account
	created, changed int64
}

func (r *accountRow) dest() []any {
	return []any{&r.Key, &r.Name, &r.Role, &r.created, &r.changed, &r.Disabled, &r.Factor}
}

func (r *accountRow) account() account.Account {
	r.Created, r.Changed = time.Unix(r.created, 0).UTC(), time.UnixMicro(r.changed).UTC()
	return r.Account
}

// Accounts lists all accounts, by name.
func (s *Store) Accounts(ctx context.Context) ([]account.Account, error) {
	var r accountRow
	rows, err := s.reader.QueryContext(ctx, "SELECT "+accountColumns+" FROM accounts a ORDER BY name")
	out, err := collect(rows, err, r.dest(), r.account)
	return out, explain(ctx, s.path, "list the accounts", err)
}

// Account finds an account by its name, whatever its case.
func (s *Store) Account(ctx context.Context, name string) (account.Account, string, error) {
	var r accountRow
	var hash string
	err := s.reader.QueryRowContext(ctx, "SELECT "+accountColumns+", a.password FROM accounts a WHERE "+
		"lower(name) = ?", lower(name)).
		Scan(append(r.dest(), &hash)...)
	if errors.Is(err, sql.ErrNoRows) {
		err = notFound(fmt.Sprintf("there is no account %q", name))
	}
	return r.account(), hash, explain(ctx, s.path, "look up an account", err)
}

// lower is the function of SQL of that name, for what is told apart without regard to the case of A to Z alone.
func lower(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}

// AccountByKey finds an account.
func (s *Store) AccountByKey(ctx context.Context, key int64) (account.Account, error) {
	a, err := accountByKey(ctx, s.reader, key)
	return a, explain(ctx, s.path, "look up an account", err)
}

func accountByKey(ctx context.Context, q queryer, key int64) (account.Account, error) {
	var r accountRow
	err := q.QueryRowContext(ctx, "SELECT "+accountColumns+" FROM accounts a WHERE key = ?", key).Scan(r.dest()...)
	if errors.Is(err, sql.ErrNoRows) {
		err = notFound(fmt.Sprintf("there is no account with the key %d", key))
	}
	return r.account(), err
}

// CreateAccount makes an account; with first, only when there is none yet.
func (s *Store) CreateAccount(
	ctx context.Context, name string, role account.Role, passwordHash string, first bool,
) (a account.Account, err error) {
	err = s.write(ctx, fmt.Sprintf("create account %q", name), func(tx *sql.Tx) error {
		var all, taken int
		err := tx.QueryRowContext(ctx, "SELECT count(*), count(*) FILTER (WHERE lower(name) = ?) FROM "+
			"accounts", lower(name)).
			Scan(&all, &taken)
		switch {
		case err != nil:
			return err
		case first && all > 0:
			return account.ErrNotFirst
		case taken > 0:
			return account.ErrTaken
		}
		now := s.opt.Now()
		var r accountRow
		err = tx.QueryRowContext(ctx, `INSERT INTO accounts AS a (name, role, password, created_at, changed_at)
			VALUES (?, ?, ?, ?, ?) RETURNING key, name, role, created_at, changed_at, disabled, 0`,
			name, string(role), passwordHash, now.Unix(), now.UnixMicro()).Scan(r.dest()...)
		if err != nil {
			return err
		}
		a = r.account()
		return s.recordAccount(ctx, tx, "account.create", a, map[string]any{"role": role})
	})
	return a, err
}

// recordAccount writes an entry of the audit log about an account, by the actor of ctx.
func (s *Store) recordAccount(
	ctx context.Context, tx *sql.Tx, action string, a account.Account, detail map[string]any,
) error {
	return s.record(ctx, tx, audit.Entry{Actor: audit.ActorOf(ctx), Action: action, Subject: a.Name,
		Detail: detail})
}

// changeAccount runs fn on an account in a transaction.
func (s *Store) changeAccount(
	ctx context.Context, attempt string, key int64, fn func(*sql.Tx, account.Account) error,
) error {
	return s.write(ctx, attempt, func(tx *sql.Tx) error {
		a, err := accountByKey(ctx, tx, key)
		if err != nil {
			return err
		}
		return fn(tx, a)
	})
}

// Rehash keeps another hash of the same password, unless the password was changed meanwhile.
func (s *Store) Rehash(ctx context.Context, key int64, before, after string) error {
	return s.write(ctx, "keep a new hash of a password", func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "UPDATE accounts SET password = ? WHERE key = ? AND password = ?", after, key,
			before)
		return err
	})
}

// SetPassword changes a password; sessions begun before are void, and so are tokens.
func (s *Store) SetPassword(ctx context.Context, key int64, passwordHash string) error {
	return s.changeAccount(ctx, "change a password", key, func(tx *sql.Tx, a account.Account) error {
		if _, err := tx.ExecContext(ctx, "UPDATE accounts SET password = ? WHERE key = ?", passwordHash,
			key); err != nil {
			return err
		}
		if err := s.moveAccount(ctx, tx, key); err != nil {
			return err
		}
		return s.recordAccount(ctx, tx, "account.password", a, nil)
	})
}

// EndSessions makes every session and token of an account void, and forgets its devices.
func (s *Store) EndSessions(ctx context.Context, key int64) error {
	return s.changeAccount(ctx, "end the sessions of an account", key, func(tx *sql.Tx, a account.Account) error {
		if err := s.moveAccount(ctx, tx, key); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, "DELETE FROM devices WHERE account = ?", key); err != nil {
			return err
		}
		return s.recordAccount(ctx, tx, "account.sessions", a, nil)
	})
}

// moveAccount voids the sessions of an account and revokes its tokens.
func (s *Store) moveAccount(ctx context.Context, tx *sql.Tx, key int64) error {
	if err := s.voidSessions(ctx, tx, key); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, "UPDATE tokens SET revoked_at = ? WHERE account = ? AND revoked_at IS NULL",
		s.opt.Now().Unix(), key)
	return err
}

// voidSessions sets when the account changed, always later than before, and deletes its sessions.
func (s *Store) voidSessions(ctx context.Context, tx *sql.Tx, key int64) error {
	_, err := tx.ExecContext(ctx, "UPDATE accounts SET changed_at = CASE WHEN ?1 > changed_at THEN ?1 ELSE "+
		"changed_at + 1 END WHERE key = ?2", s.opt.Now().UnixMicro(), key)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, "DELETE FROM sessions WHERE account = ?", key)
	return err
}

// SetAccount changes what an account may do; ErrLastAdmin when no administrator would be left.
func (s *Store) SetAccount(ctx context.Context, key int64, role account.Role, disabled bool) error {
	return s.changeAccount(ctx, "change an account", key, func(tx *sql.Tx, a account.Account) error {
		if a.Role == role && a.Disabled == disabled {
			return nil
		}
		if _, err := tx.ExecContext(ctx, "UPDATE accounts SET role = ?, disabled = ? WHERE key = ?", string(role),
			disabled, key); err != nil {
			return err
		}
		var left int
		err := tx.QueryRowContext(ctx, "SELECT count(*) FROM accounts WHERE role = 'administrator' AND NOT disabled").
			Scan(&left)
		switch administered := a.Role == account.Administrator && !a.Disabled; {
		case err != nil:
			return err
		case administered && left == 0:
			return account.ErrLastAdmin
		}
		return s.recordAccount(ctx, tx, "account.change", a, map[string]any{"role": role, "disabled": disabled})
	})
}
