package tables

import (
	"archive/zip"
	"bufio"
	"context"
	"encoding/xml"
	"errors"
	"io"
	"path"
	"slices"
	"strings"
)

// partBytes is the longest of the small parts of a workbook: its lists of sheets and styles.
const partBytes = 4 << 20

// workbook is an open workbook.
type workbook struct {
	zip    *zip.Reader
	lim    Limits
	size   int64
	shared texts
	dates  []bool // of the styles of cells
	base   int    // the year in which days begin to be counted: 1900 or 1904
}

// texts are those that cells share, in one piece of memory.
type texts struct {
	all []byte
	end []uint32
}

func (t *texts) get(i int) (string, bool) {
	if i < 0 || i >= len(t.end) {
		return "", false
	}
	from := uint32(0)
	if i > 0 {
		from = t.end[i-1]
	}
	return string(t.all[from:t.end[i]]), true
}

// openWorkbook finds the sheets of a workbook that have rows. The first row of a sheet names its columns. Formulas,
// macros and what is fetched from elsewhere are refused: nothing is computed, and what a file holds of such values is
// as old as it says nowhere.
func openWorkbook(r io.ReaderAt, size int64, lim Limits) (*File, error) {
	z, err := zip.NewReader(r, size)
	if err != nil {
		return nil, fail("", 0, "", "the workbook is damaged: %v", err)
	}
	w := &workbook{zip: z, lim: lim, size: size, base: 1900}
	for _, f := range z.File {
		name := strings.ToLower(f.Name)
		for _, bad := range []struct{ part, msg string }{
			{"vbaproject.bin", "the workbook holds macros; want it saved as .xlsx without them"},
			{"/macrosheets/", "the workbook holds a sheet of macros; want it without"},
			{"/externallinks/", "the workbook takes values from another file; want them in its cells"},
			{"/connections.xml", "the workbook takes values from elsewhere; want them in its cells"},
			{"/activex/", "the workbook holds programs; want it without"},
		} {
			if strings.Contains("/"+name, bad.part) {
				return nil, fail("", 0, clip(f.Name), "%s", bad.msg)
			}
		}
	}
	sheets, err := w.sheets()
	if err != nil {
		return nil, err
	}
	if err := w.styles(); err != nil {
		return nil, err
	}
	if err := w.texts(); err != nil {
		return nil, err
	}
	out := &File{}
	for _, s := range sheets {
		t, err := w.table(s.name, s.part)
		if err != nil {
			return nil, err
		}
		if t != nil {
			out.Tables = append(out.Tables, t)
		}
	}
	return out, nil
}

