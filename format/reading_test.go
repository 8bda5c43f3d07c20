package format

import (
	"context"
	"encoding/csv"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/unicode"
)

// open opens a text as a file.
func open(t testing.TB, name, text string, opt Options) *File {
	t.Helper()
	f, err := Open(name, strings.NewReader(text), opt, DefaultLimits, "2026-11-21")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// rows are the rows of a table, and what was left out of it.
func rows(t testing.TB, f *File) ([][]string, []Skipped, error) {
	t.Helper()
	s := &collected{}
	table, err := NewTable(context.Background(), f, s)
	if err != nil {
		return nil, nil, err
	}
	out := [][]string{table.Header()}
	for {
		if err := table.Next(); err == io.EOF {
			return out, s.left, nil
		} else if err != nil {
			return out, s.left, err
		}
		row := []string{}
		for i := range table.Header() {
			row = append(row, table.Cell(i))
		}
		out = append(out, row)
	}
}

const chinese = "型号,显存,价格\n昇腾 910B,64,\"8,万\"\n寒武纪思元 590,80,N/A\n"

func TestTablesReadTheSameInEveryEncoding(t *testing.T) {
	want := [][]string{{"型号", "显存", "价格"}, {"昇腾 910B", "64", "8,万"}, {"寒武纪思元 590", "80", "N/A"}}
	encode := func(e interface{ String(string) (string, error) }) string {
		s, err := e.String(chinese)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	for name, text := range map[string]string{
		"UTF-8":               chinese,
		"UTF-8 with mark":     "\ufeff" + chinese,
		"UTF-16 LE with mark": encode(unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder()),
		"UTF-16 BE with mark": encode(unicode.UTF16(unicode.BigEndian, unicode.UseBOM).NewEncoder()),
		"GB 18030":            encode(simplifiedchinese.GB18030.NewEncoder()),
		"CR LF":               strings.ReplaceAll(chinese, "\n", "\r\n"),
		"CR":                  strings.ReplaceAll(chinese, "\n", "\r"),
		"tabs":                "型号\t显存\t价格\n昇腾 910B\t64\t8,万\n寒武纪思元 590\t80\tN/A",
		"semicolons":          "型号;显存;价格\n昇腾 910B;64;8,万\n寒武纪思元 590;80;N/A\n\n",
	} {
		got, left, err := rows(t, open(t, "x.csv", text, Options{}))
		if diff := cmp.Diff(want, got); diff != "" || err != nil || len(left) > 0 {
			t.Errorf("%s: %v %v\n%s", name, err, left, diff)
		}
	}
}

// FuzzRecords: what encoding/csv reads, records reads alike.
func FuzzRecords(f *testing.F) {
	for _, s := range []string{"a,b\n1,2\n", "a,\"b\nc\",d\n", "\"a\"\"b\",\n\n,\n", "a;b", "\"",
		"\"a\"b,c\n", "a\"b,c\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if strings.ContainsAny(text, "\r") {
			return // taken off before
		}
		file := &File{Name: "x", Text: strings.NewReader(text), limits: DefaultLimits}
		r := newRecords(file, ',')
		var got [][]string
		var bad bool
		for {
			cells, _, err := r.next()
			if err == io.EOF {
				break
			}
			if err != nil {
				bad = true
				break
			}
			bad = bad || r.bad != ""
			if len(cells) > 0 {
				got = append(got, append([]string{}, cells...))
			}
		}
		c := csv.NewReader(strings.NewReader(text))
		c.FieldsPerRecord = -1
		want, err := c.ReadAll()
		if err != nil {
			return
		}
		if diff := cmp.Diff(want, got); bad || diff != "" {
			t.Errorf("%q: bad %v\n%s", text, bad, diff)
		}
	})
}

// collected is a sink that keeps everything.
type collected struct {
	left []Skipped
	rows int
	Sink
}

func (c *collected) Skip(l Skipped) error { c.left = append(c.left, l); return nil }
func (c *collected) Row(int)              { c.rows++ }

func TestFileErrorsSayWhere(t *testing.T) {
	for text, want := range map[string]string{
		"a,b\n1,\"2\n3\n":           "x.csv:2: a quoted cell that begins in this row never ends; want a closing quote",
		"a,b\n1,2\n1,\x002\n":       "x.csv:3: a NUL byte: the file is not text; want a table, JSON or YAML",
		"a,b\ncaf\xe9 au lait,2\n":  "x.csv: byte 7 (0xE9) is no text in UTF-8; want UTF-8, UTF-16 or GB 18030",
		"":                          "x.csv: the file is empty; want a table, JSON or YAML",
		"\x28\xb5\x2f\xfd whatever": "x.csv: the file is packed with zstd; want it plain, as .gz or as .zip",
	} {
		f, err := Open("C:\\some\\x.csv", strings.NewReader(text), Options{}, DefaultLimits, "")
		if err == nil {
			_, _, err = rows(t, f)
		}
		var fe *FileError
		if !errors.As(err, &fe) || err.Error() != want {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}
