package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"slices"
	"strconv"

	"tianti/account"
	"tianti/catalog"
	"tianti/catalog/sample"
	"tianti/intake"
	"tianti/seed"
	"tianti/store"
)

// dbPath is a database file.
type dbPath string

const defaultDB = "tianti.db"

// addBuiltin imports the built-in data unless the database has had exactly
// these before: what a person has replaced or undone since stays so. Where there are
// other built-in data and an administrator, who may have looked at them, it makes a
// draft of the newer ones, which is offered; without one nobody could apply it.
func addBuiltin(ctx context.Context, db *store.Store, log *slog.Logger) error {
	_, err := db.FindRevision(ctx, intake.Builtin, seed.BuiltinHash())
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	offer, err := toBeOffered(ctx, db)
	if err != nil {
		return err
	}
	note := "built-in data of version " + version
	if !offer {
		return addOnce(ctx, db, intake.Builtin, seed.BuiltinHash(), note, seed.Builtin)
	}
	data, err := seed.Builtin()
	if err != nil {
		return err
	}
	d, err := newIntake(db, func() *catalog.Snapshot { return nil }).OfferBuiltin(ctx, data, seed.BuiltinHash(), note)
	if err == nil {
		log.Info("newer built-in data wait to be looked at and applied", "draft", d.ID, "page", "/admin/import/"+strconv.FormatInt(d.ID, 10))
	}
	return err
}

// toBeOffered reports whether newer built-in data are for somebody to look at.
func toBeOffered(ctx context.Context, db *store.Store) (bool, error) {
	had, err := hasBuiltin(ctx, db)
	if err != nil || !had {
		return false, err
	}
	accounts, err := db.Accounts(ctx)
	isAdmin := func(a account.Account) bool { return a.Role == account.Administrator && !a.Disabled }
	return slices.ContainsFunc(accounts, isAdmin), err
}

// hasBuiltin reports whether the database has or had built-in data of any version.
func hasBuiltin(ctx context.Context, db *store.Store) (bool, error) {
	list, err := db.Datasets(ctx)
	return slices.ContainsFunc(list, func(d intake.Dataset) bool { return d.ID == intake.Builtin }), err
}

// addSynthetic imports n synthetic cards, for load tests.
func addSynthetic(ctx context.Context, db *store.Store, n int) error {
	if n == 0 {
		return nil
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "synthetic %d", n))
	return addOnce(ctx, db, "synthetic", hex.EncodeToString(sum[:]), fmt.Sprintf("%d synthetic cards", n), func() (catalog.Dataset, error) {
		return sample.Dataset("synthetic", n), nil
	})
}

// addOnce imports a dataset of the program's own unless it was imported before;
// only then is it made.
func addOnce(ctx context.Context, db *store.Store, dataset, hash, note string, make func() (catalog.Dataset, error)) error {
	_, err := db.FindRevision(ctx, dataset, hash)
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	d, err := make()
	if err != nil {
		return err
	}
	_, err = db.Import(ctx, d, intake.FileInfo{SHA256: hash}, note)
	return err
}
