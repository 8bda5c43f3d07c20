package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"tianti/catalog"
	"tianti/diff"
	"tianti/format"
	"tianti/importer"
	"tianti/web/api/imports"
)

// Limits of a preview on a terminal. --json and the page list everything.
const (
	listedCards     = 20
	listedFigures   = 8 // of a card
	listedConflicts = 20
	listedNames     = 20
	listedSkipped   = 3 // of a reason
	listedProblems  = 50
)

// A draftReader reads drafts and the rows that they have skipped.
type draftReader interface {
	Draft(ctx context.Context, id int64) (importer.Draft, error)
	Skipped(ctx context.Context, id int64, reason format.Reason, from, n int) ([]format.Skipped, int, error)
}

// printPreview prints what a draft would change.
func printPreview(ctx context.Context, w io.Writer, db draftReader, p *importer.Preview) error {
	var b strings.Builder
	d := &p.Draft
	name := d.Options.Format
	if f, ok := format.Lookup(name); ok {
		name += " (" + f.Title.En + ")"
	}
	fmt.Fprintf(&b, "%s: %s, into dataset %s, %s", d.File.Name, name, d.Options.Dataset, d.Options.Mode)
	if d.Options.Rank != nil {
		fmt.Fprintf(&b, ", rank %d", *d.Options.Rank)
	}
	fmt.Fprintf(&b, "\n%s read in %.1f s, %s taken, %s left out\n", countedGrouped(d.Summary.Rows, "row"),
		d.Summary.Seconds, countedGrouped(d.Summary.Taken, "record"), countedGrouped(skippedRecords(d), "record"))
	if s := &d.Summary; len(s.Parts) > 1 {
		fmt.Fprintf(&b, "of %s in it (--part NAME decides): %s\n", countedGrouped(len(s.Parts), "table or file"),
			cmp.Or(strings.Join(s.Reads, ", "), "none; there are "+strings.Join(s.Parts, ", ")))
	}
	if len(d.Summary.Ignored) > 0 {
		ignored := strings.Join(d.Summary.Ignored, ", ")
		fmt.Fprintf(&b, "columns that nothing is taken from (--column NAME=FIELD decides): %s\n", ignored)
	}
	n := d.Summary.Names
	fmt.Fprintf(&b, "names: %d matched, %d chosen, %d created, %d ambiguous, %d unknown", n.Matched, n.Chosen,
		n.Created, n.Ambiguous, n.Unknown)
	if n.Parts > 0 {
		fmt.Fprintf(&b, ", %d of parts of cards", n.Parts)
	}
	b.WriteByte('\n')
	printMatches(&b, &d.Summary)
	printCounts(&b, "cards", p.Report.Counts)
	printCounts(&b, "figures", p.Report.Figures)
	printPrices(&b, &d.Summary)
	printCards(&b, p.Report.Cards)
	printConflicts(&b, p.Report.Conflicts)
	printNames(&b, d)
	if err := printSkipped(ctx, &b, db, d); err != nil {
		return err
	}
	printProblems(&b, d)
	_, err := io.WriteString(w, b.String())
	return err
}

func countedGrouped(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return grouped(n) + " " + noun
}

func skippedRecords(d *importer.Draft) int {
	n := 0
	for _, k := range d.Summary.Skipped {
		n += k
	}
	return n
}

func printCounts(b *strings.Builder, what string, counts map[diff.Kind]int) {
	if len(counts) == 0 {
		return
	}
	var parts []string
	for _, k := range []diff.Kind{diff.Added, diff.Changed, diff.Removed, diff.Untouched} {
		parts = append(parts, fmt.Sprintf("%s %s", grouped(counts[k]), k))
	}
	fmt.Fprintf(b, "%s: %s\n", what, strings.Join(parts, ", "))
}

func printPrices(b *strings.Builder, s *importer.Summary) {
	line := func(what string, d importer.Delta) {
		if d != (importer.Delta{}) {
			added, same, removed := grouped(d.Added), grouped(d.Same), grouped(d.Removed)
			fmt.Fprintf(b, "%s: %s added, %s as before, %s removed\n", what, added, same, removed)
		}
	}
	for _, k := range catalog.PriceKinds() {
		line("prices "+string(k), s.Prices[k])
	}
	line("exchange rates", s.Rates)
}

func printCards(b *strings.Builder, cards []diff.Card) {
	for i := range cards {
		if i == listedCards {
			fmt.Fprintf(b, "  and %s more\n", countedGrouped(len(cards)-i, "card"))
			break
		}
		c := &cards[i]
		kind := string(c.Kind)
		if c.New {
			kind = "new"
		}
		fmt.Fprintf(b, "  %s %s (%s)\n", kind, c.Name, c.ID)
		for _, f := range c.Identity {
			fmt.Fprintf(b, "    %s: %s → %s\n", f.Name, cmp.Or(f.Old, "—"), cmp.Or(f.New, "—"))
		}
		for j := range c.Figures {
			if j == listedFigures {
				fmt.Fprintf(b, "    and %s more\n", countedGrouped(len(c.Figures)-j, "figure"))
				break
			}
			printFigure(b, &c.Figures[j])
		}
	}
}

