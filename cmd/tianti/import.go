package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"syscall"
	"time"

	"github.com/alecthomas/kong"

	"tianti/audit"
	"tianti/catalog"
	"tianti/format"
	"tianti/importer"
	"tianti/web/api/imports"
)

// importCmd is tianti import.
type importCmd struct {
	Files       []string   `arg:"" name:"file" predictor:"file" help:"${import_files_help}"`
	DB          dbPath     `name:"db" placeholder:"FILE" default:"tianti.db" predictor:"file" help:"${new_db_help}"`
	Dataset     string     `placeholder:"ID" help:"${dataset_help}"`
	Format      string     `placeholder:"ID" help:"${format_help}"`
	Rank        *int       `placeholder:"N" help:"${rank_help}"`
	Mode        string     `enum:",add,replace" default:"" placeholder:"MODE" help:"${mode_help}"`
	Unknown     string     `enum:",leave,create" default:"" placeholder:"POLICY" help:"${unknown_help}"`
	Without     []string   `placeholder:"PART" help:"${without_help}"`
	Name        []pairFlag `sep:"none" placeholder:"NAME=CARD" help:"${name_help}"`
	Column      []pairFlag `sep:"none" placeholder:"COLUMN=FIELD" help:"${column_help}"`
	Date        string     `placeholder:"DATE" help:"Date of prices that bear none."`
	Currency    string     `placeholder:"CODE" help:"Currency of amounts that bear none, such as USD."`
	Kind        string     `placeholder:"KIND" help:"${kind_help}"`
	Seller      string     `placeholder:"NAME" help:"Seller of prices that name none."`
	SourceURL   string     `name:"source-url" placeholder:"URL" help:"Where the file is from."`
	SourceTitle string     `placeholder:"TITLE" help:"Title of the source."`
	DayOrder    string     `enum:",dmy,mdy" default:"" placeholder:"ORDER" help:"${day_order_help}"`
	Decimal     string     `placeholder:"MARK" help:"${decimal_help}"`
	Part        string     `placeholder:"NAME" help:"${part_help}"`
	Note        string     `placeholder:"TEXT" help:"Note for the list of revisions."`
	Yes         bool       `short:"y" help:"Apply without asking."`
	DryRun      bool       `help:"Show what would change, and change nothing."`
	JSON        bool       `name:"json" help:"Print a JSON object for each file instead of text."`
}

// importHelp is the help of flags that is too long for their tags.
var importHelp = kong.Vars{
	"import_files_help": "Files to import, one after another; - is standard input.",
	"dataset_help": "Dataset to import into: the format's unless given, or the file's name for files of our own and " +
		"tables.",
	"format_help": "Format of the files; found by what stands in them unless given. A wrong one is answered with the " +
		"list.",
	"rank_help": "Rank of the dataset: of several values the highest rank's is shown. A new dataset gets 50; the " +
		"built-in data have 100, corrections 200.",
	"mode_help": "add: what the dataset holds stays; replace: it holds what the file says. Usually add for prices, " +
		"replace for facts.",
	"unknown_help": "What to do with cards that no name of the catalogue fits: leave or create. Usually leave for " +
		"prices, create for facts.",
	"without_help": "Part of the files that is not taken: cards, figures, names, rates, annotations, price:spot and " +
		"the like; may be repeated.",
	"name_help": "Card that a name of the files means, or an instance of them, or nothing after = to leave it out; " +
		"may be repeated.",
	"column_help": "What a column of a table of any kind holds, such as VRAM=memory_gb; may be repeated.",
	"kind_help": "Kind of the prices of a table: launch, street, used, computer, server, on_demand, spot, reserved, " +
		"monthly, accelerator or accelerator_spot.",
	"day_order_help": "What 03/04/2024 means: dmy or mdy. Such dates are left out unless given.",
	"part_help":      "Table or file to read, of a file that holds several: a sheet, a table, a path of JSON.",
	"decimal_help":   "What separates decimals, . or , where 1,234 could be read either way.",
}

