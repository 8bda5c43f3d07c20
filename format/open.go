package format

import (
	"bufio"
	"bytes"
	"io"
	"path"
	"regexp"
	"strings"

	"tianti/catalog"
	"tianti/tables"
)

// headBytes is how much of a file is looked at to tell what it is.
const headBytes = 64 << 10

// Open reads the beginning of a file, unpacks it when its first bytes say that it is gzip or zip, and finds its
// encoding and, of a table, its delimiter and columns. Of a file that holds tables in another form, and of a zip with
// several files, it finds what there is and which of them to read. The caller closes the file; r stays the caller's,
// and is read no further afterwards.
//
// A file that cannot be read is a *FileError; later, so is what reading Text returns.
func Open(name string, r io.Reader, opt Options, lim Limits, today catalog.Date) (*File, error) {
	name, folder := base(name), folderOf(name)
	f := &File{Name: name, Options: opt, Today: today, folder: folder, limits: lim}
	if err := f.open(r); err != nil {
		closeQuietly(f)
		return nil, err
	}
	return f, nil
}

func (f *File) open(r io.Reader) error {
	in, err := unpack(f.Name, r, f.limits)
	f.closer = in.closer
	switch {
	case err != nil:
		return err
	case in.members != nil:
		return f.openMembers(in.members)
	case in.kind != "":
		return f.openTables(in.kind, in.archive, in.size)
	}
	return f.openStream(in.inner, in.text)
}

// openStream finds what a file is that is not packed, of the name that it has in its archive.
func (f *File) openStream(inner string, r io.Reader) error {
	b := bufio.NewReaderSize(r, headBytes)
	magic, err := b.Peek(16)
	if err != nil && err != io.EOF {
		return err
	}
	if kind := tables.KindOf(magic); kind == tables.SQLite || kind == tables.Parquet {
		return f.openBinary(kind, b)
	}
	return f.openText(inner, b)
}

// openText finds what a text is.
func (f *File) openText(inner string, r io.Reader) error {
	buffered := bufio.NewReaderSize(newText(f.Name, r, f.limits), headBytes)
	head, err := buffered.Peek(headBytes)
	if err != nil && err != io.EOF {
		return err
	}
	if len(bytes.TrimSpace(head)) == 0 {
		return &FileError{Name: f.Name, Msg: "the file is empty; want a table, JSON or YAML"}
	}
	f.Text = buffered
	f.Head = newHead(inner, string(head), err == io.EOF)
	switch kind := tables.KindOf(head); {
	case kind == tables.JSON:
		if claimed, may := Detect(f.Head); claimed == nil && len(may) == 0 {
			return f.openTablesOf(kind, buffered)
		}
	case kind == tables.HTML && f.Head.Delimiter == 0 || pageMark.MatchString(f.Head.Text):
		return f.openTablesOf(tables.HTML, buffered)
	}
	return nil
}

// pageMark begins pages of HTML, whose text may look like a table.
var pageMark = regexp.MustCompile(`(?i)^\s*<(!doctype|!--|\?xml|html|head|body|table|div|p\b)`)

// Close gives back what unpacking took; the file cannot be read afterwards.
func (f *File) Close() error {
	if f.closer == nil {
		return nil
	}
	return f.closer.Close()
}

// Limits are those that the file was opened with.
func (f *File) Limits() Limits { return f.limits }

// fail is an error about a place of the file; line 0 is the file as a whole.
func (f *File) fail(line int, field, msg string) error {
	return &FileError{Name: f.Name, Line: line, Field: field, Msg: msg}
}

// base is a file's name without its folder, whatever system it comes from.
func base(name string) string {
	if name = strings.ReplaceAll(name, `\`, "/"); name == "" {
		return "file"
	}
	return path.Base(name)
}

// folderOf is the name of the folder that a file is in, "" when it is not given.
func folderOf(name string) string {
	folder := path.Dir(strings.ReplaceAll(name, `\`, "/"))
	if folder == "." || folder == "/" {
		return ""
	}
	return path.Base(folder)
}

func closeQuietly(c io.Closer) {
	if c != nil {
		c.Close()
	}
}

// newHead says what the beginning of a file looks like.
func newHead(name, text string, whole bool) Head {
	h := Head{Name: name, Text: text, Whole: whole}
	trimmed := strings.TrimLeft(text, " \t\n")
	if strings.HasPrefix(trimmed, "{") || strings.HasPrefix(trimmed, "[") {
		return h
	}
	h.Delimiter, h.Columns = delimiterOf(text, whole)
	return h
}
