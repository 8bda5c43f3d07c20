package importer

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"tianti/audit"
	"tianti/catalog"
	"tianti/diff"
)

// Preview is what a draft would change.
type Preview struct {
	Draft   Draft
	Dataset Dataset     // as it is now; zero but for the id when it is new
	Report  diff.Report // cards, figures, conflicts
}

// A NotReadyError is a draft that cannot be applied.
type NotReadyError struct {
	Draft    int64
	Problems []Problem // that keep it from being applied; none when it would change nothing
}

func (e *NotReadyError) Error() string {
	if len(e.Problems) == 0 {
		return fmt.Sprintf("draft %d would change nothing", e.Draft)
	}
	p := &e.Problems[0]
	return fmt.Sprintf("draft %d cannot be applied, it has %d problems; the first: line %d: %s: %s [%s]", e.Draft,
		len(e.Problems), p.Line, p.Field, p.Message, p.Rule)
}

func isNotExist(err error) bool { return errors.Is(err, fs.ErrNotExist) }

// Preview says what a draft would change; also, of an applied revision, what it changed against the one before it.
func (in *Importer) Preview(ctx context.Context, id int64) (Preview, error) {
	d, err := in.drafts.Draft(ctx, id)
	if err != nil {
		return Preview{}, err
	}
	p := Preview{Draft: d}
	after, err := in.revisions.Revision(ctx, id)
	if err != nil {
		return p, err
	}
	after.Revision = id
	if p.Dataset, err = in.dataset(ctx, after.ID); err != nil {
		return p, err
	}
	var before catalog.Dataset
	if d.Base != 0 {
		if before, err = in.revisions.Revision(ctx, d.Base); err != nil {
			return p, err
		}
	}
	if d.State != Applied && d.Options.Rank != nil {
		after.Rank = *d.Options.Rank
	}
	p.Report = diff.Between(before, after, in.cfg.Snapshot())
	return p, nil
}

// Apply makes a draft the active revision of its dataset. It refuses one with problems, or that would change nothing,
// with a *NotReadyError, and with ErrMoved one whose dataset has moved.
func (in *Importer) Apply(ctx context.Context, id int64, note string, by audit.Actor) (Revision, error) {
	d, err := in.drafts.Draft(ctx, id)
	switch {
	case err != nil:
		return Revision{}, err
	case d.State != Applied && (len(d.Summary.Problems) > 0 || d.Summary.Nothing):
		return Revision{}, &NotReadyError{id, d.Summary.Problems}
	}
	return in.drafts.Apply(ctx, id, note, by)
}

// ErrNotActive: no revision of the dataset is active, so there is none to take back.
var ErrNotActive = errors.New("no revision of the dataset is active; there is nothing to take back")

// Revert makes the revision active that was so when the active one was made, or none when none was; to = 0. Otherwise
// it makes that revision active.
func (in *Importer) Revert(ctx context.Context, dataset string, to int64, by audit.Actor) error {
	if to != 0 {
		return in.datasets.Activate(ctx, dataset, to, by)
	}
	if _, err := in.datasets.Revisions(ctx, dataset); err != nil {
		return err // there is no such dataset
	}
	ds, err := in.dataset(ctx, dataset)
	if err != nil {
		return err
	}
	if ds.Active == 0 {
		return ErrNotActive
	}
	d, err := in.drafts.Draft(ctx, ds.Active)
	if err != nil {
		return err
	}
	return in.datasets.Activate(ctx, dataset, d.Base, by)
}
