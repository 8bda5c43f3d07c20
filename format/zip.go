package format

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"tianti/tables"
)

// directoryBytes is how much of a zip's directory is read: enough for thousands of files, of which one is wanted, and
// little memory.
const directoryBytes = 1 << 20

// openZip opens a zip, whose directory stands at its end: all of it is kept meanwhile.
func openZip(name string, r io.Reader, lim Limits) (in contents, err error) {
	in.archive, in.size, in.closer, err = holdArchive(r)
	if err != nil {
		return in, fmt.Errorf("keep %s while it is read: %w", name, err)
	}
	files, err := membersOf(name, in.archive, in.size)
	if err != nil {
		return in, err
	}
	for _, f := range files {
		switch f.Name {
		case "[Content_Types].xml":
			in.kind = tables.Workbook
			return in, nil
		case "mimetype":
			return in, &FileError{Name: name, Msg: "the file is an office document of another kind; want .xlsx, " +
				"or the sheet as CSV"}
		}
	}
	for _, f := range files {
		if err := checkMember(name, f); err != nil {
			return in, err
		}
		in.members = append(in.members, member{name: name, in: f, archive: in.archive, size: in.size, ratio: lim.Ratio})
	}
	if len(in.members) == 1 {
		in.inner = base(files[0].Name)
		in.text, err = in.members[0].open()
		in.members = nil
	}
	return in, err
}

// A member is a file of a zip.
type member struct {
	name    string // of the zip
	in      *zip.File
	archive io.ReaderAt
	size    int64
	ratio   int64
}

// open unpacks it. It may be opened several times.
func (m *member) open() (io.Reader, error) {
	body, err := m.in.Open()
	if err != nil {
		return nil, &FileError{Name: m.name, Msg: fmt.Sprintf("%q cannot be unpacked: %v", m.in.Name, err)}
	}
	packed := int64(min(m.in.CompressedSize64, uint64(m.size)))
	return notNested(m.name, &unpacked{name: m.name, r: body, in: func() int64 { return packed }, ratio: m.ratio})
}

// mostMembers are the most files of a zip that are looked at.
const mostMembers = 200

// membersOf returns the regular files of a zip.
func membersOf(name string, r io.ReaderAt, size int64) ([]*zip.File, error) {
	directory := &directoryReader{r: r, left: directoryBytes}
	z, err := zip.NewReader(directory, size)
	if errors.Is(err, errDirectory) {
		return nil, &FileError{Name: name, Msg: "the archive holds thousands of files; want fewer"}
	}
	if err != nil {
		return nil, &FileError{Name: name, Msg: fmt.Sprintf("the file begins as zip but is damaged: %v", err)}
	}
	directory.left = -1
	var files []*zip.File
	for _, f := range z.File {
		if f.Mode().IsDir() || strings.HasPrefix(f.Name, "__MACOSX/") {
			continue // folders, and what macOS adds to each file
		}
		files = append(files, f)
	}
	if len(files) == 0 {
		return nil, &FileError{Name: name, Msg: "the archive holds no file; want some"}
	}
	if len(files) > mostMembers {
		return nil, &FileError{Name: name, Msg: fmt.Sprintf("the archive holds %d files; want at most %d", len(files),
			mostMembers)}
	}
	return files, nil
}

func checkMember(name string, f *zip.File) error {
	refuse := func(msg string) error {
		return &FileError{Name: name, Msg: fmt.Sprintf("the archive holds %q, %s", clip(f.Name), msg)}
	}
	switch {
	case !fs.ValidPath(f.Name) || strings.ContainsAny(f.Name, `\:`):
		return refuse("whose name leads elsewhere; want a plain name")
	case !f.Mode().IsRegular():
		return refuse("which is a link or device; want a regular file")
	case f.Flags&1 != 0:
		return refuse("which is encrypted; want it without a password")
	}
	return nil
}

var errDirectory = errors.New("the directory is too long")

// directoryReader fails once the directory of a zip has grown past what is allowed: its own count of files may be a
// lie.
type directoryReader struct {
	r    io.ReaderAt
	left int64 // negative: no limit
}

func (d *directoryReader) ReadAt(p []byte, off int64) (int, error) {
	n, err := d.r.ReadAt(p, off)
	if d.left >= 0 {
		if d.left -= int64(n); d.left < 0 {
			d.left = 0
			return 0, errDirectory
		}
	}
	return n, err
}

// memoryBytes is the largest file held in memory; a larger one goes to a temporary file.
const memoryBytes = 8 << 20

// holdArchive reads an archive to its end. The closer is nil where nothing needs closing.
func holdArchive(r io.Reader) (io.ReaderAt, int64, io.Closer, error) {
	head, err := io.ReadAll(io.LimitReader(r, memoryBytes+1))
	if err != nil || len(head) <= memoryBytes {
		return bytes.NewReader(head), int64(len(head)), nil, err
	}
	s, size, err := newSpool(io.MultiReader(bytes.NewReader(head), r))
	if err != nil {
		return nil, 0, nil, err
	}
	return s, size, s, nil
}

// A spool is a temporary file that is gone when it is closed.
type spool struct{ *os.File }

func newSpool(r io.Reader) (*spool, int64, error) {
	s, err := emptySpool()
	if err != nil {
		return nil, 0, err
	}
	n, err := io.Copy(s.File, r)
	if err != nil {
		s.Close()
		return nil, 0, err
	}
	return s, n, nil
}

func emptySpool() (*spool, error) {
	f, err := os.CreateTemp("", "tianti-*")
	if err != nil {
		return nil, err
	}
	os.Remove(f.Name()) // where the system allows it, nothing is left even by kill -9
	return &spool{f}, nil
}

// A keep takes what is read of a file, for reading it again: a little in memory, more in a temporary file.
type keep struct {
	memory []byte
	spool  *spool
}

func (k *keep) Write(p []byte) (int, error) {
	if k.spool == nil && len(k.memory)+len(p) > memoryBytes {
		var err error
		if k.spool, err = emptySpool(); err != nil {
			return 0, err
		}
		if _, err := k.spool.Write(k.memory); err != nil {
			return 0, err
		}
		k.memory = nil
	}
	if k.spool != nil {
		return k.spool.Write(p)
	}
	k.memory = append(k.memory, p...)
	return len(p), nil
}

func (k *keep) ReadAt(p []byte, off int64) (int, error) {
	if k.spool != nil {
		return k.spool.ReadAt(p, off)
	}
	return bytes.NewReader(k.memory).ReadAt(p, off)
}

// Close gives back the temporary file.
func (k *keep) Close() error {
	if k.spool == nil {
		return nil
	}
	return k.spool.Close()
}

// Close closes and removes the file.
func (s *spool) Close() error {
	err := s.File.Close()
	os.Remove(s.Name())
	return err
}
