package format

import (
	"bufio"
	"bytes"
	"io"
	"path"
	"strings"

	"tianti/catalog"
)

// headBytes is how much of a file is looked at to tell what it is.
const headBytes = 64 << 10

// Open reads the beginning of a file, unpacks it when its first bytes say that it is gzip or zip, and finds its
// encoding and, of a table, its delimiter and columns. The caller closes the file; r stays the caller's, and is read no
// further afterwards.
//
// A file that cannot be read is a *FileError; later, so is what reading Text returns.
func Open(name string, r io.Reader, opt Options, lim Limits, today catalog.Date) (*File, error) {
	name, folder := base(name), folderOf(name)
	text, inner, closer, err := unpack(name, r, lim)
	if err != nil {
		return nil, err
	}
	buffered := bufio.NewReaderSize(newText(name, text, lim), headBytes)
	head, err := buffered.Peek(headBytes)
	if err != nil && err != io.EOF {
		closeQuietly(closer)
		return nil, err
	}
	if len(bytes.TrimSpace(head)) == 0 {
		closeQuietly(closer)
		return nil, &FileError{Name: name, Msg: "the file is empty; want a table, JSON or YAML"}
	}
	f := &File{Name: name, Options: opt, Today: today, Text: buffered, folder: folder, limits: lim, closer: closer}
	f.Head = newHead(inner, string(head), err == io.EOF)
	return f, nil
}

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
