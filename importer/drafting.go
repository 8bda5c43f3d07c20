package importer

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"tianti/audit"
	"tianti/catalog"
	"tianti/format"
	"tianti/hashes"
)

// drafting makes a draft: it matches, checks and writes the records of the file.
type drafting struct {
	in     *Importer
	ctx    context.Context // of the draft
	format *format.Format
	opt    Options
	own    bool // the format is ours: what breaks a rule is a problem, not left out
	snap   *catalog.Snapshot
	base   *base
	w      Writer
	limits format.Limits
	file   string // its name
	sha256 string

	names    *names
	given    map[string]string          // names that this import was told, not those remembered
	alike    *alike                     // finds cards that others are like; nil until it is needed
	bulk     map[bulkPrice]*bulkCount   // of high prices
	sources  map[string]*catalog.Source // of the file
	listed   []*catalog.Source          // of the file, in order
	used     map[string]bool            // sources that are written, or soon will be
	cited    []catalog.Source           // used and not written
	restated map[string]bool            // sources that the file names for what stands already
	prices   *catalog.PriceChecker
	numbers  hashes.Table    // of prices of the file, and of those that stand
	pending  []catalog.Price // taken and not written
	sum      uint64          // of the prices taken, whatever their order

	cards       map[string]*catalog.Card // by id
	order       []*catalog.Card
	fromFile    map[string]string // id of a card → how the file names it
	facts       int
	rates       []catalog.ExchangeRate
	rated       map[rateKey]bool
	annotations catalog.Annotations

	skipped []format.Skipped // not written yet
	summary Summary
}

func (in *Importer) newDrafting(f *format.File, way *format.Format, opt Options, snap *catalog.Snapshot) *drafting {
	d := &drafting{in: in, format: way, opt: opt, own: ownFormat(way), snap: snap, limits: f.Limits(), file: f.Name,
		names: newNames(snap, opt.Names), sources: map[string]*catalog.Source{}, used: map[string]bool{},
		restated: map[string]bool{},
		cards:    map[string]*catalog.Card{}, fromFile: map[string]string{}, rated: map[rateKey]bool{},
		summary: Summary{Prices: map[catalog.PriceKind]Delta{}, Skipped: map[format.Reason]int{},
			Groups: map[Group]int{}, Columns: f.Head.Columns, Parts: f.Parts(), Reads: f.Reads()}}
	d.prices = catalog.NewPriceChecker(d.sources, d.known, &d.numbers)
	if slices.Contains(way.Asks, format.AskColumns) {
		for _, column := range d.summary.Columns {
			if opt.Reading.Columns[column] == "" {
				d.summary.Ignored = append(d.summary.Ignored, column)
			}
		}
	}
	return d
}

// known reports whether a price or annotation may be of a card.
func (d *drafting) known(id string) bool {
	_, ok := d.snap.Find(id)
	return ok || d.cards[id] != nil || d.opt.Mode == Add && d.base.cards[id] != nil
}

// begin reads what the dataset holds and begins the draft on it.
func (d *drafting) begin(ctx context.Context, number int64, file FileInfo, by audit.Actor) (err error) {
	if d.w, err = d.in.drafts.BeginDraft(ctx, file, d.opt, by); err != nil {
		return err
	}
	d.ctx = ctx
	d.base, err = d.in.readBase(ctx, number, d.opt.Mode, &d.numbers)
	return err
}

// take takes what a batch holds.
func (d *drafting) take(b *batch) error {
	d.summary.Rows += b.rows
	for i := range b.sources {
		d.takeSource(&b.sources[i])
	}
	for i := range b.cards {
		if err := d.takeCard(&b.cards[i]); err != nil {
			return err
		}
	}
	for i := range b.prices {
		if err := d.takePrice(&b.prices[i]); err != nil {
			return err
		}
	}
	for i := range b.rates {
		if err := d.takeRate(&b.rates[i]); err != nil {
			return err
		}
	}
	for i := range b.annotations {
		d.takeAnnotations(&b.annotations[i])
	}
	for _, l := range b.skipped {
		if err := d.skip(l); err != nil {
			return err
		}
	}
	if err := d.numbers.Err(); err != nil {
		return fmt.Errorf("read what is known of prices again: %w", err)
	}
	return d.writePrices(false)
}