func printFigure(b *strings.Builder, f *diff.Figure) {
	value := func(x *catalog.Fact) string {
		if text := imports.FactText(x); text != nil {
			return *text
		}
		return "—"
	}
	source := f.Source
	if f.Before != "" {
		source = f.Before + " → " + f.Source
	}
	fmt.Fprintf(b, "    %s: %s → %s (%s)", f.Quantity, value(f.Old), value(f.New), source)
	if s := f.Shown; s != nil {
		fmt.Fprintf(b, "; shown: %s → %s", cmp.Or(s.Before, "—"), cmp.Or(s.After, "—"))
	}
	b.WriteByte('\n')
}

func printConflicts(b *strings.Builder, list []diff.Conflict) {
	if len(list) == 0 {
		return
	}
	fmt.Fprintf(b, "%s with other datasets:\n", countedGrouped(len(list), "conflict"))
	for _, c := range list[:min(listedConflicts, len(list))] {
		shown := "the other one is shown"
		if c.Wins {
			shown = "this one is shown"
		}
		fmt.Fprintf(b, "  %s %s: %s, but %s says %s (%s); %s\n",
			c.Card, c.Quantity, c.Value, c.OtherDataset, c.Other, c.OtherSource, shown)
	}
}

// printMatches lists which card each name was taken for, what is made that is like another, and choices without a use.
func printMatches(b *strings.Builder, s *importer.Summary) {
	for i, m := range s.Matches {
		if i == listedNames {
			fmt.Fprintf(b, "  and %s more (--json lists them)\n", countedGrouped(len(s.Matches)-i, "name"))
			break
		}
		fmt.Fprintf(b, "  %q → %s, %s, by %s (%s)", m.Name, m.Card, countedGrouped(m.Rows, "row"), m.Why, m.Sure)
		if len(m.Offers) > 0 {
			fmt.Fprintf(b, ": %s", strings.Join(m.Offers[:min(3, len(m.Offers))], ", "))
		}
		b.WriteByte('\n')
	}
	for _, n := range s.Near {
		fmt.Fprintf(b, "new card %s for %q may be one that there is: %s (--name decides)\n", n.Card, n.Name,
			strings.Join(n.Cards, ", "))
	}
	for _, name := range s.Unused {
		fmt.Fprintf(b, "--name %s=… has no use: nothing in the file is called so\n", name)
	}
}

// printNames lists the names without a decision.
func printNames(b *strings.Builder, d *importer.Draft) {
	open := slices.DeleteFunc(slices.Clone(d.Summary.Unclear), func(u importer.Unclear) bool {
		_, decided := d.Options.Names[u.Name]
		return decided
	})
	if len(open) == 0 {
		return
	}
	b.WriteString("names that no card, or more than one, bears (--name NAME=CARD decides, for a name or an " +
		"instance):\n")
	for i, u := range open {
		if i == listedNames {
			fmt.Fprintf(b, "  and %s more\n", countedGrouped(len(open)-i, "name"))
			break
		}
		why := "ambiguous"
		if u.Unknown {
			why = "unknown"
		}
		fmt.Fprintf(b, "  %q, %s, %s", u.Name, countedGrouped(u.Rows, "row"), why)
		if len(u.Candidates) > 0 {
			label := "may be"
			if u.Unknown {
				label = "nearest"
			}
			fmt.Fprintf(b, "; %s: %s", label, strings.Join(u.Candidates, ", "))
		}
		if len(u.Offers) > 0 {
			fmt.Fprintf(b, "; in %s", strings.Join(u.Offers[:min(3, len(u.Offers))], ", "))
		}
		b.WriteByte('\n')
	}
}

func printSkipped(ctx context.Context, b *strings.Builder, db draftReader, d *importer.Draft) error {
	reasons := slices.SortedFunc(maps.Keys(d.Summary.Skipped), func(x, y format.Reason) int {
		return cmp.Or(cmp.Compare(d.Summary.Skipped[y], d.Summary.Skipped[x]), cmp.Compare(x, y))
	})
	for _, reason := range reasons {
		list, total, err := db.Skipped(ctx, d.ID, reason, 0, listedSkipped)
		if err != nil {
			return err
		}
		fmt.Fprintf(b, "left out, %s: %s\n", reason, grouped(total))
		for _, l := range list {
			fmt.Fprintf(b, "  line %d: %s\n", l.Line, l.Message)
		}
	}
	return nil
}

func printProblems(b *strings.Builder, d *importer.Draft) {
	for i, p := range d.Summary.Problems {
		if i == listedProblems {
			fmt.Fprintf(b, "and %s more\n", countedGrouped(len(d.Summary.Problems)-i, "problem"))
			break
		}
		fmt.Fprintf(b, "%s:%d: %s: %s: %s [%s]\n", d.File.Name, p.Line, p.Card, p.Field, p.Message, p.Rule)
	}
}
