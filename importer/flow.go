package importer

import (
	"context"
	"errors"
	"io"
	"runtime"
	"slices"
	"time"

	"tianti/audit"
	"tianti/catalog"
	"tianti/format"
)

// An Upload is a file to import.
type Upload struct {
	Name string // with or without its folder
	Size int64  // -1 when not known
	Data io.Reader
}

// Config of an importer.
type Config struct {
	Store Store
	// the catalogue as it is shown; nil while there is none, and nil when there never is
	Snapshot func() *catalog.Snapshot
	Today    func() catalog.Date // nil: the day in UTC
	MaxBytes int64               // of a file as it is handed in; 0: 1 GiB
	Gentle   bool                // to read and to match take turns: what else the process does keeps a processor
	Limits   format.Limits
	OpenRows int // records of drafts that an account may have open; 0: 20 million
}

// Importer runs the steps of imports. Its methods may be called concurrently.
type Importer struct {
	cfg       Config
	files     FileStore
	drafts    DraftStore
	revisions RevisionStore
	datasets  DatasetStore
	large     turns
}

// New returns an importer.
func New(cfg Config) *Importer {
	if cfg.Limits == (format.Limits{}) {
		cfg.Limits = format.DefaultLimits
	}
	if cfg.OpenRows == 0 {
		cfg.OpenRows = openRows
	}
	if cfg.Snapshot == nil {
		cfg.Snapshot = func() *catalog.Snapshot { return nil }
	}
	if cfg.Today == nil {
		cfg.Today = func() catalog.Date { return catalog.Date(time.Now().UTC().Format(time.DateOnly)) }
	}
	return &Importer{cfg: cfg, files: cfg.Store, drafts: cfg.Store, revisions: cfg.Store, datasets: cfg.Store,
		large: make(turns, 1)}
}

// ErrLoading: names cannot be matched with a part of the catalogue.
var ErrLoading = errors.New("the catalogue is still being read; try again in a moment")

// Draft keeps a file, reads it and makes a draft of what it says. progress, unless nil, is called now and then, from
// one goroutine: while the file comes in without rows, then with the bytes that are read of it. When the content is
// what the active revision came from, and nothing else was chosen, the draft's Summary.Nothing is true.
//
// A file that cannot be read is an *format.FileError, one that is too large a *TooLargeError; an option that cannot be
// is an *OptionError, and one file too many of an account a *ManyOpenError. In each of these cases only the stored file
// remains.
func (in *Importer) Draft(
	ctx context.Context, u Upload, opt Options, by audit.Actor, progress func(Progress),
) (Draft, error) {
	if err := opt.Validate(); err != nil {
		return Draft{}, err
	}
	file, err := in.Keep(ctx, u, progress)
	if err != nil {
		return Draft{}, err
	}
	return in.DraftKept(ctx, file, opt, by, progress)
}

// Keep stores a file without reading what it says; errors and progress are those of Draft.
func (in *Importer) Keep(ctx context.Context, u Upload, progress func(Progress)) (FileInfo, error) {
	if progress == nil {
		progress = func(Progress) {}
	}
	r := &arriving{r: u.Data, size: u.Size, most: in.MaxBytes(), progress: progress}
	return in.files.StoreFile(ctx, u.Name, r)
}

// DraftKept is Draft of a file that is stored.
func (in *Importer) DraftKept(
	ctx context.Context, file FileInfo, opt Options, by audit.Actor, progress func(Progress),
) (Draft, error) {
	if err := opt.Validate(); err != nil {
		return Draft{}, err
	}
	if err := in.roomFor(ctx, by); err != nil {
		return Draft{}, err
	}
	if progress == nil {
		progress = func(Progress) {}
	}
	return in.draft(ctx, file, opt, by, progress, true)
}

// arriving reads a file that is handed in, up to the limit.
type arriving struct {
	r             io.Reader
	n, size, most int64
	progress      func(Progress)
}

func (a *arriving) Read(p []byte) (int, error) {
	n, err := a.r.Read(p)
	if a.n += int64(n); a.n > a.most {
		return 0, &TooLargeError{a.most}
	}
	a.progress(Progress{Bytes: a.n, Size: a.size})
	runtime.Gosched() // compressing it has no other pause
	return n, err
}

// Redraft makes another draft of the file of a draft or revision, and discards the draft. What opt leaves open is what
// is usual for the format, whatever was chosen before.
func (in *Importer) Redraft(
	ctx context.Context, id int64, opt Options, by audit.Actor, progress func(Progress),
) (Draft, error) {
	if err := opt.Validate(); err != nil {
		return Draft{}, err
	}
	old, err := in.drafts.Draft(ctx, id)
	if err != nil {
		return Draft{}, err
	}
	if progress == nil {
		progress = func(Progress) {}
	}
	d, err := in.draft(ctx, old.File, opt, by, progress, false)
	if err != nil || old.State == Applied {
		return d, err
	}
	if err := in.drafts.Discard(ctx, id, by); !isNotExist(err) { // another request may have discarded it
		return d, err
	}
	return d, nil
}

