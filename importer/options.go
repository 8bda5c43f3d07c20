package importer

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"

	"tianti/catalog"
	"tianti/format"
)

// An OptionError is an option that cannot be, by the name of its field in JSON.
type OptionError struct {
	Field string // "dataset", "reading.date", …
	Value string
	Msg   string // what is wrong and what is allowed
}

func (e *OptionError) Error() string { return e.Field + ": " + e.Msg }

func wrongOption(field, value, format string, args ...any) error {
	return &OptionError{field, value, fmt.Sprintf(format, args...)}
}

// Groups are those that an import may leave out, in the order in which they are shown.
func Groups() []Group {
	list := []Group{NewCards, Figures, Names}
	for _, k := range catalog.PriceKinds() {
		list = append(list, PriceGroup(k))
	}
	return append(list, Rates, Annotations)
}

// Validate says which of the options cannot be, whatever the file holds; the error is an *OptionError.
func (o *Options) Validate() error {
	switch {
	case o.Dataset == Builtin:
		return wrongOption("dataset", o.Dataset, "the dataset %q is the program's own; use another, such as %q for "+
			"corrections", Builtin, Local)
	case o.Dataset != "" && (len(o.Dataset) > maxDatasetID || !catalog.IDPattern.MatchString(o.Dataset)):
		return wrongOption("dataset", o.Dataset, "%q is not the id of a dataset: want lower-case letters, digits and "+
			"single hyphens, at most %d", catalog.Clip(o.Dataset), maxDatasetID)
	case o.Mode != "" && o.Mode != Replace && o.Mode != Add:
		return wrongOption("mode", string(o.Mode), "%q: want %s or %s", o.Mode, Replace, Add)
	case o.Unknown != "" && o.Unknown != Skip && o.Unknown != Create:
		return wrongOption("unknown", string(o.Unknown), "%q: want %s or %s", o.Unknown, Skip, Create)
	case o.Rank != nil && (*o.Rank < -MaxRank || *o.Rank > MaxRank):
		return wrongOption("rank", strconv.Itoa(*o.Rank), "%d: want a whole number from %d to %d", *o.Rank, -MaxRank,
			MaxRank)
	case (o.Title.En == "") != (o.Title.Zh == ""):
		return wrongOption("title", o.Title.En+o.Title.Zh, "a title has both languages, or there is none")
	}
	if o.Format != "" {
		if _, ok := format.Lookup(o.Format); !ok {
			return wrongOption("format", o.Format, "%q is no format; want one of %s", catalog.Clip(o.Format),
				strings.Join(formatIDs(), ", "))
		}
	}
	for _, g := range o.Without {
		if !slices.Contains(Groups(), g) {
			return wrongOption("without", string(g), "%q is no part of a file; want some of %s",
				catalog.Clip(string(g)), joined(Groups()))
		}
	}
	return validateReading(&o.Reading)
}

const maxDatasetID = 60

func joined[T ~string](list []T) string {
	out := make([]string, len(list))
	for i, v := range list {
		out[i] = string(v)
	}
	return strings.Join(out, ", ")
}

func formatIDs() []string {
	var ids []string
	for _, f := range format.Formats() {
		ids = append(ids, f.ID)
	}
	return ids
}

func validateReading(r *format.Options) error {
	switch {
	case r.Currency != "" && !catalog.KnownCurrency(r.Currency):
		return wrongOption("reading.currency", r.Currency, "%q is no ISO 4217 code of a currency",
			catalog.Clip(r.Currency))
	case r.Kind != "" && !slices.Contains(catalog.PriceKinds(), r.Kind):
		return wrongOption("reading.kind", string(r.Kind), "%q is no kind of price; want one of %s",
			catalog.Clip(string(r.Kind)), joined(catalog.PriceKinds()))
	case r.DayOrder != "" && r.DayOrder != "dmy" && r.DayOrder != "mdy":
		return wrongOption("reading.day_order", r.DayOrder, "%q: want dmy or mdy", catalog.Clip(r.DayOrder))
	case r.Decimal != "" && r.Decimal != "," && r.Decimal != ".":
		return wrongOption("reading.decimal", r.Decimal, "%q: want a comma or a point", catalog.Clip(r.Decimal))
	}
	if r.Date != "" {
		if _, err := catalog.ParseDate(string(r.Date)); err != nil {
			return wrongOption("reading.date", string(r.Date), "%v", err)
		}
	}
	if s := r.Source; s != nil && s.Kind != "" && !slices.Contains(catalog.SourceKinds, s.Kind) {
		return wrongOption("reading.source.kind", string(s.Kind), "%q is no kind of source; want one of %s",
			catalog.Clip(string(s.Kind)), joined(catalog.SourceKinds))
	}
	if s := r.Source; s != nil {
		if err := format.CheckAddress(s.URL); err != nil {
			return wrongOption("reading.source.url", s.URL, "%v", err)
		}
	}
	return nil
}

// validateNames checks that chosen cards are there.
func (o *Options) validateNames(snap *catalog.Snapshot) error {
	for _, name := range slices.Sorted(maps.Keys(o.Names)) {
		id := o.Names[name]
		if id != "" && !has(snap, id) {
			return wrongOption("names", name, "there is no card %q; want the id of one, or nothing to leave the "+
				"name out", catalog.Clip(id))
		}
	}
	return nil
}

