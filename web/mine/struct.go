package mine

import (
	"tianti/web/job"
	"tianti/web/jobform"
	"tianti/web/ui"
)

// pageData is the page that tells what somebody's cards can do.
type pageData struct {
	ui.Layout
	Action   string
	Rows     []ownRow
	Cards    []string // suggestions
	Fields   []jobform.Field
	Problems []jobform.Problem
	Together *ownedGroup // of several kinds in one machine; nil of one
	Groups   []ownedGroup
	Asked    bool   // by the reader; elsewhere the groups are of an example
	Finding  string // what the first of the groups can do; may be empty
	Examples []ui.Link
}

// ownRow is a row of the form.
type ownRow struct {
	Count, Card string
	Bad         bool
}

// ownedGroup is what one kind of cards can do.
type ownedGroup struct {
	ID    string
	Title string
	Card  ui.Link
	Note  string
	Does  string // the largest models, by task
	Rows  []job.FitRow
}