// draft reads a stored file; with remember, the options of the last import into the dataset are the defaults.
func (in *Importer) draft(
	ctx context.Context, file FileInfo, opt Options, by audit.Actor, progress func(Progress), remember bool,
) (Draft, error) {
	began := time.Now()
	stored, info, err := in.files.OpenFile(ctx, file.SHA256)
	if err != nil {
		return Draft{}, err
	}
	defer stored.Close()
	file.Size = info.Size
	leave, err := in.large.take(ctx, info.Size)
	if err != nil {
		return Draft{}, err
	}
	defer leave()
	read := &counter{Reader: stored}
	f, err := format.Open(file.Name, read, opt.Reading, in.cfg.Limits, in.cfg.Today())
	if err != nil {
		return Draft{}, err
	}
	defer f.Close()
	snap, err := in.snapshot()
	if err != nil {
		return Draft{}, err
	}
	format, err := in.formatOf(ctx, f.Head, opt)
	if err != nil {
		return Draft{}, err
	}
	given := opt.Names
	if opt, err = in.resolveOptions(ctx, opt, format, f.Head, remember, snap); err == nil {
		err = opt.validateNames(snap)
	}
	if err != nil {
		return Draft{}, err
	}
	f.Options = opt.Reading
	d := in.newDrafting(f, format, opt, snap)
	defer d.numbers.Close()
	d.sha256, d.given = file.SHA256, given
	return d.run(ctx, f, file, by, began, func() {
		progress(Progress{Bytes: read.n.Load(), Size: file.Size, Rows: d.summary.Rows, Taken: d.summary.Taken})
	})
}

// snapshot is the catalogue that names are matched with.
func (in *Importer) snapshot() (*catalog.Snapshot, error) {
	snap := in.cfg.Snapshot()
	switch {
	case snap == nil:
		return catalog.NewSnapshot(0), nil
	case snap.Partial():
		return nil, ErrLoading
	}
	return snap, nil
}

// formatOf is the format that was chosen, the one that knows the file, the only one that may be it, or the one of the
// last import into the dataset.
func (in *Importer) formatOf(ctx context.Context, h format.Head, opt Options) (*format.Format, error) {
	if f, ok := format.Lookup(opt.Format); ok {
		return f, nil
	}
	f, may := format.Detect(h)
	if f != nil {
		return f, nil
	}
	if opt.Dataset != "" {
		last, err := in.datasets.Choices(ctx, opt.Dataset)
		if err != nil && !isNotExist(err) {
			return nil, err
		}
		for _, m := range may {
			if m.ID == last.Format {
				return m, nil
			}
		}
	}
	if len(may) == 1 {
		return may[0], nil
	}
	return nil, format.Undetected(h)
}

// run reads the file in another goroutine, takes what it says in this one, while the store writes it.
func (d *drafting) run(
	ctx context.Context, f *format.File, file FileInfo, by audit.Actor, began time.Time, report func(),
) (Draft, error) {
	active, err := d.in.dataset(ctx, d.opt.Dataset)
	if err != nil {
		return Draft{}, err
	}
	if err := d.begin(ctx, active.Active, file, by); err != nil {
		return Draft{}, d.abort(err)
	}
	if err := d.read(ctx, f, report); err != nil && !d.lacksChoice(err) {
		return Draft{}, d.abort(err)
	}
	draft, err := d.finish(ctx, began)
	if err != nil {
		return Draft{}, d.abort(err)
	}
	if draft.Base != active.Active {
		return Draft{}, errors.Join(ErrMoved, d.in.drafts.Discard(ctx, draft.ID, by))
	}
	return draft, nil
}

// read takes what the format says, until the file ends or something fails: then the format is told to end, too.
func (d *drafting) read(ctx context.Context, f *format.File, report func()) (err error) {
	reading, stop := context.WithCancel(ctx)
	defer stop()
	t := newTurn(d.in.cfg.Gentle)
	full, spare, wait := produce(reading, d.format, f, t)
	for b := range full {
		if err == nil {
			t.take()
			if err = d.take(b); err != nil {
				stop()
			}
			t.give()
			report()
		}
		select {
		case spare <- b:
		default:
		}
	}
	if ended := wait(); err == nil {
		err = ended
	}
	if err == nil {
		err = context.Cause(ctx)
	}
	return err
}

// lacksChoice reports whether a file cannot be read without options that its format requires: what the columns of
// a table hold, of which day prices are, which of several tables is meant. The draft says so, for that to be chosen.
func (d *drafting) lacksChoice(err error) bool {
	var file *format.FileError
	if !errors.As(err, &file) || d.summary.Rows > 0 {
		return false
	}
	if ask := format.Ask(file.Field); ask != format.AskPart && !slices.Contains(d.format.Asks, ask) {
		return false
	}
	d.problem(catalog.Problem{Pos: catalog.Pos{Line: file.Line}, Field: file.Field, Rule: NeedsChoice, Msg: file.Msg})
	return true
}

func (d *drafting) abort(err error) error {
	if d.w == nil {
		return err
	}
	return errors.Join(err, d.w.Abort())
}
