package format

import (
	"archive/zip"
	"bufio"
	"compress/flate"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strings"

	"tianti/tables"
)

// freeBytes may come out of an archive before its ratio counts.
const freeBytes = 1 << 20

// contents are what is inside of a file: text or bytes, a workbook, or the files of an archive.
type contents struct {
	text    io.Reader
	inner   string // name of what is inside, which is the file's own for a plain one
	closer  io.Closer
	kind    tables.Kind // of archive, where that is no text
	archive io.ReaderAt
	size    int64
	members []member
}

// unpack returns what is inside of a file, out of the archive that its first bytes say it is.
func unpack(name string, r io.Reader, lim Limits) (contents, error) {
	b := bufio.NewReaderSize(r, headBytes)
	magic, err := b.Peek(8)
	if err != nil && err != io.EOF {
		return contents{}, err
	}
	switch archiveOf(magic) {
	case "gzip":
		r, err := openGzip(name, b, lim)
		return contents{text: r, inner: strings.TrimSuffix(name, ".gz")}, err
	case "zip":
		return openZip(name, b, lim)
	case "":
		return contents{text: b, inner: name}, nil
	case olePacked:
		return contents{}, &FileError{Name: name,
			Msg: "the file is an old or encrypted office document; want .xlsx without a password, or CSV"}
	}
	return contents{}, &FileError{Name: name, Msg: "the file is packed with " + archiveOf(magic) +
		"; want it plain, as .gz or as .zip"}
}

// olePacked is what office documents were kept in before 2007, and encrypted ones are still.
const olePacked = "OLE"

// archiveOf names what a file is packed with, by its first bytes; "" for nothing that is known.
func archiveOf(magic []byte) string {
	for _, a := range []struct{ magic, name string }{
		{"\x1f\x8b", "gzip"}, {"PK\x03\x04", "zip"}, {"PK\x05\x06", "zip"}, {"PK\x07\x08", "zip"},
		{"\x28\xb5\x2f\xfd", "zstd"}, {"\xfd7zX", "xz"}, {"BZh", "bzip2"}, {"7z\xbc\xaf", "7-Zip"}, {"Rar!", "RAR"},
		{"\xd0\xcf\x11\xe0", olePacked},
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
		return 0, &FileError{Name: u.name,
			Msg: fmt.Sprintf("the file unpacks to more than %d times its size; want less", u.ratio)}
	}
	if damaged(err) {
		return 0, &FileError{Name: u.name, Msg: fmt.Sprintf("the archive is damaged: %v", err)}
	}
	return n, err
}

// damaged reports whether an error is the archive's own, and not of what it is read from.
func damaged(err error) bool {
	var corrupt flate.CorruptInputError
	return errors.As(err, &corrupt) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, gzip.ErrHeader) ||
		errors.Is(err, gzip.ErrChecksum) ||
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
