package format

import (
	"bytes"
	"fmt"
	"io"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/unicode"
)

// newText decodes a file to UTF-8 with line feeds, and holds it to its limits.
func newText(name string, r io.Reader, lim Limits) io.Reader {
	return &plain{name: name, r: &decoded{name: name, raw: r}, left: lim.Bytes, most: lim.Bytes, line: 1}
}

// plain turns CR LF and CR into LF, and refuses what is no text or too long.
type plain struct {
	name       string
	r          io.Reader
	left, most int64
	line       int
	cr         bool // the last byte was CR, for which an LF has been given
}

func (p *plain) Read(b []byte) (int, error) {
	for {
		n, err := p.r.Read(b)
		if p.left -= int64(n); p.left < 0 {
			return 0, &FileError{Name: p.name, Msg: fmt.Sprintf("the file is longer than %d bytes of text; want less",
				p.most)}
		}
		n = p.lineFeeds(b[:n])
		if at := bytes.IndexByte(b[:n], 0); at >= 0 {
			return 0, &FileError{Name: p.name, Line: p.line + bytes.Count(b[:at], newline),
				Msg: "a NUL byte: the file is not text; want a table, JSON or YAML"}
		}
		p.line += bytes.Count(b[:n], newline)
		if n > 0 || err != nil || len(b) == 0 {
			return n, err
		}
	}
}

var newline = []byte{'\n'}

// lineFeeds rewrites line ends in place and returns the new length.
func (p *plain) lineFeeds(b []byte) int {
	if !p.cr && bytes.IndexByte(b, '\r') < 0 {
		return len(b)
	}
	out := b[:0]
	for _, c := range b {
		switch {
		case c == '\r':
			out = append(out, '\n')
		case c != '\n' || !p.cr:
			out = append(out, c)
		}
		p.cr = c == '\r'
	}
	return len(out)
}

// window is how much is looked at to tell encodings apart.
const window = headBytes

// decoded finds the encoding of a file when it has to be known: at its beginning, or at the first byte that is not
// ASCII, which may come late.
type decoded struct {
	name    string
	raw     io.Reader
	buf     []byte // read and not yet given
	offset  int64  // of buf in the file
	checked int    // bytes of buf that are known to be text
	err     error  // after buf
	started bool
	utf8    bool
	in      io.Reader // the decoder of another encoding, once it is known
}

func (d *decoded) Read(p []byte) (int, error) {
	if !d.started {
		d.started = true
		d.begin()
	}
	if d.in != nil {
		return d.in.Read(p)
	}
	if d.checked == 0 {
		if err := d.check(); err != nil {
			return 0, err
		}
		if d.in != nil {
			return d.in.Read(p)
		}
	}
	n := copy(p, d.buf[:d.checked])
	d.buf, d.offset, d.checked = d.buf[n:], d.offset+int64(n), d.checked-n
	return n, nil
}

// check finds how much of the buffer is text, or the decoder to go on with.
func (d *decoded) check() error {
	if len(d.buf) < utf8.UTFMax {
		d.fill()
	}
	if len(d.buf) == 0 {
		return d.err
	}
	if !d.utf8 {
		if d.checked = asciiPrefix(d.buf); d.checked > 0 {
			return nil
		}
		if err := d.decide(); err != nil || d.in != nil {
			return err
		}
	}
	if d.checked = validPrefix(d.buf); d.checked == 0 {
		return d.invalid(0)
	}
	return nil
}

func (d *decoded) invalid(at int) error {
	return &FileError{Name: d.name, Msg: fmt.Sprintf("byte %d (0x%02X) is no text in UTF-8; want UTF-8, UTF-16 or "+
		"GB 18030", d.offset+int64(at), d.buf[at])}
}

// fill reads until the window is full or the file ends.
func (d *decoded) fill() {
	if d.err != nil {
		return
	}
	buf := make([]byte, window)
	n := copy(buf, d.buf)
	for n < len(buf) && d.err == nil {
		var m int
		m, d.err = d.raw.Read(buf[n:])
		n += m
	}
	d.buf = buf[:n]
}

// begin looks for a byte order mark, or for the zeros of UTF-16 without one.
func (d *decoded) begin() {
	d.fill()
	switch {
	case bytes.HasPrefix(d.buf, []byte("\xef\xbb\xbf")):
		d.buf, d.offset, d.utf8 = d.buf[3:], 3, true
	case bytes.HasPrefix(d.buf, []byte("\xff\xfe")) || zeros(d.buf, 1):
		d.by(unicode.UTF16(unicode.LittleEndian, unicode.UseBOM), "UTF-16")
	case bytes.HasPrefix(d.buf, []byte("\xfe\xff")) || zeros(d.buf, 0):
		d.by(unicode.UTF16(unicode.BigEndian, unicode.UseBOM), "UTF-16")
	}
}

