// Package audit has the words of the audit log: who did what, when and by which way. The store keeps the log.
package audit

import (
	"context"
	"time"
)

// Actor is who makes a change.
type Actor struct {
	Name    string  `json:"name"`
	Channel Channel `json:"via"`
	Address string  `json:"address,omitempty"` // of the client
}

type actorKey struct{}

// WithActor returns a context with the actor for the audit log: methods that change accounts and tokens take it from
// there.
func WithActor(ctx context.Context, by Actor) context.Context {
	return context.WithValue(ctx, actorKey{}, by)
}

// ActorOf returns the actor that WithActor set, or Program.
func ActorOf(ctx context.Context) Actor {
	if by, ok := ctx.Value(actorKey{}).(Actor); ok {
		return by
	}
	return Program
}

// Program is the actor of changes that the program makes by itself.
var Program = Actor{Name: "tianti", Channel: ByProgram}

// Channel is the interface through which an actor made a change.
type Channel string

// Channels.
const (
	ByPage    Channel = "page"
	ByAPI     Channel = "api"
	ByCommand Channel = "command"
	ByProgram Channel = "program"
)

// An Entry is a line of the audit log.
type Entry struct {
	Number int64
	At     time.Time
	Actor  Actor
	// "import.apply", "dataset.activate", "dataset.deactivate", "dataset.rank", "figure.correct", "account.create",
	// "signin", …
	Action  string
	Subject string
	Detail  map[string]any
}

// Query selects lines of the audit log, newest first.
type Query struct {
	Text    string // in actor, action, subject or detail
	Action  string // prefix
	Before  int64  // only lines with lower numbers, so that new lines shift no page; 0: all
	From, N int
}
