package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/netip"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/alecthomas/kong"

	"tianti/audit"
	"tianti/catalog"
	"tianti/changes"
	"tianti/importer"
	"tianti/webhook"
)

// telling has the flags of webhooks.
type telling struct {
	WebhookAllow []prefix `placeholder:"NETWORK" help:"${webhook_allow_help}"`
}

// webhookHelp is the help of flags that is too long for their tags.
var webhookHelp = kong.Vars{
	"webhook_allow_help": "Private network that webhooks may reach, such as 10.0.0.0/8, also without TLS; may be " +
		"repeated. Public addresses are reached by https.",
	"webhook_set_help": "Kind of change: import.applied, figures.changed or prices.changed; may be repeated.",
	"webhook_event_help": "Kind of change: import.applied, figures.changed or prices.changed; may be repeated. " +
		"Figures and prices unless given.",
}

func (c *telling) networks() (out []netip.Prefix) {
	for _, p := range c.WebhookAllow {
		out = append(out, p.Prefix)
	}
	return out
}

// sender sends what a database has to tell.
func (c *telling) sender(db database, origin string, log *slog.Logger) *webhook.Sender {
	return webhook.New(webhook.Config{Store: db, Differ: changes.NewLog(db), Private: c.networks(), Origin: origin,
		Version: version, Log: log})
}

// tellAlong sends messages from when the catalogue is whole, and looks at once when it has changed; done ends that.
func tellAlong(
	ctx context.Context, s *webhook.Sender, swap func(*catalog.Snapshot),
) (show func(*catalog.Snapshot), done func()) {
	if s == nil {
		return swap, func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	begun := false
	show = func(snap *catalog.Snapshot) {
		swap(snap)
		switch {
		case snap.Partial():
		case !begun:
			begun = true
			running.Go(func() { s.Run(ctx) })
		default:
			s.Poke()
		}
	}
	return show, func() { cancel(); running.Wait() }
}

// webhookCmd is tianti webhook.
type webhookCmd struct {
	Add    webhookAddCmd    `cmd:"" help:"Add an address and print its secret, once."`
	List   webhookListCmd   `cmd:"" help:"List the addresses, without secrets."`
	Log    webhookLogCmd    `cmd:"" help:"List the messages to an address, and what became of them."`
	Set    webhookSetCmd    `cmd:"" help:"Change what an address is told, and whether."`
	Test   webhookTestCmd   `cmd:"" help:"Have the server send a test."`
	Rotate webhookRotateCmd `cmd:"" help:"Make a new secret and print it, once."`
	Remove webhookRemoveCmd `cmd:"" help:"Forget an address and its messages."`
}

// webhookNumber is which webhook a command is about.
type webhookNumber struct {
	Number    int64 `arg:"" help:"Number of the webhook, as tianti webhook list shows it."`
	datasetDB `embed:""`
}

// change changes a webhook; the audit log names the user of the system.
func (c datasetDB) change(e *env, do func(context.Context, database) error) error {
	return c.write(e, func(db database, _ *importer.Importer) error {
		err := do(audit.WithActor(e.ctx, byCommand()), db)
		if errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("%w (tianti webhook list shows them)", err)
		}
		return err
	})
}

type webhookAddCmd struct {
	URL       string   `arg:"" help:"Address that is told; https."`
	Event     []string `enum:"import.applied,figures.changed,prices.changed" placeholder:"EVENT" help:"${webhook_event_help}"`
	Note      string   `placeholder:"TEXT" help:"For people, such as what listens there."`
	datasetDB `embed:""`
	telling   `embed:""`
}

// Help is the manual of tianti webhook add.
func (webhookAddCmd) Help() string {
	return `Adds an address that a running server tells when the catalogue has changed, and
prints on standard output the secret that signs the messages. It is not shown
again; tianti webhook rotate makes another one. docs/webhooks.md says what is
sent and how receivers check it.

Example:

    (umask 077; tianti webhook add --event prices.changed https://ops.example/tianti > secret.txt)`
}

// Run adds the address.
func (c *webhookAddCmd) Run(e *env) error {
	to := webhook.Endpoint{URL: c.URL, Note: c.Note, Events: eventsOf(c.Event), Secret: webhook.NewSecret()}
	if len(to.Events) == 0 {
		to.Events = []webhook.Event{webhook.FiguresChanged, webhook.PricesChanged}
	}
	if err := to.Check(c.networks()); err != nil {
		return err
	}
	return c.change(e, func(ctx context.Context, db database) error {
		if _, err := db.AddWebhook(ctx, to); err != nil {
			return err
		}
		_, err := fmt.Fprintln(e.stdout, webhook.Text(to.Secret))
		return err
	})
}

func eventsOf(names []string) (out []webhook.Event) {
	for _, n := range names {
		out = append(out, webhook.Event(n))
	}
	return out
}

type webhookListCmd struct{ datasetDB }

