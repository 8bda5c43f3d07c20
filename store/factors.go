package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"tianti/account"
)

// Factor returns the second factor of an account.
func (s *Store) Factor(ctx context.Context, owner int64) (f account.Factor, err error) {
	var created int64
	err = s.reader.QueryRowContext(ctx, `SELECT secret, step, created_at, (SELECT count(*) FROM recovery_codes r
		WHERE r.account = f.account AND used_at IS NULL) FROM second_factors f WHERE account = ?`, owner).
		Scan(&f.Secret, &f.Step, &created, &f.Left)
	if errors.Is(err, sql.ErrNoRows) {
		err = notFound(fmt.Sprintf("the account with the key %d has no second factor", owner))
	}
	f.Created = time.Unix(created, 0).UTC()
	return f, explain(ctx, s.path, "look up a second factor", err)
}

// SetFactor gives an account a second factor, in place of one that it had; its sessions are void.
func (s *Store) SetFactor(ctx context.Context, owner int64, secret []byte, step int64, codes [][32]byte) error {
	return s.changeAccount(ctx, "set up a second factor", owner, func(tx *sql.Tx, a account.Account) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO second_factors (account, secret, step, created_at)
			VALUES (?, ?, ?, ?)
			ON CONFLICT (account) DO UPDATE SET secret = excluded.secret, step = excluded.step,
				created_at = excluded.created_at`, owner, secret, step, s.opt.Now().Unix())
		if err == nil {
			err = setCodes(ctx, tx, owner, codes)
		}
		if err == nil {
			err = s.voidSessions(ctx, tx, owner)
		}
		if err != nil {
			return err
		}
		return s.recordAccount(ctx, tx, "account.factor", a, nil)
	})
}

// SetRecoveryCodes replaces the recovery codes of an account.
func (s *Store) SetRecoveryCodes(ctx context.Context, owner int64, codes [][32]byte) error {
	return s.changeAccount(ctx, "replace recovery codes", owner, func(tx *sql.Tx, a account.Account) error {
		if err := setCodes(ctx, tx, owner, codes); err != nil {
			return err
		}
		return s.recordAccount(ctx, tx, "account.codes", a, nil)
	})
}

func setCodes(ctx context.Context, tx *sql.Tx, owner int64, codes [][32]byte) error {
	if _, err := tx.ExecContext(ctx, "DELETE FROM recovery_codes WHERE account = ?", owner); err != nil {
		return err
	}
	for _, hash := range codes {
		if _, err := tx.ExecContext(ctx, "INSERT INTO recovery_codes (hash, account) VALUES (?, ?)", hash[:],
			owner); err != nil {
			return err
		}
	}
	return nil
}

// RemoveFactor takes the second factor of an account away, with its recovery codes; its sessions are void. Of an
// account without one nothing changes.
func (s *Store) RemoveFactor(ctx context.Context, owner int64) error {
	return s.changeAccount(ctx, "remove a second factor", owner, func(tx *sql.Tx, a account.Account) error {
		if !a.Factor {
			return nil
		}
		_, err := tx.ExecContext(ctx, "DELETE FROM second_factors WHERE account = ?", owner)
		if err == nil {
			err = setCodes(ctx, tx, owner, nil)
		}
		if err == nil {
			err = s.voidSessions(ctx, tx, owner)
		}
		if err != nil {
			return err
		}
		return s.recordAccount(ctx, tx, "account.nofactor", a, nil)
	})
}

// UseStep notes that a code of a step was taken; it reports false when one of it or of a later step was before.
func (s *Store) UseStep(ctx context.Context, owner, step int64) (used bool, err error) {
	err = s.write(ctx, "take a code", func(tx *sql.Tx) error {
		r, err := tx.ExecContext(ctx, "UPDATE second_factors SET step = ? WHERE account = ? AND step < ?", step, owner,
			step)
		if err != nil {
			return err
		}
		n, err := r.RowsAffected()
		used = n == 1
		return err
	})
	return used && err == nil, err
}

// UseRecoveryCode uses a recovery code up; it reports false for one that the account does not have, or had.
func (s *Store) UseRecoveryCode(ctx context.Context, owner int64, hash [32]byte) (used bool, err error) {
	err = s.changeAccount(ctx, "use a recovery code", owner, func(tx *sql.Tx, a account.Account) error {
		r, err := tx.ExecContext(ctx, "UPDATE recovery_codes SET used_at = ? WHERE hash = ? AND account = ? AND "+
			"used_at IS NULL", s.opt.Now().Unix(), hash[:], owner)
		if err != nil {
			return err
		}
		n, err := r.RowsAffected()
		if used = n == 1; !used || err != nil {
			return err
		}
		var left int
		err = tx.QueryRowContext(ctx, "SELECT count(*) FROM recovery_codes WHERE account = ? AND used_at IS NULL",
			owner).Scan(&left)
		if err != nil {
			return err
		}
		return s.recordAccount(ctx, tx, "account.recovery", a, map[string]any{"left": left})
	})
	return used && err == nil, err
}

// AddDevice keeps a device where somebody has signed in, new or known, and the newest of the account, most in all.
func (s *Store) AddDevice(ctx context.Context, owner int64, hash [32]byte, most int) error {
	return s.write(ctx, "keep a device", func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "INSERT INTO devices (hash, account, used_at) VALUES (?, ?, ?) "+
			"ON CONFLICT (hash) DO UPDATE SET used_at = excluded.used_at", hash[:], owner, s.opt.Now().Unix())
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `DELETE FROM devices WHERE account = ?1 AND hash NOT IN (SELECT hash FROM devices
			WHERE account = ?1 ORDER BY used_at DESC, hash = ?2 DESC LIMIT ?3)`, owner, hash[:], most)
		return err
	})
}

// DeviceOf returns whose device it is, if somebody has signed in there since.
func (s *Store) DeviceOf(ctx context.Context, hash [32]byte, since time.Time) (owner int64, err error) {
	err = s.reader.QueryRowContext(ctx, "SELECT account FROM devices WHERE hash = ? AND used_at >= ?", hash[:],
		since.Unix()).Scan(&owner)
	if errors.Is(err, sql.ErrNoRows) {
		err = notFound("there is no such device")
	}
	return owner, explain(ctx, s.path, "look up a device", err)
}
