package runs

import (
	"tianti/web/job"
	"tianti/web/ui"
)

// list is the page of what was kept.
type list struct {
	ui.Layout
	Crumbs []ui.Link
	Done   string
	Rows   []row
}

// row is a measured run.
type row struct {
	ID       string
	Job      ui.Link
	Words    string
	Measured []string
	Note     string
	By, Day  string
	Problem  string // why it corrects nothing
	Delete   string // address
}

// offer is the page that asks whether to keep a run.
type offer struct {
	ui.Layout
	Crumbs []ui.Link
	Run    *job.MeasuredRun
	Action string
	Field  ui.FormField
}
