package format

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"tianti/catalog"
	"tianti/tables"
)

// A part is a table of a file that holds tables in another form than text, or a file of an archive.
type part struct {
	name  string
	head  Head
	table *tables.Table
	file  *File // of an archive, that it is or is in
}

// Parts are the names of the tables or files that a file holds; none of a plain one.
func (f *File) Parts() []string {
	var names []string
	for _, p := range f.parts {
		names = append(names, p.name)
	}
	return names
}

// Reads are the names of those of Parts that are read.
func (f *File) Reads() []string {
	var names []string
	for _, p := range f.chosen {
		names = append(names, p.name)
	}
	return names
}

func (f *File) tableLimits() tables.Limits {
	return tables.Limits{Bytes: f.limits.Bytes, Ratio: f.limits.Ratio, Cell: f.limits.Line, Columns: f.limits.Columns,
		Depth: f.limits.Depth}
}

// openBinary keeps a file that is read here and there.
func (f *File) openBinary(kind tables.Kind, r io.Reader) error {
	held, size, closer, err := holdArchive(io.LimitReader(r, f.limits.Bytes))
	if err != nil {
		return err
	}
	f.closer = both{closer, f.closer}
	return f.openTables(kind, held, size)
}

// both closes two, the first first.
type both struct{ first, second io.Closer }

func (b both) Close() error {
	var errs []error
	for _, c := range []io.Closer{b.first, b.second} {
		if c != nil {
			errs = append(errs, c.Close())
		}
	}
	return errors.Join(errs...)
}

func (f *File) openTables(kind tables.Kind, r io.ReaderAt, size int64) error {
	t, err := tables.Open(kind, r, size, f.tableLimits())
	return f.holds(t, err)
}

// openTablesOf finds tables in a text, which stays readable as it is.
func (f *File) openTablesOf(kind tables.Kind, text io.Reader) error {
	k := &keep{}
	f.closer = both{k, f.closer}
	t, err := tables.OpenText(kind, text, k, f.tableLimits())
	f.Text = io.NewSectionReader(k, 0, f.limits.Bytes)
	return f.holds(t, err)
}

// holds takes the tables of a file.
func (f *File) holds(t *tables.File, err error) error {
	if err != nil {
		return f.tableError(err)
	}
	f.closer = both{closerFunc(t.Close), f.closer}
	for _, table := range t.Tables {
		head := Head{Name: f.Head.Name, Text: f.Head.Text, Delimiter: ',', Columns: headerOf(table.Columns)}
		if head.Name == "" {
			head.Name = f.Name
		}
		f.parts = append(f.parts, &part{name: table.Name, head: head, table: table})
	}
	return f.choose()
}

type closerFunc func() error

func (c closerFunc) Close() error { return c() }

// tableError is an error of tables as one of the file.
func (f *File) tableError(err error) error {
	var of *tables.Error
	if !errors.As(err, &of) {
		return err
	}
	out := &FileError{Name: f.Name, Line: of.Line, Field: of.Field, Msg: of.Msg}
	if of.Table != "" {
		out.Name += "/" + of.Table
	}
	return out
}

// openMembers opens the files of an archive.
func (f *File) openMembers(members []member) error {
	for _, m := range members {
		name := m.in.Name
		if strings.EqualFold(path.Ext(name), ".md") || strings.EqualFold(path.Base(name), "license") {
			continue // what people are told of the others
		}
		of := &File{Name: f.Name + "/" + name, Options: f.Options, Today: f.Today, folder: folderOf(name),
			limits: f.limits}
		if of.folder == "" {
			of.folder = f.folder
		}
		of.Options.Part = ""
		f.closer = both{of, f.closer}
		r, err := m.open()
		if err == nil {
			err = of.openStream(base(name), r)
		}
		if err != nil {
			return err
		}
		if len(of.parts) < 2 {
			f.parts = append(f.parts, &part{name: name, head: of.Head, table: of.table, file: of})
			continue
		}
		for _, p := range of.parts {
			f.parts = append(f.parts, &part{name: name + "/" + p.name, head: p.head, table: p.table, file: of})
		}
	}
	if len(f.parts) == 0 {
		return f.fail(0, "", "the archive holds no data; want tables or JSON")
	}
	return f.choose()
}