// pairFlag is "key=value"; the last = separates them.
type pairFlag struct{ key, value string }

// UnmarshalText reads "A100-80GB=nvidia-a100-sxm4-80gb".
func (p *pairFlag) UnmarshalText(text []byte) error {
	i := strings.LastIndexByte(string(text), '=')
	if i < 1 {
		return fmt.Errorf("%q: want a name, = and what it means", text)
	}
	p.key, p.value = string(text[:i]), strings.TrimSpace(string(text[i+1:]))
	return nil
}

func pairs(list []pairFlag) map[string]string {
	if len(list) == 0 {
		return nil
	}
	out := make(map[string]string, len(list))
	for _, p := range list {
		out[p.key] = p.value
	}
	return out
}

// Help is the manual of tianti import.
func (importCmd) Help() string {
	return `Reads a file, shows what it would change, and applies that once you say so: on a
terminal it asks, elsewhere it needs --yes. docs/import.md describes the formats:
text, JSON, web pages, workbooks (.xlsx), SQLite, Parquet. Files may be compressed
(gzip, zip); a zip may hold several.

What a file says of a card is matched with the catalogue by exact names. Rows that
cannot be taken are left out and counted by reason. A file that was imported
before changes nothing. What was chosen for a dataset (--mode, --unknown,
--without, --name, --column and what the file does not say of itself) is
remembered for its next file; --date is not.

The file is kept in the database. tianti datasets lists what was imported and
takes it back.

Examples:

    tianti import vms.csv
    tianti import --dry-run --name A100-80GB=nvidia-a100-sxm4-80gb vms.csv
    tianti import --yes --dataset shop --kind street --currency EUR prices.csv
    curl -s https://shop.example/gpus.csv | tianti import --dataset shop --yes -

Exit status:

  0  every file was applied, or would change nothing, or was only to be shown
  1  a file cannot be read or applied, or was not: one line on standard error
     says which and why; files before it stay applied
  2  the command line was not understood`
}

// options are those of every file.
func (c *importCmd) options() importer.Options {
	o := importer.Options{
		Format: c.Format, Dataset: c.Dataset, Rank: c.Rank,
		Mode: importer.Mode(c.Mode), Unknown: importer.Policy(c.Unknown), Names: pairs(c.Name),
		Reading: format.Options{
			Date: catalog.Date(c.Date), Currency: strings.ToUpper(c.Currency), Kind: catalog.PriceKind(c.Kind),
			Seller: c.Seller, Columns: pairs(c.Column), DayOrder: c.DayOrder, Decimal: c.Decimal,
			Part: c.Part,
		},
	}
	for _, g := range c.Without {
		o.Without = append(o.Without, importer.Group(g))
	}
	if c.SourceURL != "" || c.SourceTitle != "" {
		title := cmp.Or(c.SourceTitle, c.SourceURL)
		o.Reading.Source = &catalog.Source{URL: c.SourceURL, Title: title, Publisher: title, Kind: catalog.Community}
	}
	return o
}

// flagOf is the flag of a field of the options.
func flagOf(field string) string {
	switch {
	case field == "names":
		return "--name"
	case strings.HasPrefix(field, "reading.source"):
		return "--source-" + strings.TrimPrefix(strings.TrimPrefix(field, "reading.source"), ".")
	}
	return "--" + strings.ReplaceAll(strings.TrimPrefix(field, "reading."), "_", "-")
}

// validate checks what the types of the flags do not.
func (c *importCmd) validate() error {
	if c.Yes && c.DryRun {
		return errors.New("--yes applies, and --dry-run changes nothing: leave one out")
	}
	o := c.options()
	return asFlag(o.Validate())
}

// asFlag converts the error of an invalid option to one that names the flag.
func asFlag(err error) error {
	if wrong, ok := errors.AsType[*importer.OptionError](err); ok {
		return fmt.Errorf("%s: %s", flagOf(wrong.Field), wrong.Msg)
	}
	return err
}

