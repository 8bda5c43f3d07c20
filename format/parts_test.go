package format

import (
	"archive/zip"
	"bytes"
	"context"
	"database/sql"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	_ "modernc.org/sqlite" // that writes databases here
	"tianti/catalog"
)

// taken reads a file by the format that knows it, or the generic table, and writes what is taken and left out.
func taken(t *testing.T, name string, data []byte, opt Options) (string, *File) {
	t.Helper()
	f, err := Open(name, bytes.NewReader(data), opt, DefaultLimits, "2026-11-21")
	if err != nil {
		return err.Error(), nil
	}
	t.Cleanup(func() { f.Close() })
	how, may := Detect(f.Head)
	if how == nil && len(may) == 1 {
		how = may[0]
	}
	if how == nil {
		return Undetected(f.Head).Error(), f
	}
	s := &taker{}
	if err := how.ReadFile(context.Background(), f, s); err != nil {
		return s.String() + err.Error(), f
	}
	return s.String(), f
}

// taker is a sink that writes down prices and what is left out.
type taker struct {
	quiet
	strings.Builder
}

func (l *taker) Price(p Price) error {
	l.WriteString(strings.Join([]string{p.Name, p.Amount.String(), string(p.Kind), p.Seller, p.Instance, p.Region},
		"|") + "\n")
	return nil
}

func (l *taker) Card(c Card) error {
	for _, f := range c.Facts {
		l.WriteString(c.Subject.Name + "|" + f.Quantity + "\n")
	}
	return nil
}

func (l *taker) Skip(s Skipped) error {
	l.WriteString("left out: " + s.Message + "\n")
	return nil
}

