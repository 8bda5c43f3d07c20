package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/alecthomas/kong"

	"tianti/catalog"
	"tianti/pricefile"
	"tianti/publish"
	"tianti/publish/bucket"
	"tianti/web/monitor"
)

// keeping has the flags for old snapshots.
type keeping struct {
	Keep    int           `placeholder:"N" default:"5" help:"${keep_help} ${default} unless given."`
	KeepFor time.Duration `placeholder:"TIME" default:"1h" help:"${keep_for_help} ${default} unless given."`

	PricesApart int `placeholder:"N" default:"200000" help:"${prices_apart_help} ${default} unless given."`
}

// validate checks what the types of the flags do not.
func (k *keeping) validate() error {
	switch {
	case k.Keep < 1 || k.Keep > 10_000:
		return fmt.Errorf("--keep is %d: want 1 to 10000", k.Keep)
	case k.KeepFor < publish.Grace || k.KeepFor > 10*365*24*time.Hour:
		return fmt.Errorf("--keep-for is %s: want 10m to 87600h", k.KeepFor)
	case k.PricesApart < 0:
		return fmt.Errorf("--prices-apart is %d: want 0 or more", k.PricesApart)
	}
	return nil
}

// publishing has the flags of tianti serve for publishing.
type publishing struct {
	Publish string `placeholder:"URL" help:"${publish_help}"`
	keeping `embed:""`
}

// publishHelp is the help of flags that is too long for their tags.
var publishHelp = kong.Vars{
	"publish_help": "Publish the catalogue for readers after each change: s3://bucket/prefix or file:///folder.",
	"to_help":      "Where to publish: s3://bucket/prefix or file:///folder.",
	"keep_help":    "How many published snapshots are kept besides the current one;",
	"keep_for_help": "How long a published snapshot is kept at least after another one took its place, at least 10m " +
		"for readers that are just fetching it;",
	"prices_apart_help": "From how many prices on they are left out of snapshots: readers take them from the files " +
		"beside, and fetch again only those that change;",
	"publish_origin_help": "Where administrators reach the server that writes, such as https://admin.example: " +
		"readers send people there.",
	"publish_replace_help": "Publish also a revision that is older than the published one, as after a restored backup.",
	"from_folder":          "tianti.snapshots",
	"from_help": "Show what another server publishes there, instead of a database: s3://bucket/prefix, https://… or " +
		"file:///folder. Nothing can be changed here.",
	"from_every_help":  "How often --from is asked whether there is something new;",
	"from_folder_help": "Folder of this process alone, in which --from keeps the last good snapshot;",
	"from_mb_help":     "Size up to which --from takes a database, in MB;",
	"from_history_mb_help": "Size up to which --from keeps files of prices, in MB: what is beyond is fetched when " +
		"somebody asks;",
}

// newPublisher makes what publishes db to an address.
func newPublisher(
	e *env, db database, address, origin string, k keeping, log *slog.Logger,
) (*publish.Publisher, error) {
	to, err := bucket.Open(address, e.getenv)
	if err != nil {
		return nil, err
	}
	return &publish.Publisher{Bucket: to, Write: db.Publish, History: priceFiles, Apart: db.SetPricesApart,
		ApartFrom: k.PricesApart, Program: version, Writer: origin, Keep: k.Keep, KeepFor: k.KeepFor,
		Temp: e.getenv("SQLITE_TMPDIR"), Log: log}, nil
}

