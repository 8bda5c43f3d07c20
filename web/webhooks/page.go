package webhooks

import (
	"strconv"
	"strings"
	"time"

	"tianti/locale"
	"tianti/web/ui"
	"tianti/webhook"
)

// listPage is the page of all endpoints.
type listPage struct {
	ui.Layout
	Crumbs        []ui.Link
	Done, Problem string
	Rows          []row
	Action        string
	Fields        []ui.FormField
	Events        []ui.Option
}

// row is an endpoint.
type row struct {
	ID, URL, Note string
	Href          string
	Events        string
	State, Tone   string
	Taken         string
	By, Created   string
}

// onePage is the page of an endpoint.
type onePage struct {
	ui.Layout
	Crumbs        []ui.Link
	Done, Problem string
	Secret        string // that was just made
	Both          string // until when the one before signs besides
	Row           row
	Action        string
	Events        []ui.Option
	Enabled       bool
	Messages      []sent
}

// sent is a message.
type sent struct {
	ID, Event     string
	When          string
	State, Tone   string
	Attempts      string
	Status, Why   string
	Answer        string
	Next          string
	Took, LastTry string
}

var tones = map[webhook.State]string{webhook.Delivered: "good", webhook.Pending: "unsure", webhook.GivenUp: "bad"}

func rowOf(l *locale.Locale, e *webhook.Endpoint) row {
	out := row{ID: strconv.FormatInt(e.Key, 10), URL: e.Shown(), Note: e.Note, Href: l.Path(pathOf(e.Key)), By: e.By,
		Created: e.Created.UTC().Format(time.DateOnly), Taken: moment(e.Taken)}
	var events []string
	for _, x := range e.Events {
		events = append(events, l.T("webhooks.events."+string(x)))
	}
	out.Events = strings.Join(events, l.Pick(", ", "、"))
	switch {
	case e.Disabled != "":
		out.State, out.Tone = l.T("webhooks.disabled."+string(e.Disabled)), "bad"
	case e.Failures > 0:
		out.State, out.Tone = l.T("webhooks.failures", e.Failures), "unsure"
	default:
		out.State, out.Tone = l.T("webhooks.enabled"), "good"
	}
	return out
}

func messageOf(l *locale.Locale, d *webhook.Delivery) sent {
	out := sent{ID: d.ID, Event: string(d.Event), When: moment(d.Created),
		State: l.T("webhooks.state." + string(d.State)),
		Tone:  tones[d.State], Attempts: l.T("webhooks.attempts", d.Attempts), Answer: d.Last.Answer}
	if d.Last.Status != 0 {
		out.Status = strconv.Itoa(d.Last.Status)
	}
	if d.Last.Why != "" {
		out.Why = l.T("webhooks.why." + string(d.Last.Why))
		if d.Last.Detail != "" && d.Last.Why != webhook.BadStatus {
			out.Why = l.T("webhooks.because", out.Why, d.Last.Detail)
		}
	}
	if !d.Last.At.IsZero() {
		out.LastTry = moment(d.Last.At)
		out.Took = l.T("webhooks.took", strconv.FormatInt(max(1, d.Last.Took.Milliseconds()), 10))
	}
	if d.State == webhook.Pending {
		out.Next = l.T("webhooks.next", moment(d.Next))
	}
	return out
}

// moment is a time of UTC, "" for none.
func moment(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02 15:04:05")
}
