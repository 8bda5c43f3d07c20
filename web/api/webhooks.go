package api

import (
	"time"

	"tianti/webhook"
)

// Webhooks are the addresses that are told of changes.
type Webhooks struct {
	Items []Webhook `json:"items"`
}

// Webhook is an address that is told of changes.
type Webhook struct {
	ID       int64      `json:"id"`
	URL      string     `json:"url" doc:"without the values of its query"`
	Note     string     `json:"note"`
	Events   []string   `json:"events" enum:"import.applied,figures.changed,prices.changed"`
	Secret   string     `json:"secret,omitempty" doc:"that signs messages: only in the answer to what made it"`
	Enabled  bool       `json:"enabled"`
	Disabled string     `json:"disabled,omitempty" enum:"off,failing,gone" doc:"why nothing is sent"`
	Failures int        `json:"failures" doc:"attempts in a row that failed"`
	Taken    *time.Time `json:"taken,omitempty" doc:"when a message was last accepted"`
	Both     *time.Time `json:"both_until,omitempty" doc:"until when the secret before signs besides"`
	Created  time.Time  `json:"created"`
	By       string     `json:"by" doc:"account that added it"`
}

// WebhookDetail is an address with its newest messages.
type WebhookDetail struct {
	Webhook
	Messages []WebhookMessage `json:"messages" doc:"the newest first, at most 50"`
}

// WebhookMessage is a message, and what became of it.
type WebhookMessage struct {
	ID       string     `json:"id" doc:"as the header webhook-id has it, the same in each attempt"`
	Event    string     `json:"event" enum:"import.applied,figures.changed,prices.changed,webhook.test"`
	Created  time.Time  `json:"created"`
	State    string     `json:"state" enum:"pending,delivered,given-up"`
	Attempts int        `json:"attempts"`
	Next     *time.Time `json:"next,omitempty" doc:"when it is sent"`
	Tried    *time.Time `json:"tried,omitempty" doc:"last attempt"`
	TookMS   int64      `json:"took_ms,omitempty"`
	Status   int        `json:"status,omitempty" doc:"of HTTP; none: there was no answer"`
	Answer   string     `json:"answer,omitempty" doc:"beginning of its text"`
	Why      string     `json:"why,omitempty" enum:"address,redirect,status,timeout,network,many" doc:"why it was not accepted"`
	Detail   string     `json:"detail,omitempty"`
	Body     string     `json:"body" doc:"JSON as it is sent"`
}

// WebhookOf is an endpoint as the API has it, without its secret.
func WebhookOf(e *webhook.Endpoint, now time.Time) Webhook {
	out := Webhook{ID: e.Key, URL: e.Shown(), Note: e.Note, Events: []string{}, Enabled: e.Disabled == "",
		Disabled: string(e.Disabled), Failures: e.Failures, Taken: timeOf(e.Taken), Created: e.Created, By: e.By}
	for _, x := range e.Events {
		out.Events = append(out.Events, string(x))
	}
	if e.Old != nil && now.Before(e.OldUntil) {
		out.Both = timeOf(e.OldUntil)
	}
	return out
}

// WebhookMessageOf is a message as the API has it.
func WebhookMessageOf(d *webhook.Delivery) WebhookMessage {
	out := WebhookMessage{ID: d.ID, Event: string(d.Event), Created: d.Created, State: string(d.State),
		Attempts: d.Attempts, Tried: timeOf(d.Last.At), TookMS: d.Last.Took.Milliseconds(), Status: d.Last.Status,
		Answer: d.Last.Answer, Why: string(d.Last.Why), Detail: d.Last.Detail, Body: d.Body}
	if d.State == webhook.Pending {
		out.Next = timeOf(d.Next)
	}
	return out
}

// timeOf is nil for no time.
func timeOf(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}
