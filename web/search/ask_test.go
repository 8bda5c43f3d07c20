package search

import (
	"encoding/csv"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"tianti/catalog"
)

func TestASearchIsTakenApart(t *testing.T) {
	for _, c := range []struct {
		text   string
		pieces string // with "|" between them
		said   string // kinds in order
		count  int
		users  int
	}{
		{"5090 vs 4090", "5090|4090", "sides", 0, 0},
		{"4090vs3090", "4090|3090", "sides", 0, 0},
		{"4090 和 3090 哪个跑 32b 快", "4090|3090|32b", "nothing sides task", 0, 0},
		{"H100价格", "h100", "price", 0, 0},
		{"how much is an H100 per hour?", "h100", "nothing price", 0, 0},
		{"2x3090 70b q4", "3090 70b", "weights", 2, 0},
		{"8 张 H20 跑 DeepSeek-R1", "h20|deepseek-r1", "task", 8, 0},
		{"双卡 3090", "3090", "count", 2, 0},
		{"serve 70b for 200 users", "70b", "nothing serve", 0, 200},
		{"70B 给 100 个人用", "70b", "nothing serve", 0, 100},
		{"24GB+", "24gb", "least", 0, 0},
		{"is the h20 allowed in china?", "h20", "destination export nothing", 0, 0},
		{"H100 出口到阿联酋", "h100|到", "destination export", 0, 0},
		{"rtx pro 6000 max q", "rtx pro 6000 max q", "", 0, 0},
		{"80GB 显存以上", "80gb", "least memory", 0, 0},
		{"qwen3-32b-instruct", "qwen3-32b-instruct", "", 0, 0}, // no word within a name
		{"RTX PRO 4000 SFF", "rtx pro 4000 sff", "", 0, 0},
		{"", "", "", 0, 0},
	} {
		a := read(c.text)
		var said []string
		for kind := range a.said {
			said = append(said, kind)
		}
		slices.Sort(said)
		got := []any{strings.Join(a.pieces, "|"), strings.Join(said, " "), a.count, a.users}
		if diff := cmp.Diff([]any{c.pieces, c.said, c.count, c.users}, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.text, diff)
		}
	}
}

// A limit without a currency is money of those who write so; what counts anything else is none.
func TestBudgetsWithoutACurrency(t *testing.T) {
	for text, want := range map[string]string{
		"gpu under 500":            "500 USD",
		"best card below 1.5k":     "1500 USD",
		"8b 预算 5000":               "5000 CNY",
		"5000 以内 跑 8B":             "5000 CNY",
		"under $300":               "300 USD",
		"gpu under 24gb":           "",
		"cards below 300w":         "",
		"70b within 200 ms":        "",
		"under 16":                 "",
		"70B 200 人并发":              "",
		"up to 100 users with 70b": "",
		"300w 以下":                  "",
	} {
		got := ""
		if b := read(text).budget; !b.IsZero() {
			got = strconv.FormatFloat(b.Amount(), 'f', -1, 64) + " " + b.Currency
		}
		if got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// FuzzRead: whatever is typed, what comes out is text of it, and bounded.
func FuzzRead(f *testing.F) {
	for _, text := range []string{"5090 vs 4090", "2x3090 70b q4", "under $1,500 or 2万", "H100价格", "+？,；", "8 张 H20",
		"a\xffb vs \x00"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		a := read(text)
		if a.count < 0 || a.count > 1024 || a.users < 0 || a.users > 999_999 {
			t.Fatalf("%d cards, %d users", a.count, a.users)
		}
		if len(a.counts) != len(a.pieces) {
			t.Fatalf("%d counts of %d pieces", len(a.counts), len(a.pieces))
		}
		for _, piece := range a.pieces {
			if !utf8.ValidString(piece) || strings.TrimSpace(piece) != piece || piece == "" {
				t.Fatalf("piece %q", piece)
			}
			if len(piece) > 4*len(catalog.Clip(text)) {
				t.Fatalf("piece %q of %q", piece, text)
			}
		}
	})
}

// Questions were typed as people do; want is the address of the first answer, "" for none.
func TestQuestionsFindThePageThatAnswersThem(t *testing.T) {
	file, err := os.Open("testdata/questions.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	f := asker(t)
	for _, row := range rows[1:] {
		answers, _, _ := f.asked(row[0])
		got := ""
		if len(answers) > 0 {
			got = answers[0].path()
		}
		if got != row[1] {
			t.Errorf("%q: got %s, want %s", row[0], got, row[1])
		}
	}
}
