// Package migrations holds the database schema as goose migrations, embedded.
// A migration is never edited once it was shipped.
package migrations

import "embed"

// FS holds the migrations, named NNNNN_what.sql. The one that is missing is in package store: it encodes prices.
//
//go:embed *.sql
var FS embed.FS