func (d *drafting) takeSource(s *catalog.Source) {
	if d.sources[s.ID] != nil && !d.own {
		return // once for each id
	}
	d.sources[s.ID] = s
	d.listed = append(d.listed, s)
}

// excludes counts a record of a group, and reports whether the options exclude the group.
func (d *drafting) excludes(g Group) bool {
	d.summary.Groups[g]++
	return slices.Contains(d.opt.Without, g)
}

// skippedAtOnce is how many skipped rows are written at once.
const skippedAtOnce = 20_000

// keptOfReason is how many rows that are left out for one reason are listed; of more there is the number. Tests make it
// smaller.
var keptOfReason = 100_000

func (d *drafting) skip(l format.Skipped) error {
	if d.summary.Skipped[l.Reason]++; d.summary.Skipped[l.Reason] > keptOfReason {
		return nil
	}
	if n := len(d.skipped); n > 0 && d.skipped[n-1] == l {
		return nil // several records of one row, for one reason
	}
	if d.skipped = append(d.skipped, l); len(d.skipped) < skippedAtOnce {
		return nil
	}
	return d.writeSkipped()
}

// skipRest says how many rows are not listed.
func (d *drafting) skipRest() {
	for _, reason := range slices.Sorted(maps.Keys(d.summary.Skipped)) {
		if more := d.summary.Skipped[reason] - keptOfReason; more > 0 {
			d.skipped = append(d.skipped, format.Skipped{Reason: reason,
				Message: fmt.Sprintf("%d more like these", more)})
		}
	}
}

func (d *drafting) writeSkipped() error {
	err := d.w.Skipped(d.skipped)
	d.skipped = d.skipped[:0]
	return err
}

// maxListed bounds the problems and unclear names of a summary.
const (
	maxProblems = 1000
	maxUnclear  = 500
	maxMatches  = 2000
)

func (d *drafting) problem(p catalog.Problem) {
	if len(d.summary.Problems) < maxProblems {
		d.summary.Problems = append(d.summary.Problems, Problem{p.Pos.Line, p.Card, p.Field, p.Rule, p.Msg})
	}
}

// use has a source written before the records that are written next; one that the file does not have is nothing.
func (d *drafting) use(id string) {
	if s := d.sources[id]; s != nil && !d.used[id] {
		d.used[id] = true
		d.cited = append(d.cited, *s)
	}
}

func (d *drafting) writeSources() error {
	if len(d.cited) == 0 {
		return nil
	}
	err := d.w.Sources(d.cited)
	d.cited = d.cited[:0]
	return err
}

// skippedName gives the reason why a record with that name is skipped.
func skippedName(n *name, line int) format.Skipped {
	l := format.Skipped{Line: line, Name: n.text}
	switch n.means {
	case ambiguous:
		l.Reason = format.Ambiguous
		l.Message = fmt.Sprintf("%q is the name of %d cards: %s; say which is meant", catalog.Clip(n.text),
			len(n.candidates), joined(n.candidates[:min(8, len(n.candidates))]))
		if len(n.candidates) == 1 {
			l.Message = fmt.Sprintf("%q may be %s, but its row has another memory, form or instance; say what is meant",
				catalog.Clip(n.text), n.candidates[0])
		}
		if n.offer != "" {
			l.Message += ", or what the instance " + strconv.Quote(catalog.Clip(n.offer)) + " has"
		}
	case part:
		l.Reason = format.Part
		l.Message = fmt.Sprintf("%q is a part of %s, or of a board that clouds count by its GPUs: its price is not "+
			"that of a card", catalog.Clip(cmp.Or(n.offer, n.text)), joined(n.candidates[:min(8, len(n.candidates))]))
	case unknown:
		l.Reason, l.Message = format.Unknown, fmt.Sprintf("no card is called %q; say which is meant, or create it",
			catalog.Clip(n.text))
	default:
		l.Reason, l.Message = format.Chosen, fmt.Sprintf("%q was left out on purpose", catalog.Clip(n.text))
	}
	return l
}
