package runs

import (
	"testing"

	"github.com/a-h/templ"

	"tianti/locale"
	"tianti/web/job"
	"tianti/web/ui"
	"tianti/web/ui/uitest"
)

func TestPagesAreSoundAndLookAsKept(t *testing.T) { uitest.Pages(t, stories) }

// stories are the pages as they look with realistic content, by name.
func stories(l *locale.Locale) map[string]templ.Component {
	layout := func(title string) ui.Layout {
		return ui.Layout{Locale: l, Title: title, NoIndex: true, Path: l.Path("/admin/runs"), Administered: true}
	}
	kept := list{Layout: layout(l.T("runs.title")), Crumbs: crumbs(l), Done: l.T("runs.done.keep"), Rows: []row{
		{ID: "kept-1", Job: ui.Link{Label: "QLoRA <8B>", Href: "/recommend/x"}, Words: "4 × 4,096 tokens.",
			Measured: []string{"13.9 GB", "<41> tokens/s"}, Note: "node <7>", By: "anna", Day: "2026-11-24",
			Delete: l.Path("/admin/runs/1/delete")},
		{ID: "kept-2", Job: ui.Link{Label: "card=gone&model=7B"}, By: "张伟", Day: "2026-11-23",
			Problem: l.T("runs.unread"), Delete: l.Path("/admin/runs/2/delete")},
	}}
	none := kept
	none.Rows, none.Done = nil, ""
	return map[string]templ.Component{
		"runs":      kept.Page(),
		"runs-none": none.Page(),
		"keep": offer{Layout: layout(l.T("runs.keep")), Action: l.Path("/admin/runs"),
			Crumbs: append(crumbs(l), ui.Link{Label: l.T("runs.title"), Href: l.Path("/admin/runs")}),
			Run: &job.MeasuredRun{
				Heading: "QLoRA <8B>",
				Words:   "4 × 4,096.",
				Href:    "/recommend/x",
				Query:   "card=<x>&a=1",
			},
			Field: ui.FormField{ID: "note", Label: l.T("runs.note"), Type: "text", Value: "<node 7>",
				Help: l.T("runs.notehelp"), Problem: l.T("runs.notelong", mostNote)}}.Page(),
	}
}
