package tablefile

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"
)

var sample = Table{Columns: []string{"id", "memory_gb", "bf16", "launched", "note", "empty"}, Rows: [][]string{
	{"a", "80", "true", "2022-03", "快 & <fast>", ""},
	{"b", "0.5", "", "2023", "=SUM(A1)", ""},
	{"c", "", "false", "", "", ""},
	{"d", "1e+15", "true", "2024", "007", ""},
}}

// wide has more columns than a short list, and more rows than a byte of levels.
func wide() *Table {
	t := &Table{}
	for i := range 40 {
		t.Columns = append(t.Columns, "c"+columnName(i))
	}
	for i := range 19 {
		row := make([]string, 40)
		for j := range row {
			if (i+j)%3 > 0 {
				row[j] = strings.Repeat("x", i*j%5) + "y"
			}
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

func TestRowsAreLinesOfJSON(t *testing.T) {
	want := `{"id":"a","memory_gb":80,"bf16":true,"launched":"2022-03","note":"快 & <fast>"}
{"id":"b","memory_gb":0.5,"launched":"2023","note":"=SUM(A1)"}
{"id":"c","bf16":false}
{"id":"d","memory_gb":1000000000000000,"bf16":true,"launched":"2024","note":"007"}
`
	if diff := cmp.Diff(want, string(sample.JSONL())); diff != "" {
		t.Error(diff)
	}
}

func TestWhatSpreadsheetsCannotReadAsANumberIsText(t *testing.T) {
	for _, cell := range []string{"0x1p4", "0X1P-2", "007", "inf", "NaN", "1_000", "+1", ".5"} {
		table := Table{Columns: []string{"a"}, Rows: [][]string{{cell}}}
		if got, want := string(table.JSONL()), `{"a":"`+cell+`"}`+"\n"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// readParquet reads a file by another's reader: cells as text, "" for none.
func readParquet(t *testing.T, data []byte) *Table {
	t.Helper()
	f, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	out := &Table{}
	for _, c := range f.Schema().Fields() {
		out.Columns = append(out.Columns, c.Name())
	}
	for _, g := range f.RowGroups() {
		rows := g.Rows()
		buffer := make([]parquet.Row, 7)
		for {
			n, err := rows.ReadRows(buffer)
			for _, row := range buffer[:n] {
				cells := make([]string, len(out.Columns))
				for _, v := range row {
					if !v.IsNull() {
						cells[v.Column()] = v.String()
					}
				}
				out.Rows = append(out.Rows, cells)
			}
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	return out
}

func TestAnotherReaderFindsTheSameRowsInParquet(t *testing.T) {
	for name, table := range map[string]*Table{"sample": &sample, "wide": wide(),
		"no rows": {Columns: []string{"a"}, Rows: nil}} {
		got := readParquet(t, table.Parquet("snapshot", "7"))
		want := &Table{Columns: table.Columns}
		for _, row := range table.Rows {
			row = append([]string{}, row...)
			want.Rows = append(want.Rows, row)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: -written +read:\n%s", name, diff)
		}
	}
}

func TestDuckDBReadsParquet(t *testing.T) {
	duckdb, err := exec.LookPath("duckdb")
	if err != nil {
		t.Skip("no duckdb here")
	}
	file := filepath.Join(t.TempDir(), "t.parquet")
	if err := os.WriteFile(file, sample.Parquet(), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(duckdb, "-csv", "-c",
		"select id, memory_gb, bf16 from '"+file+"' order by id").CombinedOutput()
	if want := "id,memory_gb,bf16\na,80.0,true\nb,0.5,\nc,,false\nd,1000000000000000.0,true\n"; err != nil ||
		string(out) != want {
		t.Errorf("%v: got %s, want %s", err, out, want)
	}
}

func TestAWorkbookHoldsTheCellsAndNoFormulas(t *testing.T) {
	data := sample.XLSX("Tianti: cards/[all]")
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	var sheet struct {
		Rows []struct {
			Cells []struct {
				At   string `xml:"r,attr"`
				Type string `xml:"t,attr"`
				V    string `xml:"v"`
				F    string `xml:"f"`
				Text string `xml:"is>t"`
			} `xml:"c"`
		} `xml:"sheetData>row"`
	}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		if err := xml.Unmarshal(text, new(struct{})); err != nil {
			t.Errorf("%s: %v", f.Name, err)
		}
		if f.Name == "xl/worksheets/sheet1.xml" {
			if err := xml.Unmarshal(text, &sheet); err != nil {
				t.Fatal(err)
			}
		}
	}
	var got []string
	for _, row := range sheet.Rows {
		for _, c := range row.Cells {
			if c.F != "" {
				t.Errorf("%s is a formula", c.At)
			}
			got = append(got, c.At+"="+c.V+c.Text)
		}
	}
	want := "A1=id B1=memory_gb C1=bf16 D1=launched E1=note F1=empty A2=a B2=80 C2=1 D2=2022-03 E2=快 & <fast> " +
		"A3=b B3=0.5 D3=2023 E3==SUM(A1) A4=c C4=0 A5=d B5=1e+15 C5=1 D5=2024 E5=007"
	if diff := cmp.Diff(want, strings.Join(got, " ")); diff != "" {
		t.Error(diff)
	}
	if !bytes.Equal(data, sample.XLSX("Tianti: cards/[all]")) {
		t.Error("the same table gives other bytes")
	}
}
