package format

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/unicode"
)

// gb18030 encodes a text as Chinese systems do.
func gb18030(t testing.TB, s string) string {
	t.Helper()
	out, err := simplifiedchinese.GB18030.NewEncoder().String(s)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestTextIsTheSameInWhateverPieces(t *testing.T) {
	late := strings.Repeat("plain,ascii\n", 12_000) // longer than what is looked at to tell encodings apart
	utf16, err := unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM).NewEncoder().String("a,b\nÄ,1\nplain,2\n")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ name, raw, want string }{
		{"UTF-8", "昇腾,é\r\n€\r1\n", "昇腾,é\n€\n1\n"},
		{"late UTF-8", late + "昇腾,é\r\n" + late + "€", late + "昇腾,é\n" + late + "€"},
		{"late GB 18030", late + gb18030(t, "昇腾,寒武纪\r\n") + late + gb18030(t, "价格"), late + "昇腾,寒武纪\n" + late + "价格"},
		{"GB 18030 of four bytes", gb18030(t, "㐂𠀀,价格\n"), "㐂𠀀,价格\n"},
		{"UTF-16 without a mark", utf16, "a,b\nÄ,1\nplain,2\n"},
		{"a mark alone", "\ufeff", ""},
		{"CR at the end", "a\r", "a\n"},
		{"CR CR LF", "a\r\r\nb", "a\n\nb"},
	} {
		for pieces, r := range map[string]io.Reader{
			"whole": strings.NewReader(tt.raw), "bytes": iotest.OneByteReader(strings.NewReader(tt.raw)),
			"halves":       iotest.HalfReader(strings.NewReader(tt.raw)),
			"with its end": iotest.DataErrReader(strings.NewReader(tt.raw)),
		} {
			got, err := io.ReadAll(newText("x", r, DefaultLimits))
			if err != nil || string(got) != tt.want {
				t.Errorf("%s in %s: %v, %d bytes, want %d", tt.name, pieces, err, len(got), len(tt.want))
			}
			got, err = io.ReadAll(iotest.OneByteReader(newText("x", strings.NewReader(tt.raw), DefaultLimits)))
			if err != nil || string(got) != tt.want {
				t.Errorf("%s read by bytes: %v, %d bytes, want %d", tt.name, err, len(got), len(tt.want))
			}
		}
	}
}

func TestWhatIsNoTextIsRefusedWithItsPlace(t *testing.T) {
	late := strings.Repeat("昇腾,ascii\n", 12_000)
	for _, tt := range []struct{ name, raw, want string }{
		{"UTF-8 with a mistake", "昇腾 910,寒武纪 590 天数智芯\xff,1\n", "x: byte 37 (0xFF) is no text in UTF-8; want UTF-8, " +
			"UTF-16 or GB 18030"},
		{"a mistake far behind", late + "\xff", "x: byte 156000 (0xFF) is no text in UTF-8; want UTF-8, UTF-16 or GB " +
			"18030"},
		{"UTF-8 that is cut off", late + "\xe6\x98", "x: byte 156000 (0xE6) is no text in UTF-8; want UTF-8, UTF-16 " +
			"or GB 18030"},
		{"Latin-1", "Gr\xf6\xdfe,Preis\n", "x: byte 2 (0xF6) is no text in UTF-8; want UTF-8, UTF-16 or GB 18030"},
		{"UTF-16 that is cut off", "\xff\xfea\x00,", "x: after 1 bytes of text something is no UTF-16; want UTF-8, " +
			"UTF-16 or GB 18030"},
	} {
		_, err := io.ReadAll(newText("x", strings.NewReader(tt.raw), DefaultLimits))
		if err == nil || err.Error() != tt.want {
			t.Errorf("%s: got %v, want %s", tt.name, err, tt.want)
		}
	}
	broken := errors.New("the network is gone")
	for _, r := range []io.Reader{iotest.ErrReader(broken), io.MultiReader(strings.NewReader("a,b\n1,"),
		iotest.ErrReader(broken)), io.MultiReader(strings.NewReader("\x1f\x8b\x08\x00"), iotest.ErrReader(broken)),
		io.MultiReader(strings.NewReader("PK\x03\x04"), iotest.ErrReader(broken))} {
		f, err := Open("x", r, Options{}, DefaultLimits, "")
		if err == nil {
			_, err = io.ReadAll(f.Text)
		}
		if !errors.Is(err, broken) {
			t.Errorf("got %v, want %v as it is", err, broken)
		}
	}
}

