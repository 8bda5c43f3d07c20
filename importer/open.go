package importer

import (
	"context"
	"fmt"

	"tianti/audit"
)

// openRows is how many records the drafts may have that an account has open when it hands in another file: some 300 MB
// of prices in the database.
const openRows = 20_000_000

// A ManyOpenError is another file of an account whose drafts have as many records as they may.
type ManyOpenError struct{ Rows, Most int }

func (e *ManyOpenError) Error() string {
	return fmt.Sprintf("your drafts that are not applied have %d records, of which there may be %d: apply or discard "+
		"some first", e.Rows, e.Most)
}

// roomFor is the error of an account that has too much open. The program and whoever runs it have no such bound.
func (in *Importer) roomFor(ctx context.Context, by audit.Actor) error {
	if by.Channel != audit.ByPage && by.Channel != audit.ByAPI {
		return nil
	}
	drafts, err := in.drafts.Drafts(ctx)
	if err != nil {
		return err
	}
	rows := 0
	for _, d := range drafts {
		if d.By.Name == by.Name && (d.By.Channel == audit.ByPage || d.By.Channel == audit.ByAPI) {
			rows += d.Summary.Rows
		}
	}
	if rows >= in.cfg.OpenRows {
		return &ManyOpenError{Rows: rows, Most: in.cfg.OpenRows}
	}
	return nil
}
