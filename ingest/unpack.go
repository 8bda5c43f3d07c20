package ingest

import (
	"archive/zip"
	"bufio"
	"compress/flate"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
)

// directoryBytes is how much of a zip's directory is read: enough for thousands of
// files, of which one is wanted, and little memory.
const directoryBytes = 1 << 20

// freeBytes may come out of an archive before its ratio counts.
const freeBytes = 1 << 20

// unpack returns the bytes of a file, out of the archive that its first bytes say it
// is, and the name of what is inside, which is the file's own for a plain one.
func unpack(name string, r io.Reader, lim Limits) (io.Reader, string, io.Closer, error) {
	b := bufio.NewReaderSize(r, headBytes)
	magic, err := b.Peek(4)
	if err != nil && err != io.EOF {
		return nil, "", nil, err
	}
	switch archiveOf(magic) {
	case "gzip":
		r, err := openGzip(name, b, lim)
		return r, strings.TrimSuffix(name, ".gz"), nil, err
	case "zip":
		return openZip(name, b, lim)
	case "":
		return b, name, nil, nil
	}
	return nil, "", nil, &FileError{Name: name, Msg: "the file is packed with " + archiveOf(magic) + "; want it plain, as .gz or as .zip"}
}

// archiveOf names what a file is packed with, by its first bytes; "" for nothing
// that is known.
func archiveOf(magic []byte) string {
	for _, a := range []struct{ magic, name string }{
		{"\x1f\x8b", "gzip"}, {"PK\x03\x04", "zip"}, {"PK\x05\x06", "zip"}, {"PK\x07\x08", "zip"},
		{"\x28\xb5\x2f\xfd", "zstd"}, {"\xfd7zX", "xz"}, {"BZh", "bzip2"}, {"7z\xbc\xaf", "7-Zip"}, {"Rar!", "RAR"},
	} {
		if strings.HasPrefix(string(magic), a.magic) {
			return a.name
		}
	}
	return ""
}

// packed counts what goes into a decompressor.
type packed struct {
	r io.Reader
	n int64
}

func (p *packed) Read(b []byte) (int, error) {
	n, err := p.r.Read(b)
	p.n += int64(n)
	return n, err
}

// unpacked passes on what comes out of a decompressor, up to the ratio.
type unpacked struct {
	name  string
	r     io.Reader
	in    func() int64 // bytes that went in
	out   int64
	ratio int64
}

func (u *unpacked) Read(b []byte) (int, error) {
	n, err := u.r.Read(b)
	u.out += int64(n)
	if over := u.out - freeBytes; over > 0 && over > u.ratio*u.in() {
		return 0, &FileError{Name: u.name, Msg: fmt.Sprintf("the file unpacks to more than %d times its size; want less", u.ratio)}
	}
	if damaged(err) {
		return 0, &FileError{Name: u.name, Msg: fmt.Sprintf("the archive is damaged: %v", err)}
	}
	return n, err
}

// damaged reports whether an error is the archive's own, and not of what it is read
// from.
func damaged(err error) bool {
	var corrupt flate.CorruptInputError
	return errors.As(err, &corrupt) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, gzip.ErrHeader) || errors.Is(err, gzip.ErrChecksum) ||
		errors.Is(err, zip.ErrChecksum) || errors.Is(err, zip.ErrFormat) || errors.Is(err, zip.ErrAlgorithm)
}

// notNested refuses what is an archive inside an archive.
func notNested(name string, r io.Reader) (io.Reader, error) {
	b := bufio.NewReaderSize(r, headBytes)
	magic, err := b.Peek(4)
	if err != nil && err != io.EOF {
		return nil, err
	}
	if inner := archiveOf(magic); inner != "" {
		return nil, &FileError{Name: name, Msg: "the archive holds another one (" + inner + "); want the file itself"}
	}
	return b, nil
}

func openGzip(name string, r io.Reader, lim Limits) (io.Reader, error) {
	in := &packed{r: r}
	z, err := gzip.NewReader(in)
	if err != nil && !damaged(err) && err != io.EOF {
		return nil, err
	} else if err != nil {
		return nil, &FileError{Name: name, Msg: fmt.Sprintf("the file begins as gzip but is damaged: %v", err)}
	}
	return notNested(name, &unpacked{name: name, r: z, in: func() int64 { return in.n }, ratio: lim.Ratio})
}

// openZip opens the one file of a zip, which needs its end first: it is kept in a
// temporary file meanwhile.
func openZip(name string, r io.Reader, lim Limits) (_ io.Reader, inner string, _ io.Closer, err error) {
	spool, size, err := newSpool(r)
	if err != nil {
		return nil, "", nil, fmt.Errorf("keep %s while it is read: %w", name, err)
	}
	defer func() {
		if err != nil {
			spool.Close()
		}
	}()
	member, err := onlyMember(name, spool, size)
	if err != nil {
		return nil, "", nil, err
	}
	// A member whose size is a lie reads what follows it: never more than the archive.
	in := min(int64(member.CompressedSize64), size)
	body, err := member.Open()
	if err != nil {
		return nil, "", nil, &FileError{Name: name, Msg: fmt.Sprintf("%q cannot be unpacked: %v", member.Name, err)}
	}
	text, err := notNested(name, &unpacked{name: name, r: body, in: func() int64 { return in }, ratio: lim.Ratio})
	return text, base(member.Name), spool, err
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

// directoryReader fails once the directory of a zip has grown past what is allowed:
// its own count of files may be a lie.
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
