package tables

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
)

// at overwrites bytes of a file from a place on.
func at(data []byte, offset int, with ...byte) []byte {
	out := bytes.Clone(data)
	copy(out[offset:], with)
	return out
}

func manyColumns(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `,"c%d":1`, i)
	}
	return b.String()
}

// wideParquet has a column for each of many lists.
func wideParquet(t testing.TB, n int) []byte {
	t.Helper()
	group := parquet.Group{}
	for i := range n {
		group[fmt.Sprintf("c%05d", i)] = parquet.Leaf(parquet.Int32Type)
	}
	var b bytes.Buffer
	w := parquet.NewWriter(&b, parquet.NewSchema("x", group))
	row := make(parquet.Row, n)
	for i := range row {
		row[i] = parquet.Int32Value(1).Level(0, 0, i)
	}
	if _, err := w.WriteRows([]parquet.Row{row}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// repeatedParquet has one value again and again, which takes next to nothing.
func repeatedParquet(t testing.TB, n int) []byte {
	t.Helper()
	var b bytes.Buffer
	w := parquet.NewWriter(&b, parquet.NewSchema("x",
		parquet.Group{"a": parquet.Encoded(parquet.Leaf(parquet.Int32Type),
			&parquet.DeltaBinaryPacked)}), parquet.Compression(&parquet.Gzip))
	rows := make([]parquet.Row, 10_000)
	for i := range rows {
		rows[i] = parquet.Row{parquet.Int32Value(1).Level(0, 0, 0)}
	}
	for range n / len(rows) {
		if _, err := w.WriteRows(rows); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// footer returns a file whose footer is so long, as it says.
func footer(data []byte, length uint32) []byte {
	out := bytes.Clone(data)
	binary.LittleEndian.PutUint32(out[len(out)-8:], length)
	return out
}

func TestHostileFilesAreRefusedWithTheirPlace(t *testing.T) {
	sheet := func(rows string) []byte { return book(t, map[string]string{"xl/worksheets/sheet1.xml": sheetOf(rows)}) }
	good := databaseOf(t, `CREATE TABLE prices (gpu TEXT, price REAL)`,
		`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000) INSERT INTO prices SELECT 'gpu ' || i, i FROM n`)
	pages := len(good) / 4096
	price := 1.5
	pq := parquetOf(t, parquetRow{GPU: "A100", Price: &price})
	footerSize := int(binary.LittleEndian.Uint32(pq[len(pq)-8:]))
	for _, tt := range []struct {
		name string
		kind Kind
		data []byte
		want string // in the error
	}{
		{"JSON that ends", JSON, []byte("[{\"a\":1},\n{\"a\":"), `2: the JSON ends in the middle`},
		{"JSON with a mistake", JSON, []byte("{\"a\":[\n{\"b\":1},\n{b:2}]}"),
			`3: the JSON cannot be read: invalid character 'b'`},
		{"deep JSON", JSON, []byte(`{"a":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `}`),
			`1: the JSON is more than 64 levels deep`},
		{"10,000 members", JSON, []byte(`[{"x":1},{"x":1` + manyColumns(10_000) + `}]`),
			`1: c1999: the records have more than 2000 different members`},
		{"a large record", JSON, []byte(`[{"a":[0` + strings.Repeat(",1", 300_000) + `]}]`),
			`1: a record has more than 250000 values`},
		{"a large text", JSON, []byte(`[{"a":"` + strings.Repeat("x", 2<<20) + `"}]`),
			`1: a text or number is longer than 1048576 bytes`},
		{"much outside of records", JSON, []byte(`{"a":` + strings.Repeat(`{"b":1,"c":`, 60) + `1` +
			strings.Repeat("}", 60) + `,"d":[0` + strings.Repeat(",1", 300_000) + `]}`),
			`1: what stands outside of lists of records has more than 250000 values`},
		{"a bomb of rows", JSON, []byte(`[{"a":"` + strings.Repeat("x", 1<<20-100) + `","b":[{"c":1}` +
			strings.Repeat(`,{"c":1}`, 1000) + `]}]`), `unpacks to more than 200 times the size of its file`},
		{"no records", JSON, []byte(`[1,2,3]`), `the file holds no table with rows`},
		{"a page that ends", HTML, []byte("<table><tr><th>a<th>b\n<tr><td>1<td>2"),
			`2: the page ends within a table that begins in line 1`},
		{"a page without a table", HTML, []byte("<html><body><p>503 Service Unavailable</p></body></html>"),
			`the page has no table with two columns`},
		{"a wide page", HTML, []byte("<table><tr>" + strings.Repeat("<td>x", 10_000) + "</table>"),
			`1: the row has more than 2000 columns`},
		{"a wide cell", HTML, []byte("<table>\n<tr><td colspan=100000>x</td></tr></table>"),
			`2: colspan: a cell covers 100000; want at most 100`},
		{"a long cell", HTML, []byte("<table><tr><td>" + strings.Repeat(strings.Repeat("x", 1000)+"<b>", 2000) +
			"</table>"), `1: a cell is longer than 1048576 bytes`},
		{"a long tag", HTML, []byte("<table><tr><td " + strings.Repeat("x", 2<<20) + ">"),
			`1: a text or tag is longer than 1048576 bytes`},
		{"deep tables", HTML, []byte(strings.Repeat("<table><tr><td>", 1000)),
			`1: tables are more than 64 levels deep`},
		{"a formula", Workbook,
			sheet(
				`<row r="1"><c r="A1"><v>1</v></c><c r="B1"><v>2</v></c></row><row r="2"><c r="A2"><v>1</v></c><c r="B2"><f>HYPERLINK("http://x","y")</f><v>2</v></c></row>`), `Prices: 2: B2: the cell holds a formula`},
		{"macros", Workbook, book(t, map[string]string{"xl/vbaProject.bin": "x"}),
			`xl/vbaProject.bin: the workbook holds macros`},
		{"external links", Workbook, book(t, map[string]string{"xl/externalLinks/externalLink1.xml": "x"}),
			`xl/externalLinks/externalLink1.xml: the workbook takes values from another file`},
		{"connections", Workbook, book(t, map[string]string{"xl/connections.xml": "x"}),
			`xl/connections.xml: the workbook takes values from elsewhere`},
		{"a sheet elsewhere", Workbook,
			book(t, map[string]string{
				"xl/_rels/workbook.xml.rels": `<Relationships><Relationship Id="rId1" Type="x/worksheet" TargetMode="External" Target="http://x/"/></Relationships>`}), `http://x/: a sheet lies outside of the workbook`},
		{"10,000 columns", Workbook, sheet(`<row r="1"><c r="NTP1"><v>1</v></c></row>`),
			`Prices: 1: NTP1: the sheet has more than 2000 columns`},
		{"a text that is not there", Workbook, sheet(`<row r="1"><c r="A1" t="s"><v>7</v></c></row>`),
			`Prices: 1: A1: the cell wants the text 7 of 2`},
		{"cells backwards", Workbook, sheet(`<row r="1"><c r="B1"><v>1</v></c><c r="A1"><v>1</v></c></row>`),
			`Prices: 1: A1: the cell stands where no cell can`},
		{"half a sheet", Workbook,
			book(t, map[string]string{"xl/worksheets/sheet1.xml": `<worksheet><sheetData><row r="1"><c r="A1"><v>1`}),
			`xl/worksheets/sheet1.xml: the part ends in the middle`},
		{"entities", Workbook,
			book(t, map[string]string{"xl/sharedStrings.xml": `<!DOCTYPE x [<!ENTITY a "b">]><sst/>`}),
			`xl/sharedStrings.xml: the part has a declaration`},
		{"a bomb", Workbook, book(t, map[string]string{"xl/sharedStrings.xml": "<sst>" +
			strings.Repeat("<si><t>"+strings.Repeat("x", 1000)+"</t></si>", 20_000) + "</sst>"}),
			`xl/sharedStrings.xml: the part unpacks to more than`},
		{"a bomb of a sheet", Workbook, sheet(strings.Repeat("<row><c><v>1</v></c></row>", 400_000)),
			`xl/worksheets/sheet1.xml: the part unpacks to more than`},
		{"deep XML", Workbook, book(t, map[string]string{"xl/workbook.xml": strings.Repeat("<a>", 1000)}),
			`xl/workbook.xml: the part is more than 64 levels deep`},
		{"no workbook", Workbook, book(t, map[string]string{"xl/workbook.xml": ""}),
			`an office document but no workbook`},
		{"half a workbook", Workbook, book(t, nil)[:500], `the workbook is damaged`},
		{"half a database", SQLite, good[:len(good)/2&^4095], `the database says that it has`},
		{"a torn database", SQLite, good[:len(good)-1], `the database has pages of 4096 bytes and`},
		{"a page of nothing", SQLite, at(good, (pages-1)*4096, bytes.Repeat([]byte{0xff}, 4096)...), `prices:`},
		{"a page that is its own child", SQLite, at(good, 4096+8, 0, 0, 0, 2), `prices:`},
		{"tables named in no page", SQLite, at(good, 100, 77), `page 1 of the database is none of a table`},
		{"pages of nine bytes", SQLite, at(good, 16, 0, 9), `the database has pages of 9 bytes`},
		{"a large object", SQLite, databaseOf(t, `CREATE TABLE t (a, b)`,
			`INSERT INTO t VALUES (1, zeroblob(20000000))`), `t: the row is longer than is read`},
		{"a large text in a database", SQLite, databaseOf(t, `CREATE TABLE t (a, b)`,
			`INSERT INTO t VALUES (1, printf('%.*c', 2000000, 'x'))`),
			`t: 1: b: the cell is longer than 1048576 bytes`},
		{"nothing but views", SQLite, databaseOf(t, `CREATE VIEW v AS SELECT 1 AS a, 2 AS b`),
			`the file holds no table with rows`},
		{"a schema of megabytes", SQLite, schemaBomb(t), `names tables in more than 4194304 bytes`},
		{"half a Parquet file", Parquet, pq[:len(pq)/2], `footer: the Parquet file ends in the middle`},
		{"a footer as long as no file", Parquet, footer(pq, 0x7fffffff),
			`footer: the footer says that it has 2147483647 bytes`},
		{"a footer that begins early", Parquet, footer(pq, uint32(footerSize+2)), `footer: the`},
		{"a footer of noise", Parquet, at(pq, len(pq)-8-footerSize,
			bytes.Repeat([]byte{0x19, 0xfc, 0xff, 0xff, 0xff, 0xff, 0x07}, 10)...), `footer: the footer is damaged`},
		{"an encrypted footer", Parquet, at(pq, len(pq)-4, []byte("PARE")...), `footer: the Parquet file is encrypted`},
		{"10,000 columns of Parquet", Parquet, wideParquet(t, 10_000), `footer: the table has more than 2000 columns`},
		{"a bomb of Parquet", Parquet, repeatedParquet(t, 2_000_000),
			`footer: the table has 2000000 rows, which is more than 200 times`},
		{"pages of noise", Parquet, at(pq, 4, bytes.Repeat([]byte{0xff}, 40)...),
			`gpu: row group 1: the page at byte 4 is damaged`},
		{"nothing but a head", Parquet, []byte("PAR1"), `the Parquet file ends in its header`},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := refusal(t, tt.kind, tt.data)
		runtime.ReadMemStats(&after)
		var of *Error
		if !errors.As(err, &of) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %q", tt.name, err, tt.want)
		}
		if took := (after.TotalAlloc - before.TotalAlloc) >> 20; took > 300 {
			t.Errorf("%s: %d MiB are taken", tt.name, took)
		}
		t.Logf("%s: %v", tt.name, err)
	}
}

// refusal reads all of a file.
func refusal(t *testing.T, kind Kind, data []byte) error {
	f, err := openBytes(kind, data, usual)
	if err != nil {
		return err
	}
	defer f.Close()
	for _, table := range f.Tables {
		if err := readAll(t, table); err != nil {
			return err
		}
	}
	return nil
}

// schemaBomb has tables with long definitions.
func schemaBomb(t testing.TB) []byte {
	var statements []string
	for i := range 10 {
		statements = append(statements, fmt.Sprintf(`CREATE TABLE t%d (a /* %s */)`, i, strings.Repeat("x", 500_000)))
	}
	return databaseOf(t, statements...)
}

func TestReadingEndsWithItsContext(t *testing.T) {
	f, err := openBytes(SQLite, databaseOf(t, `CREATE TABLE n (i, j)`,
		`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000) INSERT INTO n SELECT i, i FROM n`), usual)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	ctx, cancel := context.WithCancel(context.Background())
	rows, err := f.Tables[0].Rows(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	cancel()
	for err == nil {
		_, _, err = rows.Next()
	}
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
}

// small are limits that fuzzing soon reaches.
var small = Limits{Bytes: 1 << 20, Ratio: 50, Cell: 4 << 10, Columns: 50, Depth: 16}

// fuzzKind reads arbitrary bytes: what is refused is an error about the file, and all rows are of one width at least.
func fuzzKind(f *testing.F, kind Kind, seeds ...[]byte) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := openBytes(kind, data, small)
		if err == nil {
			defer file.Close()
			for _, table := range file.Tables {
				if len(table.Columns) == 0 || len(table.Columns) > small.Columns {
					t.Errorf("%d columns", len(table.Columns))
				}
				if err = readAll(t, table); err != nil {
					break
				}
			}
		}
		var of *Error
		if err != nil && (!errors.As(err, &of) || of.Msg == "") {
			t.Errorf("%q: got %v, want an error about the file", data, err)
		}
	})
}

func readAll(t *testing.T, table *Table) error {
	rows, err := table.Rows(context.Background())
	if err != nil {
		return err
	}
	defer rows.Close()
	for {
		cells, line, err := rows.Next()
		if err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		if len(cells) < len(table.Columns) || line < 1 {
			t.Errorf("line %d: %q below %q", line, cells, table.Columns)
		}
	}
}

func FuzzJSON(f *testing.F) {
	fuzzKind(f, JSON, []byte(`{"a":{"b":[{"c":1,"d":[{"e":2}]}]}}`), []byte("{\"a\":1}\n{\"a\":2}"),
		[]byte(`[["a","b"],[1,2]]`),
		[]byte(`{"x":{"a":1},"y":{"a":2}}`), []byte(`{"columns":["a","b"],"data":[[1,2]]}`),
		[]byte(`{"a":[1,2],"b":[3,4]}`))
}

func FuzzHTML(f *testing.F) {
	fuzzKind(f, HTML, []byte(`<table><tr><th rowspan=2>a<th>b<tr><td>1<td colspan=3>2<table><tr><td>x</table></table>`))
}

func FuzzWorkbook(f *testing.F) {
	fuzzKind(f, Workbook, book(f, nil))
}

func FuzzSQLite(f *testing.F) {
	fuzzKind(f, SQLite, databaseOf(f, `PRAGMA page_size = 512`, `CREATE TABLE t (a, b)`,
		`INSERT INTO t VALUES (1, 'x'), (2, x'00')`))
}

func FuzzParquet(f *testing.F) {
	fuzzKind(f, Parquet, parquetOf(f, parquetRow{GPU: "A100", Tags: []string{"a"}}, parquetRow{}))
}
