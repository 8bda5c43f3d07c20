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
	"strings"
	"syscall"
	"time"

	"tianti/catalog"
	"tianti/ingest"
	"tianti/intake"
	"tianti/store"
	"tianti/web/api"
)

// importCmd is tianti import.
type importCmd struct {
	Files       []string   `arg:"" name:"file" predictor:"file" help:"Files to import, one after another; - is standard input."`
	DB          dbPath     `name:"db" placeholder:"FILE" default:"tianti.db" predictor:"file" help:"Database file, made when it is missing; ${default} unless given."`
	Dataset     string     `placeholder:"ID" help:"Dataset to import into: the format's unless given, or the file's name for files of our own and tables."`
	Format      string     `placeholder:"ID" help:"Format of the files; found by what stands in them unless given. A wrong one is answered with the list."`
	Rank        *int       `placeholder:"N" help:"Rank of the dataset: of several values the highest rank's is shown. A new dataset gets 50; the built-in data have 100, corrections 200."`
	Mode        string     `enum:",add,replace" default:"" placeholder:"MODE" help:"add: what the dataset holds stays; replace: it holds what the file says. Usually add for prices, replace for facts."`
	Unknown     string     `enum:",leave,create" default:"" placeholder:"POLICY" help:"What to do with cards that no name of the catalogue fits: leave or create. Usually leave for prices, create for facts."`
	Without     []string   `placeholder:"PART" help:"Part of the files that is not taken: cards, figures, names, rates, annotations, price:spot and the like; may be repeated."`
	Name        []pairFlag `sep:"none" placeholder:"NAME=CARD" help:"Card that a name of the files means, or nothing after = to leave it out; may be repeated."`
	Column      []pairFlag `sep:"none" placeholder:"COLUMN=FIELD" help:"What a column of a table of any kind holds, such as VRAM=memory_gb; may be repeated."`
	Date        string     `placeholder:"DATE" help:"Date of prices that bear none."`
	Currency    string     `placeholder:"CODE" help:"Currency of amounts that bear none, such as USD."`
	Kind        string     `placeholder:"KIND" help:"Kind of the prices of a table: launch, street, used, server, on_demand, spot, reserved or monthly."`
	Seller      string     `placeholder:"NAME" help:"Seller of prices that name none."`
	SourceURL   string     `name:"source-url" placeholder:"URL" help:"Where the file is from."`
	SourceTitle string     `placeholder:"TITLE" help:"Title of the source."`
	DayOrder    string     `enum:",dmy,mdy" default:"" placeholder:"ORDER" help:"What 03/04/2024 means: dmy or mdy. Such dates are left out unless given."`
	Decimal     string     `placeholder:"MARK" help:"What separates decimals, . or , where 1,234 could be read either way."`
	Note        string     `placeholder:"TEXT" help:"Note for the list of revisions."`
	Yes         bool       `short:"y" help:"Apply without asking."`
	DryRun      bool       `help:"Show what would change, and change nothing."`
	JSON        bool       `name:"json" help:"Print a JSON object for each file instead of text."`
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
terminal it asks, elsewhere it needs --yes. docs/import.md describes the formats.
Files may be compressed (gzip, zip).

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
func (c *importCmd) options() intake.Options {
	o := intake.Options{Format: c.Format, Dataset: c.Dataset, Rank: c.Rank, Mode: intake.Mode(c.Mode), Unknown: intake.Policy(c.Unknown), Names: pairs(c.Name),
		Reading: ingest.Options{Date: catalog.Date(c.Date), Currency: strings.ToUpper(c.Currency), Kind: catalog.PriceKind(c.Kind), Seller: c.Seller,
			Columns: pairs(c.Column), DayOrder: c.DayOrder, Decimal: c.Decimal}}
	for _, g := range c.Without {
		o.Without = append(o.Without, intake.Group(g))
	}
	if c.SourceURL != "" || c.SourceTitle != "" {
		o.Reading.Source = &catalog.Source{URL: c.SourceURL, Title: cmp.Or(c.SourceTitle, c.SourceURL), Publisher: cmp.Or(c.SourceTitle, c.SourceURL), Kind: catalog.Community}
	}
	return o
}

// flagOf is the flag behind a field of the options.
func flagOf(field string) string {
	switch {
	case field == "names":
		return "--name"
	case strings.HasPrefix(field, "reading.source"):
		return "--source-" + strings.TrimPrefix(strings.TrimPrefix(field, "reading.source"), ".")
	}
	return "--" + strings.ReplaceAll(strings.TrimPrefix(field, "reading."), "_", "-")
}

// Validate checks what the types of the flags do not.
func (c *importCmd) Validate() error {
	if c.Yes && c.DryRun {
		return errors.New("--yes applies, and --dry-run changes nothing: leave one out")
	}
	o := c.options()
	return asFlag(o.Validate())
}

// asFlag names the flag of an option that cannot be.
func asFlag(err error) error {
	if wrong, ok := errors.AsType[*intake.OptionError](err); ok {
		return fmt.Errorf("%s: %s", flagOf(wrong.Field), wrong.Msg)
	}
	return err
}

// Run imports file after file.
func (c *importCmd) Run(e *env) (err error) {
	tradeMemoryForTime()
	db, err := store.Open(e.ctx, string(c.DB), store.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if had, err := hasBuiltin(e.ctx, db); err != nil {
		return err
	} else if !had { // names are matched with its cards
		if err := addBuiltin(e.ctx, db, slog.New(slog.DiscardHandler)); err != nil {
			return err
		}
	}
	for _, file := range c.Files {
		if err := c.importFile(e, db, file); err != nil {
			return err
		}
	}
	return nil
}

// tradeMemoryForTime lets garbage grow to four times what is in use, within a bound:
// for a process that ends with its work, collecting it is most often in vain.
func tradeMemoryForTime() {
	const most = 160 << 20 // bytes, besides SQLite's own
	debug.SetGCPercent(400)
	debug.SetMemoryLimit(most)
}

// newIntake takes files in; snapshot is the catalogue that they are matched with.
func newIntake(db intake.Store, snapshot func() *catalog.Snapshot) *intake.Intake {
	return intake.New(intake.Config{Store: db, Snapshot: snapshot, Today: today})
}

// today is the day, as the world counts it.
func today() catalog.Date { return catalog.Date(time.Now().UTC().Format(time.DateOnly)) }

func (c *importCmd) importFile(e *env, db *store.Store, file string) error {
	snap, err := db.LoadCards(e.ctx)
	if err != nil {
		return err
	}
	in := newIntake(db, func() *catalog.Snapshot { return snap })
	up, closeFile, err := upload(file)
	if err != nil {
		return err
	}
	defer closeFile()
	bar := newProgressBar(e.stderr, up.Name)
	d, err := in.Draft(e.ctx, up, c.options(), byCommand(), bar.show)
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

// byCommand is who imports by this command.
func byCommand() intake.Actor { return intake.Actor{Name: systemUser(), Via: intake.ByCommand} }

func discard(ctx context.Context, db *store.Store, id int64) error {
	err := db.Discard(context.WithoutCancel(ctx), id, byCommand())
	if errors.Is(err, fs.ErrNotExist) {
		return nil // it has been applied
	}
	return err
}

// upload opens a file, or standard input.
func upload(file string) (intake.Upload, func(), error) {
	if file == "-" {
		return intake.Upload{Name: "stdin", Size: -1, Data: os.Stdin}, func() {}, nil
	}
	f, err := os.Open(file)
	if err != nil {
		return intake.Upload{}, nil, readError(file, err)
	}
	info, err := f.Stat()
	if err == nil && info.IsDir() {
		err = syscall.EISDIR
	}
	if err != nil {
		f.Close()
		return intake.Upload{}, nil, readError(file, err)
	}
	size := int64(-1)
	if info.Mode().IsRegular() {
		size = info.Size()
	}
	return intake.Upload{Name: file, Size: size, Data: f}, func() { f.Close() }, nil
}

// decide shows the preview and applies it, or takes it away.
func (c *importCmd) decide(e *env, db *store.Store, in *intake.Intake, p *intake.Preview) error {
	shape := api.PreviewOf(p, 0, len(p.Report.Cards), nil)
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
		r := api.RevisionOf(*rev)
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

// applyIf applies a draft if it can be, and is to be; without both there is no
// revision.
func (c *importCmd) applyIf(e *env, in *intake.Intake, p *intake.Preview) (*intake.Revision, error) {
	switch {
	case len(p.Draft.Summary.Problems) > 0:
		return nil, fmt.Errorf("%s cannot be applied: %s to mend", p.Draft.File.Name, counted(len(p.Draft.Summary.Problems), "problem"))
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

func (c *importCmd) report(w io.Writer, p *intake.Preview, rev *intake.Revision) error {
	var err error
	switch {
	case rev != nil:
		_, err = fmt.Fprintf(w, "Applied as revision %d of %s; to take it back: tianti datasets revert %s\n", rev.Number, rev.Dataset, rev.Dataset)
	case p.Draft.Summary.Nothing:
		_, err = fmt.Fprintf(w, "Nothing changes: %s holds what the file says.\n", p.Draft.Options.Dataset)
	default:
		_, err = fmt.Fprintln(w, "Nothing was changed (--dry-run).")
	}
	return err
}

// confirm asks on the terminal; without one there is nobody to ask.
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
