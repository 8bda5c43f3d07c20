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
	Together *togetherGroup // of several kinds in one machine; nil of one
	Groups   []ownedGroup
	Asked    bool   // by the reader; elsewhere the groups are of an example
	Finding  string // what they can do, all together or the first of the groups; may be empty
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

// togetherGroup is what cards of several kinds can do in one machine.
type togetherGroup struct {
	ID, Title string
	Note      string
	Does      string // the largest models, by task
	Rows      []togetherRow
}

// togetherRow is a job on them.
type togetherRow struct {
	job.FitRow
	Cards []cardNeed // of each kind, where they need different amounts of memory
}

// cardNeed is the memory that each card of a kind needs; empty where it holds nothing of the model.
type cardNeed struct {
	Card, Need, Interval string
}
