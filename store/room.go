package store

import (
	"context"
	"database/sql"
	"fmt"
)

const (
	keptPages  = 1000 // free pages that stay in the file, for what comes next: 4 MB
	pagesABack = 2000 // that one transaction gives back: others write in between
)

// giveBack gives free pages of the file back to the disk, after something large was deleted. A database that an earlier
// version made keeps them for what comes later; a copy of it (tianti backup) is without them.
func (s *Store) giveBack(ctx context.Context) error {
	if s.server != nil {
		return nil // it does so by itself
	}
	for {
		var free, way int64
		err := s.reader.QueryRowContext(ctx, "SELECT (SELECT freelist_count FROM pragma_freelist_count), "+
			"(SELECT auto_vacuum FROM pragma_auto_vacuum)").Scan(&free, &way)
		const incremental = 2
		if err != nil || way != incremental || free <= keptPages {
			return err
		}
		err = s.write(ctx, "give room back", func(tx *sql.Tx) error {
			// Each row of the answer is a page.
			rows, err := tx.QueryContext(ctx, fmt.Sprintf("PRAGMA incremental_vacuum(%d)", pagesABack))
			if err != nil {
				return err
			}
			defer rows.Close()
			for rows.Next() {
			}
			return rows.Err()
		})
		if err != nil {
			return err
		}
	}
}