// FuzzText: what comes out is UTF-8 without NUL and CR, or an error.
func FuzzText(f *testing.F) {
	for _, s := range []string{"昇腾,1\r\n", gb18030(f, "昇腾,1\n"), "\xff\xfea\x00", "\xfe\xff\x00a", "a\x00b",
		"\x1f\x8b\x08", "PK\x03\x04"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		got, err := io.ReadAll(newText("x", strings.NewReader(raw), DefaultLimits))
		if err == nil && (!utf8.Valid(got) || strings.ContainsAny(string(got), "\r\x00")) {
			t.Errorf("%q became %q", raw, got)
		}
		if utf8.ValidString(raw) && !strings.Contains(raw, "\x00") && !strings.HasPrefix(raw, "\ufeff") {
			want := strings.ReplaceAll(strings.ReplaceAll(raw, "\r\n", "\n"), "\r", "\n")
			if err != nil || string(got) != want {
				t.Errorf("%q became %q, %v", raw, got, err)
			}
		}
	})
}

func TestRowsThatDoNotFitAreLeftOutWithTheirLine(t *testing.T) {
	text := "name , ,price,price\nA,1,2,3\n\nB,1,2\n\"C\nD\",1,\"2\"\"\",3\nE,1,2,3,\nF,\"1\"x,2,3\n G ,\u00a01,2, 3\n"
	got, left, err := rows(t, open(t, "x.csv", text, Options{}))
	if err != nil {
		t.Fatal(err)
	}
	want := [][]string{{"name", "column 2", "price", "price (2)"}, {"A", "1", "2", "3"}, {"C\nD", "1", `2"`, "3"},
		{"G", "1", "2", "3"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	wantLeft := []Skipped{
		{Line: 4, Reason: BadValue, Message: "the row has 3 cells, the first row 4"},
		{Line: 7, Reason: BadValue, Message: "the row has 5 cells, the first row 4"},
		{Line: 8, Reason: BadValue, Message: "text follows the closing quote of a cell; want a delimiter there"},
	}
	if diff := cmp.Diff(wantLeft, left); diff != "" {
		t.Error(diff)
	}
}

func TestTheDelimiterIsTheOneThatMakesATable(t *testing.T) {
	for _, tt := range []struct {
		text string
		want rune
		n    int
	}{
		{"a,b\n1,2\n", ',', 2}, {"a;b\n1,5;2,5\n", ';', 2}, {"a\tb\tc\n1,2\t3\t4\n", '\t', 3}, {"a|b\n1|2\n", '|', 2},
		{"a,b;c,d;e\n1;2;3\n", ';', 3},
		{"\"a,b\",c\n1,2\n", ',', 2}, {"a,b", ',', 2}, {"only\n1\n", 0, 0},
		{"# a list, with words\nsources:\n  x: 1\ny: 2\n", 0, 0}, {`{"a": 1, "b": 2}`, 0, 0}, {"[1, 2]", 0, 0},
		{"a,b\n\"1\n2\",3\n4,5\n", ',', 2}, {"a;b;\n1;2;\n", ';', 3},
	} {
		h := newHead("x", tt.text, true)
		if h.Delimiter != tt.want || len(h.Columns) != tt.n {
			t.Errorf("%q: got %q %q, want %q and %d columns", tt.text, h.Delimiter, h.Columns, tt.want, tt.n)
		}
	}
	files, err := filepath.Glob("../seed/data/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no data files: %v", err)
	}
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if h := newHead("x", string(text[:min(len(text), headBytes)]), false); h.Delimiter != 0 {
			t.Errorf("%s is taken for a table with the columns %q", path, h.Columns)
		}
	}
}

func TestColumnsAreSuggestedByExactNamesAlone(t *testing.T) {
	for _, tt := range []struct {
		columns []string
		want    map[string]string
	}{
		{[]string{"GPU", "Price (USD)", "price", "Date", "VRAM (GB)", "notes"},
			map[string]string{"GPU": "card", "price": "amount", "Date": "date"}},
		{[]string{"型号", "价格", "显存 (GB)", "TDP_W", "Memory bandwidth (GB/s)"},
			map[string]string{"型号": "card", "价格": "amount", "显存 (GB)": "memory_gb", "TDP_W": "tdp_w",
				"Memory bandwidth (GB/s)": "memory_bandwidth_gb_s"}},
		{[]string{"显卡", "价格(元)", "店铺", "发货地"}, map[string]string{"显卡": "card", "价格(元)": "amount", "店铺": "seller"}},
		{[]string{"gpu", "price_usd", "Price (EUR)"}, map[string]string{"gpu": "card", "price_usd": "amount"}},
		{[]string{"gpu", "price (¥)", "total USD"}, map[string]string{"gpu": "card"}},
		{[]string{"model", "name", "gpu"}, map[string]string{"model": "card"}},
		{[]string{"prices", "carding"}, map[string]string{}},
	} {
		if diff := cmp.Diff(tt.want, SuggestColumns(tt.columns)); diff != "" {
			t.Errorf("%q: %s", tt.columns, diff)
		}
	}
}