// Run lists the addresses.
func (c *webhookListCmd) Run(e *env) error {
	return c.read(e, func(db database) error {
		list, err := db.Webhooks(e.ctx)
		if err != nil {
			return err
		}
		w := tabwriter.NewWriter(e.stdout, 0, 0, 2, ' ', 0)
		fmt.Fprintln(w, "NUMBER\tADDRESS\tEVENTS\tSTATE\tFAILURES\tLAST ACCEPTED\tNOTE")
		for i := range list {
			to := &list[i]
			var events []string
			for _, x := range to.Events {
				events = append(events, string(x))
			}
			state := "enabled"
			if to.Disabled != "" {
				state = "disabled: " + string(to.Disabled)
			}
			fmt.Fprintf(w, "%d\t%s\t%s\t%s\t%d\t%s\t%s\n", to.Key, to.Shown(), strings.Join(events, ","),
				state, to.Failures,
				momentOrNever(to.Taken), to.Note)
		}
		return w.Flush()
	})
}

func momentOrNever(at time.Time) string {
	if at.IsZero() {
		return "never"
	}
	return at.Format(time.DateTime)
}

type webhookLogCmd struct {
	webhookNumber `embed:""`
	N             int `name:"lines" short:"n" default:"20" placeholder:"N" help:"The newest N messages; ${default} unless given."`
}

// Run lists the messages.
func (c *webhookLogCmd) Run(e *env) error {
	return c.read(e, func(db database) error {
		if _, err := db.Webhook(e.ctx, c.Number); err != nil {
			return err
		}
		list, err := db.Deliveries(e.ctx, c.Number, c.N)
		if err != nil {
			return err
		}
		w := tabwriter.NewWriter(e.stdout, 0, 0, 2, ' ', 0)
		fmt.Fprintln(w, "MESSAGE\tEVENT\tSINCE\tSTATE\tATTEMPTS\tLAST ATTEMPT\tSTATUS\tWHY")
		for i := range list {
			d := &list[i]
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%d\t%s\t%d\t%s\n", d.ID, d.Event, momentOrNever(d.Created),
				d.State, d.Attempts,
				momentOrNever(d.Last.At), d.Last.Status, strings.TrimSpace(string(d.Last.Why)+" "+d.Last.Detail))
		}
		return w.Flush()
	})
}

type webhookSetCmd struct {
	webhookNumber `embed:""`
	Event         []string `enum:"import.applied,figures.changed,prices.changed" placeholder:"EVENT" help:"${webhook_set_help}"`
	Enable        bool     `help:"Tell it what happens from now on."`
	Disable       bool     `help:"Tell it nothing; what waits is given up."`
}

// validate checks what the types of the flags do not.
func (c *webhookSetCmd) validate() error {
	if c.Enable && c.Disable {
		return errors.New("--enable and --disable exclude each other")
	}
	return nil
}

// Run changes the webhook.
func (c *webhookSetCmd) Run(e *env) error {
	return c.change(e, func(ctx context.Context, db database) error {
		to, err := db.Webhook(ctx, c.Number)
		if err != nil {
			return err
		}
		if len(c.Event) > 0 {
			to.Events = eventsOf(c.Event)
		}
		if err := webhook.CheckEvents(to.Events); err != nil {
			return err
		}
		switch {
		case c.Enable:
			to.Disabled = ""
		case c.Disable:
			to.Disabled = webhook.Off
		}
		return db.SetWebhook(ctx, c.Number, to.Events, to.Disabled)
	})
}

type webhookTestCmd struct{ webhookNumber }

// Run keeps a test for the server.
func (c *webhookTestCmd) Run(e *env) error {
	return c.change(e, func(ctx context.Context, db database) error {
		if err := db.AddDelivery(ctx, webhook.NewTest(c.Number, time.Now())); err != nil {
			return err
		}
		_, err := fmt.Fprintf(e.stdout, "a running server sends it within a minute; tianti webhook log %d shows the "+
			"answer\n",
			c.Number)
		return err
	})
}

type webhookRotateCmd struct{ webhookNumber }

// Run makes a secret.
func (c *webhookRotateCmd) Run(e *env) error {
	secret := webhook.NewSecret()
	return c.change(e, func(ctx context.Context, db database) error {
		err := db.RotateWebhook(ctx, c.Number, secret, time.Now().Add(webhook.OldSecretFor))
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(e.stdout, webhook.Text(secret))
		return err
	})
}

type webhookRemoveCmd struct{ webhookNumber }

// Run forgets the webhook.
func (c *webhookRemoveCmd) Run(e *env) error {
	return c.change(e, func(ctx context.Context, db database) error {
		if err := db.RemoveWebhook(ctx, c.Number); err != nil {
			return err
		}
		_, err := fmt.Fprintf(e.stdout, "webhook %d is removed\n", c.Number)
		return err
	})
}
