// Package webhook tells addresses that an administrator names when the catalogue has changed:
//
//	audit log → messages, once for each address → sent, signed, again and again for a day → delivered, or given up
//
// Messages are made of the lines of the audit log, which are written with the changes that they tell of, and wait in
// the database: what happens while no server runs is told when one does. Several servers may send from one database:
// each message is leased by one of them. Messages are signed as Standard Webhooks 1.0 says.
package webhook

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"
)

// An Event is what a message tells of.
type Event string

// Events.
const (
	ImportApplied  Event = "import.applied"  // an import was applied
	FiguresChanged Event = "figures.changed" // another revision of a dataset is shown, with other figures
	PricesChanged  Event = "prices.changed"  // likewise, with other prices
	Test           Event = "webhook.test"    // somebody wants to know whether messages arrive
)

// Events are those that can be subscribed to.
var Events = []Event{ImportApplied, FiguresChanged, PricesChanged}

// A Reason is why nothing is sent to an address.
type Reason string

// Reasons.
const (
	Off     Reason = "off"     // an administrator has said so
	Failing Reason = "failing" // nothing was taken for a long time
	Gone    Reason = "gone"    // the receiver has said that it is gone (410)
)

// An Endpoint is an address that is told.
type Endpoint struct {
	Key      int64
	URL      string
	Note     string
	Events   []Event
	Secret   []byte    // signs messages
	Old      []byte    // the secret before, which signs besides until OldUntil; nil: none
	OldUntil time.Time //
	Created  time.Time
	By       string // who added it
	Seen     int64  // line of the audit log up to which messages are made

	Disabled Reason    // "" where messages are sent
	Failures int       // attempts in a row that failed
	Since    time.Time // of the first of these
	Taken    time.Time // when a message was last taken; zero: never
}

// A State is how far a message is.
type State string

// States.
const (
	Pending   State = "pending"
	Delivered State = "delivered"
	GivenUp   State = "given-up"
)

// A Delivery is a message to one address.
type Delivery struct {
	Key      int64
	Endpoint int64
	ID       string // the same in each attempt
	Event    Event
	Body     string
	Created  time.Time
	State    State
	Attempts int
	Next     time.Time // when it is sent, while it is pending
	Last     Attempt   // zero before the first
}

// An Attempt is what became of sending a message.
type Attempt struct {
	At     time.Time
	Took   time.Duration
	Status int    // of HTTP; 0: there was no answer
	Answer string // the beginning of its text
	Why    Why    // "" where the message was taken
	Detail string
}

// A Why is why a message was not taken.
type Why string

// Reasons of an attempt that failed.
const (
	BadAddress Why = "address"  // the host has an address of a private network; Detail: it
	Redirected Why = "redirect" // which nobody follows; Detail: where to
	BadStatus  Why = "status"   // Detail: the status
	TooLate    Why = "timeout"
	NotReached Why = "network" // Detail: why
	Replaced   Why = "many"    // too many were waiting
)

// A Step is a line of the audit log from which on another revision of a dataset is shown.
type Step struct {
	Number   int64 // of the line
	At       time.Time
	Dataset  string
	From, To int64 // revisions; 0: none
	Import   bool  // an import was applied; else another revision was chosen
	Cards    int   // of the larger of both revisions
	Figures  bool  // they do not share their figures; they may nevertheless be equal
	Prices   bool  // they do not share their prices
}

// A Store keeps endpoints and messages. What does not exist is fs.ErrNotExist. Changes by people are in the audit log,
// by the actor of ctx.
type Store interface {
	Webhooks(ctx context.Context) ([]Endpoint, error)
	Webhook(ctx context.Context, key int64) (Endpoint, error)
	// AddWebhook keeps URL, Note, Events and Secret; it is told of what happens from now on.
	AddWebhook(ctx context.Context, e Endpoint) (Endpoint, error)
	// SetWebhook sets what is told, and whether. One that is enabled again is told of what happens from then on.
	SetWebhook(ctx context.Context, key int64, events []Event, disabled Reason) error
	// RotateWebhook gives an endpoint another secret; the one before signs besides, until a moment.
	RotateWebhook(ctx context.Context, key int64, secret []byte, until time.Time) error
	// RemoveWebhook forgets an endpoint and its messages.
	RemoveWebhook(ctx context.Context, key int64) error

	// Deliveries returns the newest messages of an endpoint.
	Deliveries(ctx context.Context, key int64, n int) ([]Delivery, error)
	// AddDelivery keeps one message more, of which ID, Event, Body and Next count.
	AddDelivery(ctx context.Context, d Delivery) error

	// Steps returns at most n steps after a line of the audit log, and up to which line that is all.
	Steps(ctx context.Context, after int64, n int) (list []Step, seen int64, err error)
	// Spread keeps messages of steps and notes that the log is seen up to a line; unless somebody else has.
	Spread(ctx context.Context, e *Endpoint, seen int64, list []Delivery) error
	// Due is when the next message is to be sent; false: none.
	Due(ctx context.Context) (time.Time, bool, error)
	// Lease gives at most n messages that are due to the caller alone until a moment, at most one of each endpoint, and
	// counts the attempt.
	Lease(ctx context.Context, now, until time.Time, n int) ([]Leased, error)
	// Finish notes what became of a leased message, and how its endpoint is then. It changes nothing when the lease was
	// lost.
	Finish(ctx context.Context, d *Delivery, e *Endpoint) error
}

