package format

import (
	"fmt"
	"io"

	"tianti/catalog"
	"tianti/tables"
)

// A File is an open file with its metadata.
type File struct {
	Name    string
	Head    Head
	Options Options
	Today   catalog.Date // the day of the import

	// Text is the file from its beginning: decompressed, UTF-8, without a byte order mark, held to the limits of Open.
	Text io.Reader

	folder string // that the name was in, if it bore one
	limits Limits
	closer io.Closer

	table  *tables.Table // that is read in place of Text
	parts  []*part       // of a file that holds tables or files; nil for plain text
	chosen []*part       // those that are read, one after another; none where it is unclear which
}

// A FileError is a file that cannot be read, and where.
type FileError struct {
	Name         string
	Line, Column int    // 0 when it is not about a place
	Field        string // may be empty
	Msg          string // one sentence: what is wrong and what is allowed
}

func (e *FileError) Error() string {
	at := e.Name
	if e.Line > 0 {
		at = fmt.Sprintf("%s:%d", at, e.Line)
		if e.Column > 0 {
			at = fmt.Sprintf("%s:%d", at, e.Column)
		}
	}
	if e.Field != "" {
		at += ": " + e.Field
	}
	return at + ": " + e.Msg
}

// Limits of a file. The error for a file beyond them names the limit.
type Limits struct {
	Bytes   int64 // of text after decompression
	Ratio   int64 // of decompressed to compressed bytes, beyond the first MiB
	Line    int   // bytes of a line or cell
	Columns int
	Depth   int // of JSON and YAML
	Cards   int // a dataset holds in memory while it is checked
	Facts   int
}

// DefaultLimits are far above the files of people, and stop hostile ones early.
var DefaultLimits = Limits{Bytes: 4 << 30, Ratio: 200, Line: 1 << 20, Columns: 2000, Depth: 64, Cards: 20_000,
	Facts: 500_000}
