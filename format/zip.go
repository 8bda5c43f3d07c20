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
)

// directoryBytes is how much of a zip's directory is read: enough for thousands of files, of which one is wanted, and
// little memory.
const directoryBytes = 1 << 20

// openZip opens the one file of a zip, whose directory stands at its end: all of it is kept meanwhile.
func openZip(name string, r io.Reader, lim Limits) (_ io.Reader, inner string, _ io.Closer, err error) {
	archive, size, closer, err := holdArchive(r)
	if err != nil {
		return nil, "", nil, fmt.Errorf("keep %s while it is read: %w", name, err)
	}
	defer func() {
		if err != nil {
			closeQuietly(closer)
		}
	}()
	counted := &packedAt{r: archive}
	member, err := onlyMember(name, counted, size)
	if err != nil {
		return nil, "", nil, err
	}
	counted.n = 0
	body, err := member.Open()
	if err != nil {
		return nil, "", nil, &FileError{Name: name, Msg: fmt.Sprintf("%q cannot be unpacked: %v", member.Name, err)}
	}
	text, err := notNested(name, &unpacked{name: name, r: body, in: func() int64 { return counted.n },
		ratio: lim.Ratio})
	return text, base(member.Name), closer, err
}

// packedAt counts what is read of an archive.
type packedAt struct {
	r io.ReaderAt
	n int64
}

func (p *packedAt) ReadAt(b []byte, off int64) (int, error) {
	n, err := p.r.ReadAt(b, off)
	p.n += int64(n)
	return n, err
}

// onlyMember returns the one regular file of a zip.
func onlyMember(name string, r io.ReaderAt, size int64) (*zip.File, error) {
	directory := &directoryReader{r: r, left: directoryBytes}
	z, err := zip.NewReader(directory, size)
	if errors.Is(err, errDirectory) {
		return nil, &FileError{Name: name, Msg: "the archive holds thousands of files; want exactly one"}
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
	if len(files) != 1 {
		return nil, &FileError{Name: name, Msg: holding(files)}
	}
	return files[0], checkMember(name, files[0])
}

// holding says what an archive holds in place of one file.
func holding(files []*zip.File) string {
	const most = 5
	if len(files) == 0 {
		return "the archive holds no file; want exactly one"
	}
	var names []string
	for _, f := range files {
		if f.Name == "[Content_Types].xml" {
			return "the file is an office document; save the sheet as CSV and hand that in"
		}
		if len(names) < most {
			names = append(names, fmt.Sprintf("%q", clip(f.Name)))
		}
	}
	if more := len(files) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	return fmt.Sprintf("the archive holds %d files (%s); want exactly one", len(files), strings.Join(names, ", "))
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

// memoryBytes is the largest archive held in memory; a larger one goes to a temporary file.
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
	f, err := os.CreateTemp("", "tianti-*.zip")
	if err != nil {
		return nil, 0, err
	}
	s := &spool{f}
	os.Remove(f.Name()) // where the system allows it, nothing is left even by kill -9
	n, err := io.Copy(f, r)
	if err != nil {
		s.Close()
		return nil, 0, err
	}
	return s, n, nil
}

// Close closes and removes the file.
func (s *spool) Close() error {
	err := s.File.Close()
	os.Remove(s.Name())
	return err
}
