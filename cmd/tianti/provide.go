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
	"tianti/importer"
	"tianti/seed"
)

// addBuiltin imports the built-in data unless the same revision was imported before, even if it was reverted. When the
// database has built-in data of another version and an administrator who can review a draft, it makes a draft instead.
func addBuiltin(ctx context.Context, db database, log *slog.Logger) error {
	_, err := db.FindRevision(ctx, importer.Builtin, seed.BuiltinHash())
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	review, err := needsReview(ctx, db)
	if err != nil {
		return err
	}
	note := "built-in data of version " + version
	if !review {
		return addOnce(ctx, db, importer.Builtin, seed.BuiltinHash(), note, seed.Builtin)
	}
	data, err := seed.Builtin()
	if err != nil {
		return err
	}
	d, err := newImporter(db, func() *catalog.Snapshot { return nil }).OfferBuiltin(ctx, data, seed.BuiltinHash(), note)
	if err == nil {
		page := "/admin/import/" + strconv.FormatInt(d.ID, 10)
		log.Info("newer built-in data wait to be looked at and applied", "draft", d.ID, "page", page)
	}
	return err
}

// needsReview reports whether newer built-in data have to be reviewed: others are there, and an administrator.
func needsReview(ctx context.Context, db database) (bool, error) {
	had, err := hasBuiltin(ctx, db)
	if err != nil || !had {
		return false, err
	}
	accounts, err := db.Accounts(ctx)
	isAdmin := func(a account.Account) bool { return a.Role == account.Administrator && !a.Disabled }
	return slices.ContainsFunc(accounts, isAdmin), err
}

// hasBuiltin reports whether the database has or had built-in data of any version.
func hasBuiltin(ctx context.Context, db datasetLister) (bool, error) {
	list, err := db.Datasets(ctx)
	return slices.ContainsFunc(list, func(d importer.Dataset) bool { return d.ID == importer.Builtin }), err
}

// addSynthetic imports n synthetic cards, for load tests.
func addSynthetic(ctx context.Context, db revisionAdder, n int) error {
	if n == 0 {
		return nil
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "synthetic %d", n))
	create := func() (catalog.Dataset, error) { return sample.Dataset("synthetic", n), nil }
	return addOnce(ctx, db, "synthetic", hex.EncodeToString(sum[:]), fmt.Sprintf("%d synthetic cards", n), create)
}

// A revisionAdder adds the program's own datasets.
type revisionAdder interface {
	FindRevision(ctx context.Context, dataset, sha256 string) (importer.Revision, error)
	Import(ctx context.Context, d catalog.Dataset, f importer.FileInfo, note string) (importer.Revision, error)
}

// addOnce imports a dataset unless one with the hash was imported before; create is called only then.
func addOnce(
	ctx context.Context, db revisionAdder, dataset, hash, note string, create func() (catalog.Dataset, error),
) error {
	_, err := db.FindRevision(ctx, dataset, hash)
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	d, err := create()
	if err != nil {
		return err
	}
	_, err = db.Import(ctx, d, importer.FileInfo{SHA256: hash}, note)
	return err
}
