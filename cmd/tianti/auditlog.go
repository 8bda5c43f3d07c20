package main

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/alecthomas/kong"

	"tianti/audit"
	"tianti/csvsafe"
	"tianti/web/api/imports"
)

// logCmd is tianti log.
type logCmd struct {
	Text      string `arg:"" optional:"" help:"Only lines with this text in who, what, about what, or the details."`
	Action    string `placeholder:"ACTION" help:"Only actions that begin so, such as import or account."`
	N         int    `name:"lines" short:"n" default:"50" placeholder:"N" help:"${lines_help} ${default} unless given."`
	CSV       bool   `name:"csv" help:"Print CSV."`
	JSON      bool   `name:"json" help:"Print JSON."`
	datasetDB `embed:""`
}

// logHelp is the help of flags that is too long for their tags.
var logHelp = kong.Vars{"lines_help": "The newest N lines; 0 is all."}

// Help is the manual of tianti log.
func (logCmd) Help() string {
	return `Prints who changed what, the newest first: imports, reverts, ranks, corrections,
accounts, tokens, signing in. Lines are written together with the change that they
tell of, and are never changed. Times are in UTC.

Examples:

    tianti log
    tianti log --action import --lines 0 --csv > imports.csv
    tianti log ada`
}

// validate checks what the types of the flags do not.
func (c *logCmd) validate() error {
	switch {
	case c.CSV && c.JSON:
		return errors.New("--csv and --json exclude each other")
	case c.N < 0:
		return fmt.Errorf("--lines is %d: want 0 for all, or more", c.N)
	}
	return nil
}

// entriesAtOnce is the size of a page of the audit log.
const entriesAtOnce = 1000

// Run prints the audit log.
func (c *logCmd) Run(e *env) error {
	return c.read(e, func(db database) error {
		var all []audit.Entry
		q := audit.Query{Text: c.Text, Action: c.Action}
		for c.N == 0 || len(all) < c.N {
			q.N = entriesAtOnce
			if c.N > 0 {
				q.N = min(q.N, c.N-len(all))
			}
			part, _, err := db.Entries(e.ctx, q)
			if err != nil {
				return err
			}
			if len(part) == 0 {
				break
			}
			all = append(all, part...)
			q.Before = part[len(part)-1].Number // a keyset, so that new lines shift nothing
		}
		return c.print(e.stdout, all)
	})
}

func (c *logCmd) print(w io.Writer, list []audit.Entry) error {
	switch {
	case c.JSON:
		return printJSON(w, imports.LogEntries(list))
	case c.CSV:
		return printLogCSV(w, list)
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, x := range list {
		detail, err := json.Marshal(x.Detail)
		if err != nil {
			return err
		}
		at, channel := x.At.UTC().Format(time.DateTime), x.Actor.Channel
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\n", at, x.Actor.Name, channel, x.Action, x.Subject, detail)
	}
	return t.Flush()
}

func printLogCSV(w io.Writer, list []audit.Entry) error {
	out := csv.NewWriter(w)
	if err := out.Write(imports.LogColumns); err != nil {
		return err
	}
	for i := range list {
		row, err := imports.LogRow(&list[i])
		if err != nil {
			return err
		}
		for i := range row {
			row[i] = csvsafe.Cell(row[i])
		}
		if err := out.Write(row); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}
