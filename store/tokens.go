package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"tianti/account"
)

const tokenColumns = "t.key, a.name, t.name, t.scope, t.created_at, t.expires_at, t.used_at, t.revoked_at"

// tokenRow scans tokenColumns.
type tokenRow struct {
	account.Token
	created                int64
	expires, used, revoked sql.NullInt64
}

func (r *tokenRow) dest() []any {
	return []any{&r.Key, &r.Account, &r.Name, &r.Scope, &r.created, &r.expires, &r.used, &r.revoked}
}

func (r *tokenRow) token() account.Token {
	r.Created = time.Unix(r.created, 0).UTC()
	r.Expires, r.Used, r.Revoked = moment(r.expires), moment(r.used), moment(r.revoked)
	return r.Token
}

// moment is the zero time for NULL.
func moment(n sql.NullInt64) time.Time {
	if !n.Valid {
		return time.Time{}
	}
	return time.Unix(n.Int64, 0).UTC()
}

// seconds is NULL for the zero time.
func seconds(t time.Time) sql.NullInt64 { return sql.NullInt64{Int64: t.Unix(), Valid: !t.IsZero()} }

// CreateToken makes a token of an account; of t, Name, Scope and Expires count.
func (s *Store) CreateToken(
	ctx context.Context, t account.Token, owner int64, hash [32]byte,
) (made account.Token, err error) {
	err = s.changeAccount(ctx, "create a token", owner, func(tx *sql.Tx, a account.Account) error {
		made = account.Token{Account: a.Name, Name: t.Name, Scope: t.Scope,
			Created: s.opt.Now().UTC().Truncate(time.Second), Expires: moment(seconds(t.Expires))}
		err := tx.QueryRowContext(ctx, "INSERT INTO tokens (account, name, scope, hash, created_at, expires_at) "+
			"VALUES (?, ?, ?, ?, ?, ?) RETURNING key",
			owner, t.Name, string(t.Scope), hash[:], made.Created.Unix(), seconds(t.Expires)).Scan(&made.Key)
		if err != nil {
			return err
		}
		return s.recordAccount(ctx, tx, "token.create", a, map[string]any{"token": made.Key, "name": t.Name,
			"scope": t.Scope})
	})
	return made, err
}

// Tokens lists all tokens, newest first, revoked and expired ones too.
func (s *Store) Tokens(ctx context.Context) ([]account.Token, error) {
	var r tokenRow
	rows, err := s.reader.QueryContext(ctx, "SELECT "+tokenColumns+" FROM tokens t JOIN accounts a ON a.key = "+
		"t.account ORDER BY t.key DESC")
	out, err := collect(rows, err, r.dest(), r.token)
	return out, explain(ctx, s.path, "list the tokens", err)
}

// TokenByHash finds a token with its account; it does not check whether they are valid.
func (s *Store) TokenByHash(ctx context.Context, hash [32]byte) (account.Token, account.Account, error) {
	var t tokenRow
	var a accountRow
	err := s.reader.QueryRowContext(ctx, "SELECT "+tokenColumns+", "+accountColumns+" FROM tokens t JOIN accounts a "+
		"ON a.key = t.account WHERE t.hash = ?", hash[:]).
		Scan(append(t.dest(), a.dest()...)...)
	if errors.Is(err, sql.ErrNoRows) {
		err = notFound("there is no such token")
	}
	return t.token(), a.account(), explain(ctx, s.path, "look up a token", err)
}

// TouchToken notes that a token was used, once for each hour.
func (s *Store) TouchToken(ctx context.Context, key int64, at time.Time) error {
	hour := at.Truncate(time.Hour).Unix()
	var used int64
	err := s.reader.QueryRowContext(ctx, "SELECT coalesce(used_at, 0) FROM tokens WHERE key = ?", key).Scan(&used)
	if errors.Is(err, sql.ErrNoRows) {
		err = noToken(key)
	}
	if err != nil || used >= hour {
		return explain(ctx, s.path, "note the use of a token", err)
	}
	return s.write(ctx, "note the use of a token", func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "UPDATE tokens SET used_at = ? WHERE key = ? AND coalesce(used_at, 0) < ?", hour,
			key, hour)
		return err
	})
}

func noToken(key int64) error { return notFound(fmt.Sprintf("there is no token %d", key)) }

// RevokeToken ends a token; of one that is revoked already, the time stays.
func (s *Store) RevokeToken(ctx context.Context, key int64, at time.Time) error {
	return s.write(ctx, "revoke a token", func(tx *sql.Tx) error {
		var owner int64
		var name string
		var revoked bool
		err := tx.QueryRowContext(ctx, "SELECT account, name, revoked_at IS NOT NULL FROM tokens WHERE key = ?", key).
			Scan(&owner, &name, &revoked)
		if errors.Is(err, sql.ErrNoRows) {
			err = noToken(key)
		}
		if err != nil || revoked {
			return err
		}
		if _, err := tx.ExecContext(ctx, "UPDATE tokens SET revoked_at = ? WHERE key = ?", at.Unix(), key); err != nil {
			return err
		}
		a, err := accountByKey(ctx, tx, owner)
		if err != nil {
			return err
		}
		return s.recordAccount(ctx, tx, "token.revoke", a, map[string]any{"token": key, "name": name})
	})
}
