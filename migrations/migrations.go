// Package migrations holds the database schema as goose migrations, embedded.
// A migration is never edited once it was shipped.
package migrations

import (
	"embed"
	"io/fs"
)

// FS holds the migrations of SQLite, named NNNNN_what.sql. The one that is missing is in package store: it encodes
// prices.
//
//go:embed *.sql
var FS embed.FS

//go:embed postgres/*.sql
var postgres embed.FS

// Postgres holds the migrations of PostgreSQL, whose numbers are its own.
var Postgres = func() fs.FS {
	folder, err := fs.Sub(postgres, "postgres")
	if err != nil {
		panic(err) // the name is a constant
	}
	return folder
}()
