package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"

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
// these before: what a person has replaced or undone since stays so.
func addBuiltin(ctx context.Context, db *store.Store) error {
	return addOnce(ctx, db, "builtin", seed.BuiltinHash(), "built-in data of version "+version, seed.Builtin)
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
