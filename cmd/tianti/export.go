package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/alecthomas/kong"

	"tianti/catalog"
	"tianti/cmd/tianti/internal/export"
	"tianti/format"
	"tianti/importer"
	"tianti/newfile"
	"tianti/seed"
)

// exportCmd is tianti export.
type exportCmd struct {
	Format string `enum:"yaml,json,jsonl,csv,xlsx,parquet,sqlite" default:"yaml" var:"TIANTI_EXPORT_FORMAT" help:"${export_format_help} ${default} unless given."`
	Table  string `enum:"cards,prices,rates" default:"cards" help:"${table_help} ${default} unless given."`
	Output string `short:"o" placeholder:"FILE" predictor:"file" help:"${output_help} SQLite needs one."`
	DB     dbPath `name:"db" placeholder:"FILE" default:"tianti.db" predictor:"file" help:"${export_db_help}"`
}

// exportHelp is the help of flags that is too long for their tags.
var exportHelp = kong.Vars{
	"export_format_help": "yaml, json, jsonl, csv, xlsx, parquet or sqlite;",
	"table_help":         "What a table (csv, jsonl, xlsx, parquet) holds: cards, prices or rates;",
	"output_help":        "File to write, which must not exist; standard output unless given.",
	"export_db_help": "Database: a file, or postgres://user@host/database; " + defaultDB +
		" unless given, and the built-in data when that does not exist.",
}

// Help is the manual of tianti export.
func (exportCmd) Help() string {
	return `Writes the effective catalogue: all active datasets as one.

    yaml    data files as docs/data-format.md describes them: every figure with
            its source; tianti check reads it
    json    the same as JSON; beside it all cards as the API's /api/v1/cards/{id}
            gives them, and the metrics
    csv     one row for each card, one column for each metric: the shown values;
            with --table prices or rates, one row for each of them and its source
    jsonl   the same tables, an object for each row
    xlsx    the same as a workbook
    parquet the same as Parquet
    sqlite  a database with tables cards, facts, sources, quantities; of each
            quantity of a card the fact with the smallest ordinal is the one shown

Examples:

    tianti export > catalogue.yaml
    tianti export --format csv --output catalogue.csv
    tianti export --format csv --table prices --output prices.csv
    tianti export --format sqlite --output catalogue.db --db /var/lib/tianti/tianti.db`
}

// validate rejects SQLite on standard output, and --table with another format than CSV.
func (c *exportCmd) validate() error {
	if c.Table != "cards" && !c.isTable() {
		return errors.New("--table is for --format csv, jsonl, xlsx and parquet; the others hold everything")
	}
	if c.Format == "sqlite" && c.Output == "" {
		return errors.New("--format sqlite needs --output FILE")
	}
	return nil
}

// isTable reports whether the format is of one table.
func (c *exportCmd) isTable() bool {
	return c.Format == "csv" || c.Format == "jsonl" || c.Format == "xlsx" || c.Format == "parquet"
}

// table writes the table as CSV.
func (c *exportCmd) table(w io.Writer, merged *catalog.Dataset, snap func() *catalog.Snapshot) error {
	switch c.Table {
	case "prices":
		return export.Prices(w, merged)
	case "rates":
		return export.Rates(w, merged)
	}
	return export.CSV(w, snap())
}

// Run exports.
func (c *exportCmd) Run(e *env) error {
	if err := vacant(c.Output); err != nil {
		return err
	}
	datasets, revision, err := c.datasets(e.ctx)
	if err != nil {
		return err
	}
	if c.Format == "sqlite" {
		return writeSQLite(e.ctx, c.Output, export.ByPreference(export.Merge(datasets)))
	}
	merged := export.Merge(datasets)
	err = writeTo(c.Output, e.stdout, func(w io.Writer) error {
		switch {
		case c.Format == "json":
			return export.JSON(w, catalog.NewSnapshot(0, merged), merged)
		case c.isTable():
			priced := func() *catalog.Snapshot {
				pricing := catalog.Pricing{Today: today()}.Or(catalog.DefaultPricing)
				return catalog.NewSnapshot(revision, datasets...).Priced(pricing)
			}
			if c.Format == "csv" {
				return c.table(w, &merged, priced)
			}
			var csv bytes.Buffer
			if err := c.table(&csv, &merged, priced); err != nil {
				return err
			}
			return export.As(w, c.Format, &csv)
		}
		if _, err := io.WriteString(w, format.WholeMark+"\n"); err != nil {
			return err
		}
		return seed.Encode(w, merged)
	})
	if lacks := export.Lacks(&merged, c.Table); err == nil && c.isTable() && lacks != "" {
		fmt.Fprintln(e.stderr, lacks)
	}
	return err
}