// priceFiles writes the prices of a published database as files; see [publish.Publisher].
func priceFiles(
	ctx context.Context, path, dir string, known func(madeOf string) (pricefile.Part, bool),
) (h *pricefile.History, err error) {
	db, err := openPublished(ctx, path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	return db.PriceFiles(ctx, dir, known)
}

// publisher makes the publisher of tianti serve; nil without --publish.
func (p *publishing) publisher(e *env, db database, origin string, log *slog.Logger) (*publish.Publisher, error) {
	if p.Publish == "" {
		return nil, nil
	}
	made, err := newPublisher(e, db, p.Publish, origin, p.keeping, log)
	if err != nil {
		return nil, usageError{fmt.Errorf("--publish: %w", err)}
	}
	return made, nil
}

// publishAlong returns a swap that also has p publish, unless p is nil; it is called once at a time. done ends p and
// waits until it has.
func publishAlong(
	ctx context.Context, p *publish.Publisher, swap func(*catalog.Snapshot),
) (show func(*catalog.Snapshot), done func()) {
	if p == nil {
		return swap, func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	moved := make(chan struct{}, 1)
	var running sync.WaitGroup
	begun := false
	show = func(snap *catalog.Snapshot) {
		swap(snap)
		switch {
		case snap.Partial():
		case !begun: // it publishes at once
			begun = true
			running.Go(func() { p.Run(ctx, moved) })
		default:
			select {
			case moved <- struct{}{}:
			default: // it will publish what holds then
			}
		}
	}
	return show, func() { cancel(); running.Wait() }
}

// publishingState tells the metrics of p; nil without one.
func publishingState(p *publish.Publisher) func() monitor.Publishing {
	if p == nil {
		return nil
	}
	return func() monitor.Publishing {
		s := p.Status()
		return monitor.Publishing{Up: s.Err == nil && !s.At.IsZero(), Revision: s.Last.Revision, At: s.Last.Published,
			Checked: s.At, Took: s.Took, Bytes: s.Last.Size, Failures: s.Failures}
	}
}

// publishCmd is tianti publish.
type publishCmd struct {
	To      string `required:"" placeholder:"URL" help:"${to_help}"`
	DB      dbPath `name:"db" placeholder:"FILE" default:"tianti.db" predictor:"file" help:"${db_help}"`
	Origin  string `placeholder:"URL" help:"${publish_origin_help}"`
	Replace bool   `help:"${publish_replace_help}"`
	keeping `embed:""`
}

// Help is the manual of tianti publish.
func (publishCmd) Help() string {
	return `Publishes the catalogue of this moment for readers, which are servers started
with tianti serve --from URL. tianti serve --publish URL does so after each
change; this command is for databases that no server has open, and for scripts.

What is published is a compressed database with the figures, prices and
measured runs that everybody may see. Accounts, sessions, tokens, drafts, files
as they were handed in, feeds and the audit log are not in it, nor who imported
what. It is written as snapshots/<sha256>.db.zst and never changed; then
current.json is made to name it, on condition that nobody else has done so
meanwhile. Readers may go on reading all the time. One database publishes to one
place: a revision that is older than the published one is refused.

For s3:// these variables count: AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY,
AWS_SESSION_TOKEN, AWS_PROFILE, AWS_REGION, AWS_ENDPOINT_URL_S3 (of a store that
is not Amazon's), and what Kubernetes, ECS and EC2 set for the identity of a
service.

Examples:

    tianti publish --to file:///srv/tianti
    AWS_ENDPOINT_URL_S3=https://s3.example tianti publish --to s3://cards/live`
}

// validate checks what the types of the flags do not.
func (c *publishCmd) validate() error {
	if c.Origin != "" && !isOrigin(c.Origin) {
		return fmt.Errorf("--origin is %q: want a scheme and a host, such as https://admin.example", c.Origin)
	}
	return c.keeping.validate()
}

// Run publishes once.
func (c *publishCmd) Run(e *env) error {
	db, err := openReadOnly(e.ctx, c.DB)
	if err != nil {
		return err
	}
	defer db.Close()
	log, flush := newLog(e.stderr, "text")
	defer flush()
	p, err := newPublisher(e, db, c.To, c.Origin, c.keeping, log)
	if err != nil {
		return usageError{fmt.Errorf("--to: %w", err)}
	}
	p.Replace = c.Replace
	r, err := p.Publish(e.ctx)
	if err != nil {
		return err
	}
	if !r.Changed {
		_, err = fmt.Fprintf(e.stdout, "Revision %d is published at %s already.\n", r.Revision, p.Bucket)
		return err
	}
	_, err = fmt.Fprintf(e.stdout, "Published revision %d at %s: %s, %d bytes.\n",
		r.Revision, p.Bucket, r.Key(), r.Size)
	if r.Deleted > 0 && err == nil {
		_, err = fmt.Fprintf(e.stdout, "Deleted %d old snapshots.\n", r.Deleted)
	}
	return err
}