// Run imports file after file.
func (c *importCmd) Run(e *env) (err error) {
	grow := tradeMemoryForTime()
	db, err := openOrCreate(e.ctx, c.DB)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if had, err := hasBuiltin(e.ctx, db); err != nil {
		return err
	} else if !had { // names of files are matched with its cards
		if err := addBuiltin(e.ctx, db, slog.New(slog.DiscardHandler)); err != nil {
			return err
		}
	}
	for _, file := range c.Files {
		if err := c.importFile(e, db, file, grow); err != nil {
			return err
		}
	}
	_ = db.KeepSums(e.ctx) // the next start is quicker with them, and as right without
	return nil
}

// Bounds of the heap of an import, in bytes, without the memory of SQLite: from importHeap on it grows to as much as
// what lives in it and a half, and beyond that by mostRoom at most. What lives of a long file is numbers, which
// collections do not look at.
const (
	importHeap = 60 << 20
	heapMetric = "/gc/heap/live:bytes"
	mostRoom   = 32 << 20
)

// tradeMemoryForTime lets the heap grow to five times the live data, up to a limit. In a short-lived process most
// garbage collections are in vain. grow, called now and then, raises the limit with what lives: below it collections
// would follow each other.
func tradeMemoryForTime() (grow func()) {
	debug.SetGCPercent(400)
	limit := int64(importHeap)
	debug.SetMemoryLimit(limit)
	live := []metrics.Sample{{Name: heapMetric}}
	return func() {
		metrics.Read(live)
		if live[0].Value.Kind() != metrics.KindUint64 {
			return
		}
		alive := int64(live[0].Value.Uint64())
		if most := alive + min(alive/2, mostRoom); most > limit+limit/16 {
			limit = most
			debug.SetMemoryLimit(limit)
		}
	}
}

// newImporter returns an importer; snapshot is the catalogue that files are matched with.
func newImporter(db importer.Store, snapshot func() *catalog.Snapshot) *importer.Importer {
	return importer.New(importer.Config{Store: db, Snapshot: snapshot, Today: today})
}

// today is the date in UTC.
func today() catalog.Date { return catalog.Date(time.Now().UTC().Format(time.DateOnly)) }

func (c *importCmd) importFile(e *env, db database, file string, grow func()) error {
	snap, err := db.LoadCards(e.ctx)
	if err != nil {
		return err
	}
	in := newImporter(db, func() *catalog.Snapshot { return snap })
	up, closeFile, err := upload(file)
	if err != nil {
		return err
	}
	defer closeFile()
	bar := newProgressBar(e.stderr, up.Name)
	d, err := in.Draft(e.ctx, up, c.options(), byCommand(), func(p importer.Progress) {
		grow()
		bar.show(p)
	})
	bar.clear()
	if err != nil {
		return asFlag(err)
	}
	p, err := in.Preview(e.ctx, d.ID)
	if err == nil {
		err = c.decide(e, db, in, &p)
	}
	if err == nil {
		return nil
	}
	if _, gone := db.Draft(context.WithoutCancel(e.ctx), d.ID); gone == nil {
		err = errors.Join(err, discard(e.ctx, db, d.ID))
	}
	return err
}

// byCommand is the actor of the audit log for commands.
func byCommand() audit.Actor {
	return audit.Actor{Name: systemUser(), Channel: audit.ByCommand}
}

// A draftStore has the drafts of an import.
type draftStore interface {
	draftReader
	Discard(ctx context.Context, id int64, by audit.Actor) error
}