// A Leased is a message that the caller alone may send.
type Leased struct {
	Delivery
	To Endpoint
}

const (
	secretBytes = 32
	secretMark  = "whsec_"
	// OldSecretFor is how long the secret before signs besides.
	OldSecretFor = 24 * time.Hour
	// MostEndpoints is how many endpoints there are at most.
	MostEndpoints = 50
	// MostPending is how many messages of an endpoint wait at most; the oldest go first.
	MostPending = 1000
	// MostDone is how many messages of an endpoint are kept that were delivered or given up.
	MostDone = 100

	mostURL  = 2000
	mostNote = 200
)

// ErrTooMany says that there are as many endpoints as can be.
var ErrTooMany = fmt.Errorf("there are %d webhooks, as many as can be", MostEndpoints)

// NewSecret makes a secret.
func NewSecret() []byte {
	b := make([]byte, secretBytes)
	_, _ = rand.Read(b) // never fails
	return b
}

// Text is a secret as receivers write it down.
func Text(secret []byte) string { return secretMark + base64.StdEncoding.EncodeToString(secret) }

// newID names a message.
func newID() string { return "msg_" + rand.Text() }

// A FieldError says what is wrong with a field of an endpoint.
type FieldError struct {
	Field string // url, note, events
	Code  string // address, https, user, fragment, private, note, events
	Want  string // in English
}

func (e *FieldError) Error() string { return e.Field + ": want " + e.Want }

// Check reports what is wrong with an endpoint that is to be added: a *FieldError. Private is whether there are private
// networks that may be reached, and so addresses without TLS.
func (e *Endpoint) Check(private []netip.Prefix) error {
	u, err := url.Parse(e.URL)
	plain := len(private) > 0 // http only reaches these
	switch {
	case err != nil || len(e.URL) > mostURL || u.Host == "" || u.Hostname() == "" || u.Opaque != "":
		return &FieldError{"url", "address", fmt.Sprintf("an address such as https://ops.example/tianti, of at most "+
			"%d characters", mostURL)}
	case u.Scheme != "https" && (!plain || u.Scheme != "http"):
		return &FieldError{"url", "https", "https"}
	case u.User != nil:
		return &FieldError{"url", "user", "no name and no password: messages are signed"}
	case u.Fragment != "":
		return &FieldError{"url", "fragment", "no fragment (#)"}
	case len(e.Note) > mostNote || strings.ContainsFunc(e.Note, func(c rune) bool { return c < ' ' || c == 0x7f }):
		return &FieldError{"note", "note", fmt.Sprintf("one line of at most %d bytes", mostNote)}
	}
	if a, err := netip.ParseAddr(strings.Trim(u.Hostname(), "[]")); err == nil && !reachable(a, private) {
		return &FieldError{"url", "private", "a public host; --webhook-allow names private networks that may be " +
			"reached"}
	}
	return CheckEvents(e.Events)
}

// CheckEvents reports what is wrong with what an endpoint is told.
func CheckEvents(list []Event) error {
	if len(list) == 0 {
		return &FieldError{"events", "events", oneOf()}
	}
	for i, e := range list {
		if !slices.Contains(Events, e) || slices.Contains(list[:i], e) {
			return &FieldError{"events", "events", oneOf()}
		}
	}
	return nil
}

func oneOf() string {
	return fmt.Sprintf("one or more of %s, %s, %s", Events[0], Events[1], Events[2])
}

// Shown is the address without the values of its query, which may be secret.
func (e *Endpoint) Shown() string {
	u, err := url.Parse(e.URL)
	if err != nil {
		return "…"
	}
	if u.RawQuery != "" {
		u.RawQuery = "…"
	}
	return u.String()
}

// Host is the host of the address, for the audit log.
func (e *Endpoint) Host() string {
	u, err := url.Parse(e.URL)
	if err != nil {
		return "…"
	}
	return u.Host
}

// IsField reports whether an error is one of a field.
func IsField(err error) (*FieldError, bool) { return errors.AsType[*FieldError](err) }
