package tables

import (
	"archive/zip"
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
)

var usual = Limits{Bytes: 1 << 30, Ratio: 200, Cell: 1 << 20, Columns: 2000, Depth: 64}

// memory is a Keeper in memory.
type memory struct{ bytes.Buffer }

func (m *memory) ReadAt(p []byte, off int64) (int, error) {
	return bytes.NewReader(m.Bytes()).ReadAt(p, off)
}

// openBytes opens a file of that kind.
func openBytes(kind Kind, data []byte, lim Limits) (*File, error) {
	if kind == JSON || kind == HTML {
		return OpenText(kind, bytes.NewReader(data), &memory{}, lim)
	}
	return Open(kind, bytes.NewReader(data), int64(len(data)), lim)
}

// content writes all tables of a file, a line for each row: line|cell|cell.
func content(kind Kind, data []byte, lim Limits) (string, error) {
	f, err := openBytes(kind, data, lim)
	if err != nil {
		return "", err
	}
	defer f.Close()
	var b strings.Builder
	for _, t := range f.Tables {
		fmt.Fprintf(&b, "%s: %s\n", t.Name, strings.Join(t.Columns, "|"))
		rows, err := t.Rows(context.Background())
		if err != nil {
			return b.String(), err
		}
		for {
			cells, line, err := rows.Next()
			if err == io.EOF {
				break
			} else if err != nil {
				rows.Close()
				return b.String(), err
			}
			fmt.Fprintf(&b, "%d|%s", line, strings.Join(cells, "|"))
			if rows.Fault() != "" {
				fmt.Fprintf(&b, " (%s)", rows.Fault())
			}
			b.WriteByte('\n')
		}
		if err := rows.Close(); err != nil {
			return b.String(), err
		}
	}
	return b.String(), nil
}

func holdsTables(t *testing.T, name string, kind Kind, data []byte, want string) {
	t.Helper()
	got, err := content(kind, data, usual)
	if err != nil {
		t.Errorf("%s: %v", name, err)
	}
	if diff := cmp.Diff(strings.TrimLeft(want, "\n"), got); diff != "" {
		t.Errorf("%s:\n%s", name, diff)
	}
}

func TestRecordsOfJSONAreFoundWhereverTheyStand(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"a list", "[{\"gpu\":\"A100\",\"price\":1.5},\n{\"gpu\":\"H100\",\"price\":2,\"spot\":true}]", `
: gpu|price|spot
1|A100|1.5|
2|H100|2|true
`},
		{"lines", "{\"gpu\":\"A100\",\"at\":{\"price\":1.50}}\n\n{\"gpu\":\"H100\",\"at\":{\"price\":2}}\n", `
: gpu|at.price
1|A100|1.50
3|H100|2
`},
		{"under keys",
			`{"ok":true,"data":{"page":1,"items":[{"gpu":"A100","price":null},{"gpu":"H100","tags":["a","b"]}]}}`, `
data.items: gpu|price|tags
1|A100||
1|H100||a, b
`},
		{"objects by name", `{"updated":"2026-01-02","gpus":{"A100":{"price":1,"mem":80},"H100":{"price":2}}}`, `
gpus: name|price|mem
1|A100|1|80
2|H100|2|
`},
		{"objects by name that have names", `{"a":{"name":"A100","price":1},"b":{"name":"H100","price":2}}`, `
: key|name|price
1|a|A100|1
2|b|H100|2
`},
		{"lists beside one another", `{"gpu":["A100","H100"],"price":[1,2],"note":"x"}`, `
: gpu|price
1|A100|1
2|H100|2
`},
		{"columns and rows", `{"columns":["gpu","price"],"data":[["A100",1],["H100",2]]}`, `
data: gpu|price
1|A100|1
1|H100|2
`},
		{"rows with a header", `[["gpu","price"],["A100",1]]`, `
: gpu|price
1|A100|1
`},
		{"records in records",
			`[{"cloud":"x","offers":[{"gpu":"A100","price":1},{"gpu":"H100","cloud":"y"}]},{"cloud":"z","offers":[]}]`,
			`
: cloud|gpu|price|offers.cloud
1|x|A100|1|
1|x|H100||y
1|z|||
`},
		{"two lists in records", `[{"a":[{"x":1}],"b":[{"y":2}]},{"a":[],"b":[]}]`, `
: a|b
1|[{"x":1}]|[{"y":2}]
1|[]|[]
`},
		{"lists by name", `{"aws":[{"gpu":"A100","price":1}],"gcp":[{"gpu":"H100","price":2}],"n":2}`, `
*: key|gpu|price
1|aws|A100|1
1|gcp|H100|2
`},
		{"one record", `{"gpu":"A100","price":1,"more":{"tdp":400}}`, `
: gpu|price|more.tdp
1|A100|1|400
`},
		{"several tables", `{"cards":[{"name":"A"}],"sellers":[{"id":1,"shop":"s"}]}`, `
cards: name
1|A
sellers: id|shop
1|1|s
`},
	} {
		holdsTables(t, tt.name, JSON, []byte(tt.text), tt.want)
	}
}

