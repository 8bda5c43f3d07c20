package csvsafe

import (
	"strings"
	"testing"
)

func TestCellIsNoFormula(t *testing.T) {
	for text, want := range map[string]string{
		"":                     "",
		"H100":                 "H100",
		"'quoted'":             "'quoted'",
		"=cmd|' /C calc'!A0":   "'=cmd|' /C calc'!A0",
		"+1":                   "'+1",
		"-2+3":                 "'-2+3",
		"@SUM(A1)":             "'@SUM(A1)",
		"\tx":                  "'\tx",
		"\rx":                  "'\rx",
		"'=x":                  "''=x",
		"1-2":                  "1-2",
		"显存":                   "显存",
		"\u00a0=not a formula": "\u00a0=not a formula",
	} {
		if got := Cell(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func FuzzTextIsWhatCellWasMadeOf(f *testing.F) {
	for _, text := range []string{"", "'", "=", "'=", "''=", "-1", "a", "'a", "\t'"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		cell := Cell(text)
		if got := Text(cell); got != text {
			t.Errorf("%q became %q and then %q", text, cell, got)
		}
		if cell != "" && strings.IndexByte(starts, cell[0]) >= 0 {
			t.Errorf("%q became %q, which begins like a formula", text, cell)
		}
	})
}
