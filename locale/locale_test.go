package locale

import (
	"testing"
)

func TestPathIsPrefixedInChineseOnly(t *testing.T) {
	for _, test := range []struct{ code, path, want string }{
		{"en", "/", "/"},
		{"zh", "/", "/zh/"},
		{"en", "/cards?q=h100", "/cards?q=h100"},
		{"zh", "/cards?q=h100", "/zh/cards?q=h100"},
	} {
		if got := Of(test.code).Path(test.path); got != test.want {
			t.Errorf("%s: Path(%q) = %q, want %q", test.code, test.path, got, test.want)
		}
	}
}

func TestOfKnowsItsLanguages(t *testing.T) {
	for code, want := range map[string]string{"en": "en", "zh": "zh-Hans", "zh-Hans": "zh-Hans", "zh-CN": "zh-Hans",
		"fr": "en", "": "en"} {
		if got := Of(code).Tag(); got != want {
			t.Errorf("Of(%q) has tag %q, want %q", code, got, want)
		}
	}
	for _, l := range All() {
		if l.Other() == l || l.Other().Other() != l {
			t.Errorf("%s: the other of the other language is not itself", l.Code())
		}
	}
}

func TestNumberKeepsFourDigitsAndWholeNumbers(t *testing.T) {
	l := Of("en")
	for _, test := range []struct {
		in   float64
		want string
	}{
		{0, "0"}, {80, "80"}, {-4, "-4"}, {989.4, "989.4"}, {66.9, "66.9"}, {3.352, "3.352"}, {0.0891234, "0.08912"},
		{1978.9, "1\u202f979"}, {3350, "3\u202f350"}, {208000, "208\u202f000"}, {12345.6, "12\u202f346"},
		{-15832, "-15\u202f832"},
		{999.96, "1\u202f000"}, {0.5, "0.5"}, {2.5000001, "2.5"}, {1e12, "1\u202f000\u202f000\u202f000\u202f000"},
	} {
		if got := l.Number(test.in); got != test.want {
			t.Errorf("Number(%v) = %q, want %q", test.in, got, test.want)
		}
	}
}

func TestNumberAndRatioOfNothingAreADash(t *testing.T) {
	zero := 0.0
	for _, v := range []float64{zero / zero, 1 / zero, -1 / zero} {
		if got := Of("en").Number(v); got != "—" {
			t.Errorf("Number(%v) = %q, want a dash", v, got)
		}
		if got := Of("en").Ratio(v); got != "—" {
			t.Errorf("Ratio(%v) = %q, want a dash", v, got)
		}
	}
}

func TestRatioKeepsThreeDigits(t *testing.T) {
	for in, want := range map[float64]string{1.7625: "×1.76", 1: "×1", 0.15: "×0.15", 0.1496: "×0.15", 12.345: "×12.3",
		1234.5: "×1\u202f234", 2.0: "×2"} {
		if got := Of("zh").Ratio(in); got != want {
			t.Errorf("Ratio(%v) = %q, want %q", in, got, want)
		}
	}
}

func TestMessagesChooseThePluralFormAndGroupCounts(t *testing.T) {
	for _, test := range []struct {
		code, key string
		args      []any
		want      string
	}{
		{"en", "fact.others", []any{1}, "1 other value"},
		{"en", "fact.others", []any{0}, "0 other values"},
		{"en", "fact.others", []any{3}, "3 other values"},
		{"zh", "fact.others", []any{1}, "另有 1 个数值"},
		{"en", "cards.matched", []any{37, 12345}, "37 of 12\u202f345 cards"},
		{"zh", "cards.matched", []any{37, 12345}, "12\u202f345 张卡中的 37 张"},
		{"en", "compare.caption", []any{"H20"}, "Cards side by side; ratios are to the H20"},
		{"en", "compare.best", nil, "▲ best"},
	} {
		if got := Of(test.code).T(test.key, test.args...); got != test.want {
			t.Errorf("%s: T(%q, %v) = %q, want %q", test.code, test.key, test.args, got, test.want)
		}
	}
}

func TestUnknownKeysComeBackAsTheyAre(t *testing.T) {
	if got := Of("en").T("no.such.key"); got != "no.such.key" {
		t.Errorf("T of an unknown key = %q, want the key", got)
	}
	if Of("en").Has("no.such.key") || !Of("en").Has("site.name") || !Of("zh").Has("fact.others") {
		t.Error("Has does not tell known keys from unknown ones")
	}
}

func TestPlainMessagesAllocateNothing(t *testing.T) {
	l := Of("en")
	if n := testing.AllocsPerRun(100, func() { _ = l.T("nav.cards") }); n != 0 {
		t.Errorf("T of a message without arguments allocates %v times, want 0", n)
	}
}

func TestSentencesFollowEachOtherAsTheLanguageHasThem(t *testing.T) {
	for l, want := range map[*Locale]string{english: "One. Two.", chinese: "One.Two."} {
		if got := l.Sentences("One.", "", "Two."); got != want {
			t.Errorf("%s: got %q, want %q", l.Tag(), got, want)
		}
	}
}