func TestTablesOfPages(t *testing.T) {
	holdsTables(t, "a page", HTML, []byte(`<!DOCTYPE html><html><head><title>x</title><style>td{}</style></head><body>
<h2>GPU <b>prices</b></h2>
<script>document.write("<table><tr><td>no</td><td>no</td></tr></table>")</script>
<table><tr><td>layout</td></tr></table>
<table id=a>
<thead><tr><th>GPU</th><th colspan=2>Price<br>(USD)</th></tr></thead>
<tr><td rowspan="2">A100 &amp; more<td>1.5<td> 2
<tr><td>3</td><td>4</td></tr>
<tr><td>H100 <table><caption>In it</caption><tr><th>x</th><th>y</th></tr><tr><td>1</td><td>2</td></tr></table></td><td>5</td></tr>
</table></body></html>`), `
GPU prices: GPU|Price (USD)|Price (USD)
7|A100 & more|1.5|2
8|A100 & more|3|4
9|H100|5|
In it: x|y
9|1|2
`)
}

// book is a workbook of parts; those of a plain one unless given.
func book(t testing.TB, parts map[string]string) []byte {
	t.Helper()
	all := map[string]string{
		"[Content_Types].xml": `<Types/>`,
		"xl/workbook.xml": `<?xml version="1.0"?><workbook xmlns="m" xmlns:r="r"><sheets><sheet name="Prices" sheetId="1" r:id="rId1"/>` +
			`</sheets></workbook>`,
		"xl/_rels/workbook.xml.rels": `<Relationships><Relationship Id="rId1" Type="http://x/relationships/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
		"xl/styles.xml": `<styleSheet><numFmts><numFmt numFmtId="164" formatCode="yyyy\-mm\-dd"/></numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs>` +
			`<cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="2"/></cellXfs></styleSheet>`,
		"xl/sharedStrings.xml": `<sst><si><t>GPU</t></si><si><r><t>A</t></r><r><t>100</t></r><rPh><t>no</t></rPh></si></sst>`,
		"xl/worksheets/sheet1.xml": sheetOf(
			`<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="inlineStr"><is><t>price</t></is></c><c r="D1" t="str"><v>day</v></c></row>` + rowA100),
	}
	for name, text := range parts {
		all[name] = text
	}
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range sortedKeys(all) {
		if all[name] == "" {
			continue
		}
		w, err := z.Create(name)
		if err == nil {
			_, err = io.WriteString(w, all[name])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

const rowA100 = `<row r="2"><c r="A2" t="s"><v>1</v></c><c r="B2"><v>1.5000000000000001E-2</v></c><c r="D2" s="1"><v>45000</v></c></row>`

func sheetOf(rows string) string {
	return `<worksheet><sheetData>` + rows + `</sheetData></worksheet>`
}

func sortedKeys(m map[string]string) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	// The list of types stands first, as programs write it.
	for i := range out {
		for j := i + 1; j < len(out); j++ {
			if out[j] < out[i] {
				out[i], out[j] = out[j], out[i]
			}
		}
	}
	return out
}

func TestSheetsOfWorkbooks(t *testing.T) {
	holdsTables(t, "a workbook", Workbook, book(t, map[string]string{"xl/worksheets/sheet1.xml": sheetOf(
		`<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="inlineStr"><is><t>price</t></is></c><c r="D1" t="str"><v>day</v></c></row>` +
			rowA100 +
			`<row r="3"/><row r="7"><c r="A7" t="inlineStr"><is><t xml:space="preserve"> H100 </t></is></c><c r="B7" t="b"><v>1</v></c>` +
			`<c r="C7" t="e"><v>#N/A</v></c><c r="D7" s="2"><v>45000.75</v></c></row>`)}), `
Prices: GPU|price|column 3|day
2|A100|0.015||2023-03-15
7|H100|true||2023-03-15
`)
}

// database makes a file of SQLite by statements.
func databaseOf(t testing.TB, statements ...string) []byte {
	t.Helper()
	name := filepath.Join(t.TempDir(), "x.db")
	db, err := sql.Open("sqlite", "file:"+name)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestTablesOfDatabases(t *testing.T) {
	holdsTables(t, "a database", SQLite, databaseOf(t,
		`CREATE TABLE prices (id INTEGER PRIMARY KEY, "GPU name" TEXT, price REAL, raw BLOB, twice REAL AS (price * 2), day DATE)`,
		`INSERT INTO prices ("GPU name", price, raw, day) VALUES ('A100', 1.5, x'00ff', '2026-01-02'), ('昇腾 910B', 20, NULL, NULL)`,
		`CREATE TABLE empty (x)`,
		`CREATE TABLE names (name PRIMARY KEY, n) WITHOUT ROWID`, `INSERT INTO names VALUES ('b', 1), ('a', NULL)`,
		`CREATE VIEW v AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i, i AS j FROM n`,
		`CREATE TRIGGER tr AFTER INSERT ON names BEGIN DELETE FROM prices; END`,
	), `
prices: id|GPU name|price|raw|day
1|1|A100|1.5||2026-01-02
2|2|昇腾 910B|20||
names: name|n
1|a|
2|b|1
`)
}

type parquetRow struct {
	GPU   string   `parquet:"gpu,dict"`
	Price *float64 `parquet:"price,optional,snappy"`
	Day   int32    `parquet:"day,date"`
	At    int64    `parquet:"at,timestamp(microsecond)"`
	Cents int64    `parquet:"cents,decimal(2:12)"`
	Tags  []string `parquet:"tags,list"`
	Spec  struct {
		TDP int32 `parquet:"TDP,zstd"`
	} `parquet:"spec"`
	Spot bool `parquet:"spot"`
}

func parquetOf(t testing.TB, rows ...parquetRow) []byte {
	t.Helper()
	var b bytes.Buffer
	w := parquet.NewGenericWriter[parquetRow](&b, parquet.Compression(&parquet.Gzip))
	if _, err := w.Write(rows); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestTheTableOfParquet(t *testing.T) {
	price := 1.5
	first := parquetRow{GPU: "A100", Price: &price, Day: 20000, At: 1_700_000_000_000_000, Cents: -1250,
		Tags: []string{"a", "b"}, Spot: true}
	first.Spec.TDP = 400
	holdsTables(t, "a file", Parquet, parquetOf(t, first, parquetRow{GPU: "H100", Cents: 5}), `
: gpu|price|day|at|cents|tags.list.element|spec.TDP|spot
1|A100|1.5|2024-10-04|2023-11-14T22:13:20Z|-12.5|a, b|400|true
2|H100||1970-01-01|1970-01-01|0.05||0|false
`)
}

// variant is a row in the encodings that there are.
type variant struct {
	Plain   string   `parquet:"plain"`
	Dict    string   `parquet:"dict,dict,snappy"`
	Len     string   `parquet:"len,delta,zstd"`
	Delta   int64    `parquet:"delta,delta"`
	Delta32 int32    `parquet:"delta32,delta,brotli"`
	Split   float64  `parquet:"split,split"`
	F       float32  `parquet:"f"`
	Flag    bool     `parquet:"flag"`
	DictN   int32    `parquet:"dictn,dict"`
	UUID    [16]byte `parquet:"uuid,uuid"`
	Maybe   *string  `parquet:"maybe,optional,dict"`
	List    []int64  `parquet:"list"`
	U       uint32   `parquet:"u"`
}

func variants(n int) (rows []variant, want string) {
	var b strings.Builder
	b.WriteString(": plain|dict|len|delta|delta32|split|f|flag|dictn|uuid|maybe|list|u\n")
	for i := range n {
		v := variant{Plain: fmt.Sprint("p", i), Dict: fmt.Sprint("d", i%7), Len: strings.Repeat("l", i%13),
			Delta:   int64(i*i) - 50,
			Delta32: int32(-i * 3), Split: float64(i) / 4, F: 0.1, Flag: i%3 == 0, DictN: int32(i % 5),
			U: uint32(1<<32 - 1 - i)}
		v.UUID[15] = byte(i)
		maybe := ""
		if i%4 == 1 {
			maybe = fmt.Sprint("m", i%9)
			v.Maybe = &maybe
		}
		var list []string
		for j := range i % 3 {
			v.List = append(v.List, int64(i+j))
			list = append(list, fmt.Sprint(i+j))
		}
		rows = append(rows, v)
		fmt.Fprintf(&b, "%d|%s|%s|%s|%d|%d|%s|0.1|%v|%d|%032x|%s|%s|%d\n", i+1, v.Plain, v.Dict, v.Len,
			v.Delta, v.Delta32,
			decimal(v.Split), v.Flag, v.DictN, byte(i), maybe, strings.Join(list, ", "), v.U)
	}
	return rows, b.String()
}

func TestEncodingsOfParquet(t *testing.T) {
	rows, want := variants(1000)
	for _, version := range []int{1, 2} {
		for name, codec := range map[string]compress.Codec{"plain": &parquet.Uncompressed, "snappy": &parquet.Snappy,
			"gzip": &parquet.Gzip, "zstd": &parquet.Zstd, "brotli": &parquet.Brotli} {
			var b bytes.Buffer
			w := parquet.NewGenericWriter[variant](&b, parquet.Compression(codec), parquet.DataPageVersion(version),
				parquet.PageBufferSize(2000), parquet.MaxRowsPerRowGroup(400))
			if _, err := w.Write(rows); err != nil {
				t.Fatal(err)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			holdsTables(t, fmt.Sprint(name, version), Parquet, b.Bytes(), want)
		}
	}
}

func TestKindsAreToldByTheirFirstBytes(t *testing.T) {
	for _, tt := range []struct {
		head string
		want Kind
	}{
		{"SQLite format 3\x00..", SQLite}, {"PAR1\x15", Parquet}, {"\xef\xbb\xbf \n{\"a\":1}", JSON}, {"[1", JSON},
		{" <!DOCTYPE html>", HTML}, {"gpu,price\n", ""}, {"", ""}, {"PK\x03\x04", ""},
	} {
		if got := KindOf([]byte(tt.head)); got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.head, got, tt.want)
		}
	}
}