func sqliteFile(t *testing.T, statements ...string) []byte {
	t.Helper()
	name := filepath.Join(t.TempDir(), "x.db")
	db, err := sql.Open("sqlite", "file:"+name)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			t.Fatal(err)
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

// zipOf is a zip of files, name and text in turns.
func zipOf(t *testing.T, parts ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i < len(parts); i += 2 {
		w, err := z.Create(parts[i])
		if err == nil {
			_, err = io.WriteString(w, parts[i+1])
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

func sheetFile(t *testing.T, rows ...[]string) []byte {
	t.Helper()
	var b strings.Builder
	for _, row := range rows {
		b.WriteString("<row>")
		for _, cell := range row {
			b.WriteString(`<c t="inlineStr"><is><t>` + cell + `</t></is></c>`)
		}
		b.WriteString("</row>")
	}
	return zipOf(t, "[Content_Types].xml", "<Types/>", "xl/workbook.xml",
		`<workbook><sheets><sheet name="Prices" id="a"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels",
		`<Relationships><Relationship Id="a" Type="x/worksheet" Target="worksheets/s.xml"/></Relationships>`,
		"xl/worksheets/s.xml", "<worksheet><sheetData>"+b.String()+"</sheetData></worksheet>")
}

func TestOneTableInAnyFormIsReadAlike(t *testing.T) {
	const want = "A100 80GB|1.5 USD|on_demand|x|gpu_1x|us\nH100|2 USD|on_demand|y||us\nleft out: the row has no price\n"
	opt := Options{Kind: catalog.OnDemand, Date: "2026-11-01", Currency: "USD"}
	const csv = "gpu,price,provider,instance,region\nA100 80GB,1.5,x,gpu_1x,us\nH100,2,y,,us\nL4,,z,,eu\n"
	for name, data := range map[string][]byte{
		"a.csv": []byte(csv),
		"a.json": []byte(
			`[{"gpu":"A100 80GB","price":1.5,"provider":"x","instance":"gpu_1x","region":"us"},{"gpu":"H100","price":"2","provider":"y","region":"us"},{"gpu":"L4","price":null,"provider":"z","region":"eu"}]`),
		"b.json": []byte(
			`{"meta":{"n":3},"result":{"offers":[{"gpu":"A100 80GB","price":1.5,"provider":"x","instance":"gpu_1x","region":"us"},{"gpu":"H100","price":2,"provider":"y","region":"us"},{"gpu":"L4","provider":"z","region":"eu"}]}}`),
		"c.json": []byte(
			`{"A100 80GB":{"price":1.5,"provider":"x","instance":"gpu_1x","region":"us"},"H100":{"price":2,"provider":"y","region":"us"},"L4":{"price":"","provider":"z"}}`),
		"d.json": []byte(
			`{"gpu":["A100 80GB","H100","L4"],"price":[1.5,2,null],"provider":["x","y","z"],"instance":["gpu_1x","",""],"region":["us","us","eu"]}`),
		"a.jsonl": []byte("{\"gpu\":\"A100 " +
			"80GB\",\"price\":1.5,\"provider\":\"x\",\"instance\":\"gpu_1x\",\"region\":\"us\"}\n" +
			"{\"gpu\":\"H100\",\"price\":2,\"provider\":\"y\",\"region\":\"us\"}\n{\"gpu\":\"L4\"}\n"),
		"a.html": []byte("<html><body><table><tr><th>GPU<th>Price<th>Provider<th>Instance<th>Region<tr><td>A100 " +
			"80GB<td>$1.50<td>x<td>gpu_1x<td>us<tr><td>H100<td>2<td>y<td><td>us<tr><td>L4<td>—<td>z<td></table>"),
		"a.xlsx": sheetFile(t, []string{"gpu", "price", "provider", "instance", "region"},
			[]string{"A100 80GB", "1.5", "x", "gpu_1x", "us"}, []string{"H100", "2", "y", "", "us"},
			[]string{"L4", "n/a"}),
		"a.sqlite": sqliteFile(t, `CREATE TABLE offers (gpu, price REAL, provider, instance, region)`,
			`INSERT INTO offers VALUES ('A100 80GB', 1.5, 'x', 'gpu_1x', 'us'), ('H100', 2, 'y', NULL, 'us'), ('L4', NULL, 'z', NULL, 'eu')`, `CREATE TABLE versions (n, at)`, `INSERT INTO versions VALUES (1, 2)`),
		"a.zip": zipOf(t, "README.md", "hello", "one.csv", csv[:strings.Index(csv, "L4")], "more/two.csv",
			"gpu,price,provider,instance,region\nL4,,z,,eu\n"),
	} {
		got, _ := taken(t, name, data, opt)
		got = strings.ReplaceAll(strings.ReplaceAll(got, "1.50 USD", "1.5 USD"),
			"left out: more/two.csv: ", "left out: ")
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
}

func TestSeveralPartsAreReadWhereTheyAreAlike(t *testing.T) {
	gpuhunt := "instance_name,location,price,gpu_count,gpu_name,gpu_memory,spot,gpu_vendor\n"
	skypilot := "InstanceType,AcceleratorName,AcceleratorCount,Price,SpotPrice,Region\n"
	opt := Options{Date: "2026-11-01"}
	for _, tt := range []struct {
		name  string
		data  []byte
		opt   Options
		want  string
		parts []string
	}{
		{"gpuhunt's catalogue", zipOf(t, "aws.csv", gpuhunt+"g5,us,1,1,A10G,24,False,nvidia\n", "lambda.csv",
			gpuhunt+"gpu_1x,us,2,1,A10,24,False,nvidia\n"), opt,
			"A10G|1 USD|on_demand|AWS|g5|us\nA10|2 USD|on_demand|Lambda|gpu_1x|us\n",
			[]string{"aws.csv", "lambda.csv"}},
		{"SkyPilot's folders", zipOf(t, "v7/aws/vms.csv", skypilot+"g5,A10G,1,1,,us\n", "v7/lambda/vms.csv",
			skypilot+"gpu_1x,A10,1,2,,us\n"), opt,
			"A10G|1 USD|on_demand|AWS|g5|us\nA10|2 USD|on_demand|Lambda|gpu_1x|us\n",
			[]string{"v7/aws/vms.csv", "v7/lambda/vms.csv"}},
		{"two tables that hold cards", []byte(`{"rent":[{"gpu":"A100","price":1}],"buy":[{"card":"A100","amount":2}]}`),
			opt,
			"x: part: the file holds rent, buy; say which to read", []string{"rent", "buy"}},
		{"one of them", []byte(`{"rent":[{"gpu":"A100","price":1}],"buy":[{"card":"A100","amount":2}]}`),
			Options{Date: "2026-01", Kind: "street", Currency: "EUR", Part: "buy"},
			"A100|2 EUR|street|||\n", []string{"rent", "buy"}},
		{"one that there is not", []byte(`{"rent":[{"gpu":"A100","price":1}],"buy":[{"card":"A100","amount":2}]}`),
			Options{Part: "x"},
			`x: part: the file holds no "x"; it holds rent, buy`, nil},
		{"a table in a file of a zip", zipOf(t, "a.json", `{"rent":[{"gpu":"A100","price":1}],"n":[{"a":1,"b":2}]}`,
			"LICENSE", "free"), Options{Date: "2026-01", Kind: "spot", Currency: "USD"},
			"A100|1 USD|spot|||\n", []string{"a.json/rent", "a.json/n"}},
	} {
		got, f := taken(t, "x", tt.data, tt.opt)
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s:\n%s", tt.name, diff)
		}
		if f != nil && !slices.Equal(f.Parts(), tt.parts) {
			t.Errorf("%s: got the parts %q, want %q", tt.name, f.Parts(), tt.parts)
		}
	}
}

func FuzzAnyFile(f *testing.F) {
	for _, s := range []string{"gpu,price\na,1\n", `{"a":[{"gpu":"a","price":1}]}`,
		"<table><tr><td>gpu<td>price<tr><td>a<td>1</table>", "PK\x03\x04", "SQLite format 3\x00", "PAR1"} {
		f.Add([]byte(s))
	}
	lim := Limits{Bytes: 1 << 20, Ratio: 50, Line: 4 << 10, Columns: 50, Depth: 16, Cards: 1000, Facts: 10_000}
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := Open("x", bytes.NewReader(data), Options{Date: "2026-01", Kind: "street", Currency: "USD"},
			lim, "2026-11-21")
		if err == nil {
			defer file.Close()
			err = genericTable.ReadFile(context.Background(), file, &quiet{})
		}
		if _, ok := err.(*FileError); err != nil && !ok {
			t.Errorf("%q: got %v, want an error about the file", data, err)
		}
	})
}