// table is the table of a sheet; nil where it has no row below the first.
func (w *workbook) table(name, part string) (*Table, error) {
	s, err := w.sheet(context.Background(), name, part)
	if err != nil {
		return nil, err
	}
	defer s.close()
	header, _, err := s.next()
	if err == io.EOF {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	if len(header) > w.lim.Columns {
		return nil, fail(name, 1, "", "the sheet has more than %d columns; want fewer", w.lim.Columns)
	}
	t := &Table{Name: name, Columns: named(header)}
	if _, _, err := s.next(); err == io.EOF {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	t.open = func(ctx context.Context) (source, error) {
		s, err := w.sheet(ctx, name, part)
		if err != nil {
			return nil, err
		}
		s.width = len(t.Columns)
		_, _, err = s.next()
		return s, err
	}
	return t, nil
}

// part opens a part of the workbook; nil where there is none.
func (w *workbook) part(name string) (io.ReadCloser, error) {
	for _, f := range w.zip.File {
		if !strings.EqualFold(f.Name, name) {
			continue
		}
		if f.Flags&1 != 0 {
			return nil, fail("", 0, clip(f.Name), "the part is encrypted; want the workbook without a password")
		}
		r, err := f.Open()
		if err != nil {
			return nil, fail("", 0, clip(f.Name), "the part cannot be unpacked: %v", err)
		}
		most := min(w.lim.Bytes, freeBytes+w.lim.Ratio*int64(min(f.CompressedSize64, uint64(w.size))))
		return &unpacked{ReadCloser: r, name: clip(f.Name), left: most, most: most}, nil
	}
	return nil, nil
}

// unpacked passes on what comes out of a zip, up to its bound.
type unpacked struct {
	io.ReadCloser
	name       string
	left, most int64
}

func (u *unpacked) Read(p []byte) (int, error) {
	n, err := u.ReadCloser.Read(p)
	if u.left -= int64(n); u.left < 0 {
		return 0, fail("", 0, u.name, "the part unpacks to more than %d bytes, too much for its size; "+
			"want less", u.most)
	}
	if err != nil && err != io.EOF {
		err = fail("", 0, u.name, "the part is damaged: %v", err)
	}
	return n, err
}

// markup reads XML token by token, within limits; names have no prefixes.
type markup struct {
	name  string
	dec   *xml.Decoder
	close func() error
	lim   Limits
	depth int
}

func (w *workbook) markup(name string, most int64) (*markup, error) {
	r, err := w.part(name)
	if r == nil || err != nil {
		return nil, err
	}
	if u := r.(*unpacked); most > 0 && u.most > most {
		u.left, u.most = most, most
	}
	d := xml.NewDecoder(&tagGuard{r: bufio.NewReaderSize(r, 64<<10), name: name, most: w.lim.Cell})
	d.Strict = true
	d.CharsetReader = func(charset string, r io.Reader) (io.Reader, error) {
		return nil, fail("", 0, name, "the part is in %q; want UTF-8", clip(charset))
	}
	return &markup{name: name, dec: d, close: r.Close, lim: w.lim}, nil
}

// next is the next element that begins or ends, or text; io.EOF after the outermost.
func (m *markup) next() (xml.Token, error) {
	for {
		t, err := m.dec.RawToken()
		switch {
		case err == io.EOF && m.depth > 0:
			return nil, fail("", 0, m.name, "the part ends in the middle; want it whole")
		case err == io.EOF:
			return nil, err
		case err != nil:
			var ours *Error
			if errors.As(err, &ours) {
				return nil, ours
			}
			return nil, fail("", 0, m.name, "the part cannot be read: %v", err)
		}
		switch t := t.(type) {
		case xml.StartElement:
			if m.depth++; m.depth > m.lim.Depth {
				return nil, fail("", 0, m.name, "the part is more than %d levels deep; want fewer", m.lim.Depth)
			}
			return t, nil
		case xml.EndElement:
			m.depth--
			return t, nil
		case xml.CharData:
			return t, nil
		case xml.Directive:
			return nil, fail("", 0, m.name, "the part has a declaration (<!…>); want none")
		}
	}
}

// each calls f for every element that begins.
func (m *markup) each(f func(xml.StartElement) error) error {
	for {
		t, err := m.next()
		if err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		if e, ok := t.(xml.StartElement); ok {
			if err := f(e); err != nil {
				return err
			}
		}
	}
}

// tagGuard refuses texts and tags that are too long, before a decoder keeps them.
type tagGuard struct {
	r         io.Reader
	name      string
	run, most int
}

func (g *tagGuard) Read(p []byte) (int, error) {
	n, err := g.r.Read(p)
	for _, c := range p[:n] {
		if g.run++; c == '<' || c == '>' {
			g.run = 0
		} else if g.run > g.most {
			return 0, fail("", 0, g.name, "a text or tag is longer than %d bytes; want shorter ones", g.most)
		}
	}
	return n, err
}

func attr(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

type sheetPart struct{ name, part string }

// sheets are those of the workbook, in its order.
func (w *workbook) sheets() ([]sheetPart, error) {
	targets := map[string]string{}
	rels, err := w.markup("xl/_rels/workbook.xml.rels", partBytes)
	if err != nil {
		return nil, err
	}
	book, err := w.markup("xl/workbook.xml", partBytes)
	if err != nil {
		return nil, err
	}
	if rels == nil || book == nil {
		return nil, fail("", 0, "", "the file is an office document but no workbook; want .xlsx, or the sheet as CSV")
	}
	defer rels.close()
	defer book.close()
	if err := rels.each(func(e xml.StartElement) error {
		if e.Name.Local == "Relationship" && strings.HasSuffix(attr(e, "Type"), "/worksheet") {
			target := attr(e, "Target")
			if attr(e, "TargetMode") == "External" || strings.Contains(target, "..") {
				return fail("", 0, clip(target), "a sheet lies outside of the workbook; want it inside")
			}
			if !strings.HasPrefix(target, "/") {
				target = "/xl/" + target
			}
			targets[attr(e, "Id")] = strings.TrimPrefix(path.Clean(target), "/")
		}
		return nil
	}); err != nil {
		return nil, err
	}
	var out []sheetPart
	err = book.each(func(e xml.StartElement) error {
		switch e.Name.Local {
		case "workbookPr":
			if v := attr(e, "date1904"); v == "1" || v == "true" {
				w.base = 1904
			}
		case "sheet":
			if part := targets[attr(e, "id")]; part != "" {
				out = append(out, sheetPart{clip(attr(e, "name")), part})
			}
			if len(out) > mostTables {
				return fail("", 0, "", "the workbook has more than %d sheets; want fewer", mostTables)
			}
		}
		return nil
	})
	return out, err
}

// styles finds which styles of cells are dates.
func (w *workbook) styles() error {
	m, err := w.markup("xl/styles.xml", partBytes)
	if m == nil || err != nil {
		return err
	}
	defer m.close()
	custom := map[string]bool{}
	within := false
	for {
		t, err := m.next()
		if err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		switch e := t.(type) {
		case xml.StartElement:
			switch e.Name.Local {
			case "numFmt":
				custom[attr(e, "numFmtId")] = isDateFormat(attr(e, "formatCode"))
			case "cellXfs":
				within = true
			case "xf":
				if within {
					id := attr(e, "numFmtId")
					w.dates = append(w.dates, custom[id] || slices.Contains(dateFormats, id))
				}
			}
		case xml.EndElement:
			within = within && e.Name.Local != "cellXfs"
		}
	}
}

// dateFormats are the numbers of formats of dates that every workbook has, in Chinese and Japanese ones too.
var dateFormats = []string{"14", "15", "16", "17", "22", "27", "28", "29", "30", "31", "36", "50", "51",
	"52", "53", "54",
	"57", "58"}

// isDateFormat reports whether a format shows a year or a day: outside of quotes, brackets and escapes.
func isDateFormat(code string) bool {
	quoted := false
	for i := 0; i < len(code); i++ {
		switch c := code[i]; {
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '\\' || c == '_' || c == '*':
			i++
		case c == '[':
			if end := strings.IndexByte(code[i:], ']'); end > 0 {
				i += end
			}
		case c == 'y' || c == 'Y' || c == 'd' || c == 'D':
			return true
		}
	}
	return false
}

// texts reads those that cells share.
func (w *workbook) texts() error {
	m, err := w.markup("xl/sharedStrings.xml", 0)
	if m == nil || err != nil {
		return err
	}
	defer m.close()
	var in, phonetic bool
	for {
		t, err := m.next()
		if err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		switch e := t.(type) {
		case xml.StartElement:
			in = in || e.Name.Local == "t"
			phonetic = phonetic || e.Name.Local == "rPh"
		case xml.EndElement:
			switch e.Name.Local {
			case "t":
				in = false
			case "rPh":
				phonetic = false
			case "si":
				w.shared.end = append(w.shared.end, uint32(len(w.shared.all)))
			}
		case xml.CharData:
			if in && !phonetic {
				w.shared.all = append(w.shared.all, e...)
			}
		}
		if len(w.shared.all) > sharedBytes || len(w.shared.end) > sharedBytes/8 {
			return fail("", 0, m.name, "the texts of the cells are longer than %d bytes; want less", sharedBytes)
		}
	}
}
