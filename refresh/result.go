package refresh

import (
	"context"
	"errors"
	"fmt"

	"tianti/format"
	"tianti/importer"
)

// An Outcome is what became of a feed.
type Outcome string

// Outcomes.
const (
	Unchanged Outcome = "unchanged" // there is nothing new in it
	Drafted   Outcome = "drafted"   // a draft is to be looked at
	Held      Outcome = "held"      // the same, because it may not be applied by itself
	Applied   Outcome = "applied"
	Failed    Outcome = "failed" // it could not be read; nothing was taken
)

// A Why is the reason of an outcome.
type Why string

// Reasons why a feed is unchanged.
const (
	SameFile   Why = "same"    // the file is the one that was read before
	NothingNew Why = "nothing" // another file, with what the dataset holds
)

// Reasons why a draft is held.
const (
	FirstTime Why = "first"    // the dataset holds nothing to compare with
	Moved     Why = "change"   // a price is further from the last than allowed; Detail: how many times, and card
	NewPrice  Why = "new"      // nothing has a price to compare a new one with; Detail: how many
	Vanished  Why = "vanished" // most prices that there were are gone; Detail: how many of how many
	NotPrices Why = "facts"    // it changes more than prices
	Problems  Why = "problems" // it cannot be applied; Detail: how many
)

// Reasons why a feed failed.
const (
	BadAddress  Why = "address"  // the host has an address of a private network; Detail: it
	BadRedirect Why = "redirect" // to another host, or without TLS, or too many; Detail: where to
	BadStatus   Why = "status"   // the server says no; Detail: the status
	TooLate     Why = "timeout"  // Detail: the limit
	TooLarge    Why = "size"     // Detail: the limit
	IsHTML      Why = "html"     // a page instead of data
	IsEmpty     Why = "empty"
	NoFile      Why = "file"       // the path is no file that can be read; Detail: why
	NotReached  Why = "network"    // Detail: why
	Unreadable  Why = "unreadable" // the importer cannot read it; Detail: why, with the line
)

// A Result is what became of a feed the last time.
type Result struct {
	Outcome  Outcome `json:"outcome"`
	Why      Why     `json:"why,omitempty"`
	Detail   string  `json:"detail,omitempty"` // values of the reason, in English where they are words
	Draft    int64   `json:"draft,omitempty"`
	Revision int64   `json:"revision,omitempty"`
	Prices   int     `json:"prices,omitempty"` // that are new
}

// messages are the English sentences of reasons; the detail follows after a colon.
var messages = map[Why]string{
	SameFile: "the file is the one that was read before", NothingNew: "the dataset holds what the file says",

	FirstTime: "the dataset holds no prices to compare with; look at the first draft",
	Moved:     "a price is further from the last one than allowed",
	NewPrice:  "new prices have none to compare with", Vanished: "most prices are gone",
	NotPrices: "it changes more than prices", Problems: "it has problems",

	BadAddress:  "the host has an address that is not public",
	BadRedirect: "the server redirects to an address that is not allowed",
	BadStatus:   "the server refuses", TooLate: "it took longer than allowed", TooLarge: "it is larger than allowed",
	IsHTML: "it is an HTML page, not data", IsEmpty: "it is empty", NoFile: "the file cannot be opened",
	NotReached: "the server cannot be reached", Unreadable: "it cannot be read",
}

// String is the result as an English sentence.
func (r Result) String() string {
	text := messages[r.Why]
	if r.Detail != "" {
		text += ": " + r.Detail
	}
	switch r.Outcome {
	case Applied:
		return fmt.Sprintf("applied as revision %d, %d new prices", r.Revision, r.Prices)
	case Drafted:
		return fmt.Sprintf("draft %d waits to be looked at, %d new prices", r.Draft, r.Prices)
	case Held:
		return fmt.Sprintf("draft %d waits to be looked at: %s", r.Draft, text)
	case Failed:
		return "nothing was taken: " + text
	}
	return "nothing to do: " + text
}

// A failure is what is wrong with a feed.
type failure struct {
	why    Why
	detail string
}

func (f *failure) Error() string {
	return Result{Outcome: Failed, Why: f.why, Detail: f.detail}.String()
}

// failureOf is the result of a feed that could not be read; false for an error that is not the feed's.
func failureOf(err error) (Result, bool) {
	var own *failure
	var file *format.FileError
	var large *importer.TooLargeError
	var option *importer.OptionError
	f := failure{why: Unreadable}
	switch {
	case errors.As(err, &own):
		f = *own
	case errors.As(err, &file):
		f.detail = file.Error()
	case errors.As(err, &option):
		f.detail = option.Error()
	case errors.As(err, &large):
		f.why, f.detail = TooLarge, large.Error()
	case errors.Is(err, importer.ErrMoved), errors.Is(err, importer.ErrLoading):
		f.detail = err.Error()
	case errors.Is(err, context.DeadlineExceeded):
		f.why = TooLate
	default:
		return Result{}, false
	}
	return Result{Outcome: Failed, Why: f.why, Detail: oneLine(f.detail)}, true
}