func has(snap *catalog.Snapshot, card string) bool {
	_, ok := snap.Find(card)
	return ok
}

// ownFormat reports whether the format is Tianti's own: a person has to fix what breaks a rule there, and has to name
// the dataset.
func ownFormat(f *format.Format) bool { return f.ID == "tianti" || strings.HasPrefix(f.ID, "tianti-") }

// resolveOptions fills in the options that are not given: with remember, those of the last import into the dataset, as
// far as their cards still exist; then the defaults of the format.
func (in *Importer) resolveOptions(
	ctx context.Context, o Options, f *format.Format, h format.Head, remember bool, snap *catalog.Snapshot,
) (Options, error) {
	o.Format = f.ID
	if o.Dataset == "" {
		o.Dataset = defaultDataset(f, h.Name)
	}
	if remember {
		last, err := in.datasets.Choices(ctx, o.Dataset)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return o, err
		}
		maps.DeleteFunc(last.Names, func(_, id string) bool { return id != "" && !has(snap, id) })
		o = o.remembering(last)
	}
	if slices.Contains(f.Asks, format.AskColumns) {
		o.Reading.Columns = defaultColumns(o.Reading.Columns, h.Columns)
	}
	ds, err := in.dataset(ctx, o.Dataset)
	if err != nil {
		return o, err
	}
	if ds.Revisions == 0 {
		o = o.withNewDataset(f, format.Whole(h))
	}
	if o.Mode == "" {
		o.Mode = Replace
		if f.Holds == format.Prices {
			o.Mode = Add
		}
	}
	if o.Unknown == "" {
		o.Unknown = Create
		if f.Holds == format.Prices {
			o.Unknown = Skip
		}
	}
	return o, o.Validate()
}

// defaultDataset is the id of the format; that of our own formats and generic tables follows from the file's name.
func defaultDataset(f *format.Format, file string) string {
	if !ownFormat(f) && !slices.Contains(f.Asks, format.AskColumns) {
		return f.ID
	}
	stem, _, _ := strings.Cut(file, ".")
	id := clipID(slug(stem))
	if len(id) > maxDatasetID {
		id = strings.TrimRight(id[:maxDatasetID], "-")
	}
	if id == "" || id == Builtin {
		return "imported"
	}
	return id
}

// defaultColumns returns the given fields of columns that the table has, or else those that the header suggests.
func defaultColumns(chosen map[string]string, columns []string) map[string]string {
	out := map[string]string{}
	for column, field := range chosen {
		if slices.Contains(columns, column) {
			out[column] = field
		}
	}
	if len(out) == 0 && len(chosen) == 0 {
		return format.SuggestColumns(columns)
	}
	if len(out) == 0 {
		return chosen // none of them: it is said which
	}
	return out
}

// remembering takes over what was chosen the last time. What is of one file alone, its format and date, is not.
func (o Options) remembering(last Options) Options {
	if o.Mode == "" {
		o.Mode = last.Mode
	}
	if o.Unknown == "" {
		o.Unknown = last.Unknown
	}
	if o.Without == nil {
		o.Without = last.Without
	}
	o.Names = remembered(o.Names, last.Names)
	if len(o.Reading.Columns) == 0 {
		o.Reading.Columns = last.Reading.Columns
	}
	r, l := &o.Reading, &last.Reading
	for _, f := range []struct{ to, from *string }{
		{&r.Currency, &l.Currency}, {&r.Seller, &l.Seller}, {&r.DayOrder, &l.DayOrder}, {&r.Decimal, &l.Decimal},
		{(*string)(&r.Kind), (*string)(&l.Kind)},
	} {
		if *f.to == "" {
			*f.to = *f.from
		}
	}
	if r.Source == nil {
		r.Source = l.Source
	}
	return o
}

func remembered(now, last map[string]string) map[string]string {
	if len(last) == 0 {
		return now
	}
	out := maps.Clone(last)
	maps.Copy(out, now)
	return out
}

// withNewDataset names and ranks a dataset that there was not.
func (o Options) withNewDataset(f *format.Format, whole bool) Options {
	if o.Rank == nil {
		rank := NewRank
		if o.Dataset == Local {
			rank = LocalRank
		} else if whole {
			rank = WholeRank
		}
		o.Rank = &rank
	}
	if o.Title.IsZero() && o.Dataset == f.ID {
		o.Title = f.Title
	} else if o.Title.IsZero() {
		o.Title = titleOf(o.Dataset)
	}
	return o
}

func titleOf(dataset string) catalog.Text {
	if dataset == Local {
		return catalog.Text{En: "Corrections made here", Zh: "本地更正"}
	}
	return catalog.Text{En: dataset, Zh: dataset}
}

// dataset is what the store knows of a dataset; of one that it does not have, the id.
func (in *Importer) dataset(ctx context.Context, id string) (Dataset, error) {
	all, err := in.datasets.Datasets(ctx)
	for _, d := range all {
		if d.ID == id {
			return d, err
		}
	}
	return Dataset{ID: id}, err
}