// choose finds which parts are read: the one that is asked for, the only one, those that one format knows, those that
// say by their columns what they hold where they are alike.
func (f *File) choose() error {
	defer f.show()
	if want := f.Options.Part; want != "" {
		i := slices.IndexFunc(f.parts, func(p *part) bool { return p.name == want })
		if i < 0 {
			return f.fail(0, string(AskPart), fmt.Sprintf("the file holds no %q; it holds %s", clip(want),
				listed(f.Parts())))
		}
		f.chosen = f.parts[i : i+1]
		return nil
	}
	known := map[*Format][]*part{}
	var usable []*part
	for _, p := range f.parts {
		if how, _ := Detect(p.head); how != nil {
			known[how] = append(known[how], p)
		} else if saysEnough(p.head.Columns) {
			usable = append(usable, p)
		}
	}
	switch {
	case len(f.parts) == 1:
		f.chosen = f.parts
	case len(known) == 1:
		for _, f.chosen = range known {
		}
	case len(known) == 0 && len(usable) > 0 && alike(usable):
		f.chosen = usable
	case len(known) == 0 && len(usable) == 0 && alike(f.parts) && len(f.parts[0].head.Columns) > 1:
		f.chosen = f.parts
	}
	return nil
}

// saysEnough reports whether columns say that they hold a card and something of it.
func saysEnough(columns []string) bool {
	card, more := false, false
	for _, field := range SuggestColumns(columns) {
		_, quantity := catalog.LookupQuantity(field)
		card, more = card || field == "card", more || quantity || field == "amount"
	}
	return card && more
}

// alike reports whether parts have the same columns.
func alike(parts []*part) bool {
	return !slices.ContainsFunc(parts, func(p *part) bool {
		return !slices.EqualFunc(p.head.Columns, parts[0].head.Columns, func(a, b string) bool {
			return columnKey(a) == columnKey(b)
		})
	})
}

// show has the file look like the first part that is read, or that may be.
func (f *File) show() {
	p := f.parts[0]
	if i := slices.IndexFunc(f.parts, func(p *part) bool { return len(p.head.Columns) > 1 }); i >= 0 {
		p = f.parts[i]
	}
	if len(f.chosen) > 0 {
		p = f.chosen[0]
	}
	f.Head, f.table = p.head, p.table
	if p.file != nil {
		f.Text = p.file.Text
	}
}

// ReadFile reads a file: of one that holds several parts those that are chosen, one after another.
func (how *Format) ReadFile(ctx context.Context, f *File, s Sink) error {
	if f.parts == nil {
		return how.Read(ctx, f, s)
	}
	if len(f.chosen) == 0 {
		return f.fail(0, string(AskPart), fmt.Sprintf("the file holds %s; say which to read", listed(f.Parts())))
	}
	seen := map[string]catalog.Source{}
	for _, p := range f.chosen {
		of := *f
		if p.file != nil {
			of = *p.file
			of.Options = f.Options
		} else if len(f.chosen) > 1 && p.name != "" {
			of.Name += "/" + p.name
		}
		of.parts, of.chosen, of.closer = nil, nil, nil
		of.Head, of.table = p.head, p.table
		to := &partSink{Sink: s, seen: seen}
		if len(f.chosen) > 1 {
			to.part = p.name
		}
		if err := how.Read(ctx, &of, to); err != nil {
			return err
		}
	}
	return nil
}

// A partSink passes on what is read of a part: a source once for all, what is left out with the part.
type partSink struct {
	Sink
	part string
	seen map[string]catalog.Source
}

func (s *partSink) Source(src catalog.Source) error {
	if before, ok := s.seen[src.ID]; ok && before == src {
		return nil
	}
	s.seen[src.ID] = src
	return s.Sink.Source(src)
}

func (s *partSink) Skip(l Skipped) error {
	if s.part != "" {
		l.Message = clip(s.part) + ": " + l.Message
	}
	return s.Sink.Skip(l)
}

// newTableOf reads a table that is no text.
func (f *File) newTableOf(ctx context.Context, s Sink) (*Table, error) {
	rows, err := f.table.Rows(ctx)
	if err != nil {
		return nil, f.tableError(err)
	}
	t := &Table{ctx: ctx, file: f, sink: s, rec: &tableRows{file: f, rows: rows}, line: 1}
	t.name(f.table.Columns)
	return t, nil
}

// tableRows are the rows of such a table.
type tableRows struct {
	file *File
	rows *tables.Rows
}

func (r *tableRows) fault() string { return r.rows.Fault() }

func (r *tableRows) next() ([]string, int, error) {
	cells, line, err := r.rows.Next()
	if err != nil {
		closeQuietly(r.rows)
		return nil, 0, r.file.tableError(err)
	}
	if !slices.ContainsFunc(cells, func(c string) bool { return c != "" }) && r.rows.Fault() == "" {
		cells = nil // as an empty line
	}
	return cells, line, nil
}
