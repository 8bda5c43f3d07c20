package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"tianti/catalog"
	"tianti/importer"
	"tianti/refresh"
)

// refreshCmd is tianti refresh.
type refreshCmd struct {
	File  string   `arg:"" predictor:"file" help:"File of feeds, YAML; see below."`
	DB    dbPath   `name:"db" placeholder:"FILE" default:"tianti.db" predictor:"file" help:"${new_db_help}"`
	Feed  []string `placeholder:"ID" help:"Look at this feed only; may be repeated."`
	Apply bool     `help:"${refresh_apply_help}"`
	JSON  bool     `name:"json" help:"Print a JSON object for each feed instead of text."`
}

// refreshHelp is the help of flags that is too long for their tags.
var refreshHelp = kong.Vars{
	"refresh_apply_help": "Apply drafts that change prices alone, each by no more than max_change of its feed, " +
		"whatever the file says of apply.",
	"refresh_help": "File of feeds that are looked at again and again, as of tianti refresh. Without it no feed is " +
		"looked at.",
	"refresh_every_help": "How often each feed of --refresh is looked at;",
}

// Help is the manual of tianti refresh.
func (refreshCmd) Help() string {
	return `Looks at feeds, which are files that you name by URL or path, in the formats of
tianti import, and makes a draft of what is new in each, to be looked at under
/admin/import. tianti serve --refresh FILE does the same on a schedule.

Only hosts that the file lists are asked, by https, at public addresses, with a
limit of size and time, and not again for a file that has not changed. A feed
that cannot be read changes nothing. The first draft of a feed always waits for
you; with apply, later ones that change prices alone, each within max_change of
the last, are applied.

The file of feeds:

    hosts: [raw.githubusercontent.com]
    apply: false                 # of feeds that do not say
    max_change: 30               # percent, likewise
    feeds:
      - id: greek-shops          # also the dataset, unless dataset is given
        url: https://raw.githubusercontent.com/TeoAmpatzis/gpu-prices-gr/main/public/data/gpu/latest.json
        apply: true
      - id: shop
        file: /srv/prices/gpus-{yyyy}-{mm}.csv
        format: table            # as --format, --mode, --kind … of tianti import:
        kind: street             # rank, unknown, names, without, columns, currency,
        columns: {GPU: card, Price (EUR): amount}   # seller, day_order, decimal,
        max_mb: 5                # source_url, source_title
        timeout: 30s

docs/import.md explains each. What became of a feed is printed, kept in the
database, shown under /admin/datasets, and written into the audit log.

Exit status:

  0  each feed could be read; drafts may wait to be looked at
  1  a feed could not be read, or the database fails
  2  the command line was not understood`
}

// readFeeds reads a file of feeds.
func readFeeds(path string) (*refresh.Feeds, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, readError(path, err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, refresh.MaxConfig+1))
	if err != nil {
		return nil, readError(path, err)
	}
	folder, err := filepath.Abs(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	feeds, err := refresh.Parse(text, folder)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return feeds, nil
}

// choose leaves the feeds of --feed, and sets --apply.
func (c *refreshCmd) choose(feeds *refresh.Feeds) error {
	for _, id := range c.Feed {
		if !slices.ContainsFunc(feeds.Feeds, func(f refresh.Feed) bool { return f.ID == id }) {
			var ids []string
			for i := range feeds.Feeds {
				ids = append(ids, feeds.Feeds[i].ID)
			}
			return fmt.Errorf("--feed: there is no feed %q; want one of %s", id, strings.Join(ids, ", "))
		}
	}
	feeds.Feeds = slices.DeleteFunc(feeds.Feeds, func(f refresh.Feed) bool {
		return len(c.Feed) > 0 && !slices.Contains(c.Feed, f.ID)
	})
	for i := range feeds.Feeds {
		if c.Apply {
			feeds.Feeds[i].Apply = &c.Apply
		}
	}
	return nil
}

// Run looks at the feeds.
func (c *refreshCmd) Run(e *env) (err error) {
	feeds, err := readFeeds(c.File)
	if err == nil {
		err = c.choose(feeds)
	}
	if err != nil {
		return err
	}
	_ = tradeMemoryForTime()
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
	return c.look(e, db, feeds)
}

func (c *refreshCmd) look(e *env, db database, feeds *refresh.Feeds) error {
	failed := 0
	for i := range feeds.Feeds {
		snap, err := db.Load(e.ctx, nil)
		if err != nil {
			return err
		}
		shown := func() *catalog.Snapshot { return snap }
		r := refresh.New(refresh.Config{Feeds: feeds, Store: db, Importer: newImporter(db, shown), Snapshot: shown,
			Version: version})
		rec, err := r.One(e.ctx, &feeds.Feeds[i])
		if err != nil {
			return err
		}
		if rec.Result.Outcome == refresh.Failed {
			failed++
		}
		if err := c.report(e.stdout, &rec); err != nil {
			return err
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d feeds could not be read", failed, len(feeds.Feeds))
	}
	return nil
}

func (c *refreshCmd) report(w io.Writer, rec *refresh.Record) error {
	if !c.JSON {
		_, err := fmt.Fprintf(w, "%s: %s\n", rec.Feed, rec.Result)
		return err
	}
	return printJSON(w, struct {
		Feed    string    `json:"feed"`
		Address string    `json:"address"`
		Dataset string    `json:"dataset"`
		Checked time.Time `json:"checked"`
		refresh.Result
	}{rec.Feed, rec.Address, rec.Dataset, rec.Checked, rec.Result})
}

// refreshing has the flags of the schedule.
type refreshing struct {
	Refresh      string        `type:"path" placeholder:"FILE" predictor:"file" help:"${refresh_help}"`
	RefreshEvery time.Duration `placeholder:"DURATION" default:"24h" help:"${refresh_every_help} ${default} unless given."`
}

// validate checks how often feeds are looked at.
func (c *refreshing) validate() error {
	if c.RefreshEvery < refresh.MinEvery {
		return fmt.Errorf("--refresh-every is %s: want %s or more", c.RefreshEvery, refresh.MinEvery)
	}
	return nil
}

// scheduler makes what looks at feeds until its context ends; nil without --refresh.
func (c *refreshing) scheduler(
	db refresh.Store, in *importer.Importer, shown func() *catalog.Snapshot, changed func(), log *slog.Logger,
) (func(context.Context), error) {
	if c.Refresh == "" {
		return nil, nil
	}
	feeds, err := readFeeds(c.Refresh)
	if err != nil {
		return nil, err
	}
	r := refresh.New(refresh.Config{Feeds: feeds, Store: db, Importer: in, Snapshot: shown, Version: version, Log: log,
		Changed: changed})
	return func(ctx context.Context) { r.Run(ctx, c.RefreshEvery) }, nil
}