// datasets returns the active datasets and the revision of the catalogue.
func (c *exportCmd) datasets(ctx context.Context) ([]catalog.Dataset, int64, error) {
	db, err := openReadOnly(ctx, c.DB)
	if errors.Is(err, fs.ErrNotExist) && c.DB == defaultDB {
		d, err := seed.Builtin()
		return []catalog.Dataset{d}, 0, err
	}
	if err != nil {
		return nil, 0, err
	}
	datasets, revision, err := readActive(ctx, db)
	return datasets, revision, errors.Join(err, db.Close())
}

// An activeReader reads the active revisions.
type activeReader interface {
	CatalogueRevision(context.Context) (int64, error)
	Datasets(context.Context) ([]importer.Dataset, error)
	Read(ctx context.Context, revision int64) (catalog.Dataset, error)
}

// readActive reads the active revisions. As revisions are immutable, only their list has to be of one moment.
func readActive(ctx context.Context, db activeReader) (out []catalog.Dataset, revision int64, err error) {
	if revision, err = db.CatalogueRevision(ctx); err != nil {
		return nil, 0, err
	}
	list, err := db.Datasets(ctx)
	if err != nil {
		return nil, 0, err
	}
	for _, d := range list {
		if d.Active == 0 {
			continue
		}
		read, err := db.Read(ctx, d.Active)
		if err != nil {
			return nil, 0, err
		}
		read.Rank = d.Rank
		out = append(out, read)
	}
	return out, revision, nil
}

// vacant checks early that a new file can be created. Standard output has no name.
func vacant(name string) error {
	if name == "" {
		return nil
	}
	if _, err := os.Lstat(name); err == nil {
		return writeError(name, fs.ErrExist)
	}
	if _, err := os.Stat(filepath.Dir(name)); err != nil {
		return writeError(name, err)
	}
	return nil
}

// writeTo calls write with a new file, or with stdout without a name. The file has its name once it is whole.
func writeTo(name string, stdout io.Writer, write func(io.Writer) error) error {
	if name == "" {
		return write(stdout)
	}
	if err := newfile.Write(name, 0o666, func(f *os.File) error { return write(f) }); err != nil {
		return writeError(name, err)
	}
	return nil
}

// writeError says why a file cannot be written, with its name once.
func writeError(name string, err error) error {
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s exists already; it is not overwritten", name)
	}
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		err = pe.Err
	}
	return fmt.Errorf("%s cannot be written: %w", name, err)
}

// writeSQLite writes a dataset as a new database: it fills one in a temporary folder beside it, and copies that
// compacted to the name.
func writeSQLite(ctx context.Context, name string, d catalog.Dataset) (err error) {
	dir, err := os.MkdirTemp(filepath.Dir(name), ".tianti-export-")
	if err != nil {
		return writeError(name, err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	db, err := openOrCreate(ctx, dbPath(filepath.Join(dir, "export.db")))
	if err != nil {
		return err
	}
	_, err = db.Import(ctx, d, importer.FileInfo{}, "export of version "+version)
	if err == nil {
		err = db.WordPrices(ctx)
	}
	if err == nil {
		err = db.Backup(ctx, name)
	}
	return errors.Join(err, db.Close())
}

// sqliteOf is the effective catalogue as a database, as tianti export writes it.
func sqliteOf(ctx context.Context, db activeReader) (data []byte, err error) {
	datasets, _, err := readActive(ctx, db)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "tianti-catalogue-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	name := filepath.Join(dir, "catalogue.db")
	if err := writeSQLite(ctx, name, export.ByPreference(export.Merge(datasets))); err != nil {
		return nil, err
	}
	return os.ReadFile(name)
}
