package webhooks

import (
	"testing"
	"time"

	"github.com/a-h/templ"

	"tianti/locale"
	"tianti/web/ui"
	"tianti/web/ui/uitest"
	"tianti/webhook"
)

func TestPagesAreSoundAndLookAsKept(t *testing.T) { uitest.Pages(t, stories) }

// stories are the pages as they look with realistic content, by name.
func stories(l *locale.Locale) map[string]templ.Component {
	at := time.Date(2026, 11, 24, 9, 30, 5, 0, time.UTC)
	layout := func(title string) ui.Layout {
		return ui.Layout{Locale: l, Title: title, NoIndex: true, Path: l.Path(Path), Administered: true}
	}
	good := webhook.Endpoint{Key: 1, URL: "https://ops.example/tianti?key=secret", Note: "prices <bot>", By: "anna",
		Events: webhook.Events[1:], Created: at, Taken: at}
	bad := webhook.Endpoint{Key: 2, URL: "https://old.example/", By: "张伟", Events: webhook.Events[:1], Created: at,
		Disabled: webhook.Failing, Failures: 24}
	shaky := webhook.Endpoint{Key: 3, URL: "http://10.1.2.3:8080/hook", By: "anna", Events: webhook.Events, Created: at,
		Failures: 2}
	messages := []webhook.Delivery{
		{ID: "msg_4", Event: webhook.PricesChanged, Created: at, State: webhook.Pending},
		{ID: "msg_3", Event: webhook.Test, Created: at, State: webhook.Delivered, Attempts: 1,
			Last: webhook.Attempt{At: at, Took: 41 * time.Millisecond, Status: 200, Answer: "<thanks>"}},
		{ID: "msg_2", Event: webhook.FiguresChanged, Created: at, State: webhook.Pending, Attempts: 3,
			Next: at.Add(time.Minute),
			Last: webhook.Attempt{At: at, Took: 15 * time.Second, Why: webhook.TooLate, Detail: "15s"}},
		{ID: "msg_1", Event: webhook.PricesChanged, Created: at, State: webhook.GivenUp, Attempts: 11,
			Last: webhook.Attempt{At: at, Took: time.Millisecond, Why: webhook.BadAddress,
				Detail: "ops.example → 127.0.0.1"}},
		{ID: "msg_0", Event: webhook.PricesChanged, Created: at, State: webhook.GivenUp, Attempts: 1,
			Last: webhook.Attempt{At: at, Took: time.Millisecond, Status: 410, Why: webhook.BadStatus,
				Detail: "410 Gone"}},
	}
	fields := []ui.FormField{
		{ID: "url", Label: l.T("webhooks.url"), Type: "text", Autocomplete: "off", Help: l.T("webhooks.urlhelp")},
		{ID: "note", Label: l.T("webhooks.note"), Type: "text", Autocomplete: "off", Help: l.T("webhooks.notehelp"),
			Optional: true},
	}
	all := listPage{Layout: layout(l.T("webhooks.title")), Crumbs: crumbs(l), Done: l.T("webhooks.done.remove"),
		Action: l.Path(Path), Fields: fields, Events: eventOptions(l, webhook.Events[1:]),
		Rows: []row{rowOf(l, &good), rowOf(l, &bad), rowOf(l, &shaky)}}
	none := all
	none.Rows, none.Done = nil, ""
	none.Problem = l.T("webhooks.wrong.https")
	none.Fields = []ui.FormField{fields[0], fields[1]}
	none.Fields[0].Value, none.Fields[0].Problem = "http://ops.example/<x>", none.Problem
	one := onePage{Layout: layout(l.T("webhooks.one", "1")), Row: rowOf(l, &good), Action: l.Path(pathOf(1)),
		Crumbs: append(crumbs(l), ui.Link{Label: l.T("webhooks.title"), Href: l.Path(Path)}),
		Events: eventOptions(l, good.Events), Enabled: true, Secret: "whsec_c2VjcmV0",
		Done: l.T("webhooks.done.rotate"),
		Both: l.T("webhooks.both", moment(at))}
	for i := range messages {
		one.Messages = append(one.Messages, messageOf(l, &messages[i]))
	}
	fresh := onePage{Layout: one.Layout, Crumbs: one.Crumbs, Row: rowOf(l, &bad), Action: one.Action,
		Events: eventOptions(l, bad.Events), Problem: l.T("webhooks.wrong.events")}
	return map[string]templ.Component{
		"webhooks": all.Page(), "webhooks-none": none.Page(), "webhook": one.Page(), "webhook-new": fresh.Page(),
	}
}