// discard deletes a draft, unless it has been applied.
func discard(ctx context.Context, db draftStore, id int64) error {
	err := db.Discard(context.WithoutCancel(ctx), id, byCommand())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// upload opens a file, or standard input.
func upload(file string) (importer.Upload, func(), error) {
	if file == "-" {
		return importer.Upload{Name: "stdin", Size: -1, Data: os.Stdin}, func() {}, nil
	}
	f, err := os.Open(file)
	if err != nil {
		return importer.Upload{}, nil, readError(file, err)
	}
	info, err := f.Stat()
	if err == nil && info.IsDir() {
		err = syscall.EISDIR
	}
	if err != nil {
		f.Close()
		return importer.Upload{}, nil, readError(file, err)
	}
	size := int64(-1)
	if info.Mode().IsRegular() {
		size = info.Size()
	}
	return importer.Upload{Name: file, Size: size, Data: f}, func() { f.Close() }, nil
}

// decide shows the preview, and applies or discards the draft.
func (c *importCmd) decide(e *env, db draftStore, in *importer.Importer, p *importer.Preview) error {
	shape := imports.PreviewOf(p, 0, len(p.Report.Cards), nil)
	if !c.JSON {
		if err := printPreview(e.ctx, e.stdout, db, p); err != nil {
			return err
		}
	}
	rev, err := c.applyIf(e, in, p)
	if err == nil && rev == nil {
		err = discard(e.ctx, db, p.Draft.ID)
	}
	if rev != nil {
		r := imports.RevisionOf(*rev)
		shape.Revision = &r
	}
	if c.JSON {
		enc := json.NewEncoder(e.stdout)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		return errors.Join(enc.Encode(shape), err)
	}
	if err != nil {
		return err
	}
	return c.report(e.stdout, p, rev)
}

// applyIf applies a draft without problems after a confirmation. The revision is nil when there is nothing to apply.
func (c *importCmd) applyIf(e *env, in *importer.Importer, p *importer.Preview) (*importer.Revision, error) {
	switch {
	case len(p.Draft.Summary.Problems) > 0:
		problems := counted(len(p.Draft.Summary.Problems), "problem")
		return nil, fmt.Errorf("%s cannot be applied: %s to mend", p.Draft.File.Name, problems)
	case p.Draft.Summary.Nothing || c.DryRun:
		return nil, nil
	case !c.Yes:
		yes, err := confirm(e, "Apply? [y/N] ")
		if err != nil {
			return nil, fmt.Errorf("%s was not applied: %w", p.Draft.File.Name, err)
		}
		if !yes {
			return nil, fmt.Errorf("%s was not applied", p.Draft.File.Name)
		}
	}
	rev, err := in.Apply(e.ctx, p.Draft.ID, c.Note, byCommand())
	if err != nil {
		return nil, err
	}
	return &rev, nil
}

func (c *importCmd) report(w io.Writer, p *importer.Preview, rev *importer.Revision) error {
	var err error
	switch {
	case rev != nil:
		_, err = fmt.Fprintf(w, "Applied as revision %d of %s; to take it back: tianti datasets revert %s\n",
			rev.Number, rev.Dataset, rev.Dataset)
	case p.Draft.Summary.Nothing:
		_, err = fmt.Fprintf(w, "Nothing changes: %s holds what the file says.\n", p.Draft.Options.Dataset)
	default:
		_, err = fmt.Fprintln(w, "Nothing was changed (--dry-run).")
	}
	return err
}

// confirm asks on the terminal; without one it is an error.
func confirm(e *env, question string) (bool, error) {
	if !isTerminal(os.Stdin) || !isTerminal(e.stdout) {
		return false, errors.New("there is no terminal to ask on; add --yes to apply, or --dry-run to look only")
	}
	fmt.Fprint(e.stderr, question)
	answers := make(chan string, 1)
	go func() {
		line, _ := bufio.NewReader(os.Stdin).ReadString('\n')
		answers <- strings.ToLower(strings.TrimSpace(line))
	}()
	select {
	case answer := <-answers:
		return answer == "y" || answer == "yes", nil
	case <-e.ctx.Done():
		return false, context.Cause(e.ctx)
	}
}
