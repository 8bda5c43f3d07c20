package store

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"time"

	"tianti/account"
)

// FindSession returns the data of a session that has not expired.
func (s *Store) FindSession(ctx context.Context, hash [32]byte) (data []byte, found bool, err error) {
	err = s.reader.QueryRowContext(ctx, "SELECT data FROM sessions WHERE hash = ? AND expires > ?",
		hash[:], s.opt.Now().Unix()).Scan(&data)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, false, nil
	}
	return data, err == nil, explain(ctx, s.path, "look up a session", err)
}

// CommitSession keeps a session, new or known; owner is the account whose it is, or 0.
func (s *Store) CommitSession(
	ctx context.Context, hash [32]byte, owner int64, data []byte, expires time.Time,
) error {
	return s.write(ctx, "keep a session", func(tx *sql.Tx) error {
		if data == nil {
			data = []byte{} // NULL is no data
		}
		_, err := tx.ExecContext(ctx, `INSERT INTO sessions (hash, account, data, expires) VALUES (?, ?, ?, ?)
			ON CONFLICT (hash) DO UPDATE SET account = excluded.account, data = excluded.data, expires = excluded.expires`,
			hash[:], sql.NullInt64{Int64: owner, Valid: owner != 0}, data, expires.Unix())
		return err
	})
}

// SessionsOf lists the sessions of an account that have not expired.
func (s *Store) SessionsOf(ctx context.Context, owner int64) ([]account.Session, error) {
	var hash, data []byte
	rows, err := s.reader.QueryContext(ctx, "SELECT hash, data FROM sessions WHERE account = ? AND expires > ?", owner,
		s.opt.Now().Unix())
	out, err := collect(rows, err, []any{&hash, &data}, func() account.Session {
		x := account.Session{Data: bytes.Clone(data)}
		copy(x.Hash[:], hash)
		return x
	})
	return out, explain(ctx, s.path, "list sessions", err)
}

// DeleteSession ends a session; one that is not there is ended already.
func (s *Store) DeleteSession(ctx context.Context, hash [32]byte) error {
	return s.write(ctx, "end a session", func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "DELETE FROM sessions WHERE hash = ?", hash[:])
		return err
	})
}

// DeleteExpiredSessions forgets sessions that ended by themselves.
func (s *Store) DeleteExpiredSessions(ctx context.Context, now time.Time) error {
	return s.write(ctx, "forget expired sessions", func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "DELETE FROM sessions WHERE expires <= ?", now.Unix())
		return err
	})
}