// zeros reports whether at least four in five of every other byte are zero, from that one on, and hardly any of the
// rest: Latin letters in UTF-16.
func zeros(b []byte, from int) bool {
	var hits, others int
	for i, c := range b {
		if c == 0 && i%2 == from {
			hits++
		} else if c == 0 {
			others++
		}
	}
	return len(b) >= 4 && len(b)%2 == 0 && hits*10 >= len(b)*4 && others*20 <= len(b)
}

func (d *decoded) by(e encoding.Encoding, what string) {
	raw := io.MultiReader(bytes.NewReader(d.buf), errorReader{d.err}, d.raw)
	d.in = &strict{name: d.name, what: what, r: e.NewDecoder().Reader(raw)}
}

// errorReader passes an error on in its place; nothing for none.
type errorReader struct{ err error }

func (e errorReader) Read([]byte) (int, error) {
	if e.err == nil {
		return 0, io.EOF
	}
	return 0, e.err
}

// decide tells UTF-8 and GB 18030 apart by what follows the first byte that is not ASCII. Chinese in GB 18030 is hardly
// ever valid UTF-8; text of which nearly all is, is UTF-8 with a mistake in it, and refused.
func (d *decoded) decide() error {
	d.fill()
	valid, bad, first := survey(d.buf, d.err != nil)
	if bad == 0 {
		d.utf8 = true
		return nil
	}
	if valid > 9*bad || !validGB(d.buf, d.err != nil) {
		return d.invalid(first)
	}
	d.by(simplifiedchinese.GB18030, "GB 18030")
	return nil
}

// survey counts the bytes beyond ASCII that are UTF-8 and that are not, and finds the first of those. A rune that is
// cut off at the end counts only where the file ends.
func survey(b []byte, whole bool) (valid, bad, first int) {
	for i := 0; i < len(b); {
		r, size := utf8.DecodeRune(b[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			if !whole && !utf8.FullRune(b[i:]) {
				return valid, bad, first
			}
			if bad == 0 {
				first = i
			}
			bad++
		case size > 1:
			valid += size
		}
		i += size
	}
	return valid, bad, first
}

// validGB reports whether bytes are GB 18030, and most of what is not ASCII in them common Chinese: two accented
// letters of a Latin encoding may look like a rare character. What is cut off at the end counts only where the file
// ends.
func validGB(b []byte, whole bool) bool {
	out, _ := simplifiedchinese.GB18030.NewDecoder().Bytes(b)
	if !whole {
		out = bytes.TrimRight(out, "\uFFFD")
	}
	if bytes.ContainsRune(out, utf8.RuneError) {
		return false
	}
	var common, rare int
	for i := 0; i < len(b)-1; i++ {
		switch lead, next := b[i], b[i+1]; {
		case lead < utf8.RuneSelf:
			continue
		case next >= '0' && next <= '9': // of four bytes: no accident
			common, i = common+1, i+3
		case next >= 0xa1 && (lead >= 0xa1 && lead <= 0xa9 || lead >= 0xb0 && lead <= 0xd7):
			common, i = common+1, i+1
		default:
			rare, i = rare+1, i+1
		}
	}
	return rare <= 2*common
}

// strict refuses what a decoder could not read.
type strict struct {
	name, what string
	r          io.Reader
	out        int64
}

func (s *strict) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	if at := bytes.Index(p[:n], []byte("\uFFFD")); at >= 0 {
		return 0, &FileError{Name: s.name, Msg: fmt.Sprintf("after %d bytes of text something is no %s; want UTF-8, "+
			"UTF-16 or GB 18030", s.out+int64(at), s.what)}
	}
	s.out += int64(n)
	return n, err
}

// asciiPrefix is the length of the ASCII that b begins with.
func asciiPrefix(b []byte) int {
	for i, c := range b {
		if c >= utf8.RuneSelf {
			return i
		}
	}
	return len(b)
}

// validPrefix is the length of the UTF-8 that b begins with, up to the last whole rune.
func validPrefix(b []byte) int {
	cut := len(b)
	for i := max(0, len(b)-utf8.UTFMax+1); i < len(b); i++ {
		if utf8.RuneStart(b[i]) && !utf8.FullRune(b[i:]) {
			cut = i
			break
		}
	}
	if utf8.Valid(b[:cut]) {
		return cut
	}
	i := 0
	for {
		r, size := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && size <= 1 {
			return i
		}
		i += size
	}
}
