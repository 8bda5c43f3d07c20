package account

import (
	"errors"
	"strings"
	"testing"
)

func ruleOf(err error) Rule {
	if e, ok := errors.AsType[*RuleError](err); ok {
		return e.Rule
	}
	return ""
}

func TestPasswordsAreLongAndNotPredictable(t *testing.T) {
	for _, c := range []struct {
		name, password string
		want           Rule
	}{
		{"anna", "correct horse battery", ""},
		{"anna", "twelve chars", ""},
		{"anna", "eleven char", RuleShort},
		{"anna", "", RuleShort},
		{"anna", "天梯天梯天梯天梯天梯天梯", RuleSimple},
		{"anna", "床前明月光疑是地上霜举头", ""},
		{"anna", "aaaaaaaaaaaaaaaa", RuleSimple},
		{"administrator", "Administrator", RuleIsName},
		{"administrator", "administrator123", RuleIsName},
		{"jörgmüller", "jo\u0308rgmu\u0308ller12", RuleIsName},
		{"administrator", "administrator of all the cards", ""},
		{"anna", "password1234", RuleCommon},
		{"anna", "TiantiTianti!", RuleIsName},
		{"anna", "天梯天梯天梯天梯天梯12a", RuleIsName},
		{"anna", "Qwertyuiop 2026", RuleCommon},
		{"anna", "tab\tis control!", RuleEncoding},
		{"anna", "\xff\xfe is no text!", RuleEncoding},
		{"anna", strings.Repeat("stvwmknh", 128), ""},
		{"anna", strings.Repeat("stvwmknh", 128) + "x", RuleLong},
		{"", "correct horse battery", ""},
	} {
		if got := ruleOf(CheckPassword(c.name, c.password)); got != c.want {
			t.Errorf("%q of %q: got rule %q, want %q", c.password, c.name, got, c.want)
		}
	}
}

func TestNamesAreKeptInOneForm(t *testing.T) {
	for given, want := range map[string]string{
		" anna ": "anna", "Ａｎｎａ": "Anna", "张伟": "张伟", "jo\u0308rg": "jörg", "a.b_c@d-e": "a.b_c@d-e", "7of9": "7of9",
		"नमस्ते": "नमस्ते",
	} {
		if got, err := CleanName(given); got != want || err != nil {
			t.Errorf("%q: got %q, %v, want %q", given, got, err, want)
		}
	}
	for given, want := range map[string]Rule{
		"": RuleNameForm, "  ": RuleNameForm, "-anna": RuleNameForm, "an na": RuleNameForm, "<b>": RuleNameForm,
		"a/b": RuleNameForm, "a\x00b": RuleNameForm,
		"a\u202eb": RuleNameForm, "\xff": RuleNameForm, "😀": RuleNameForm, strings.Repeat("a", 65): RuleNameForm,
		strings.Repeat("a", 1<<20): RuleNameForm,
		"Tianti":                   RuleReserved, "anonymous": RuleReserved,
	} {
		if got, err := CleanName(given); ruleOf(err) != want {
			t.Errorf("%.20q: got %q, %v, want rule %q", given, got, err, want)
		}
	}
}

func TestEveryRuleHasAText(t *testing.T) {
	for _, r := range []Rule{RuleNameForm, RuleReserved, RuleShort, RuleLong, RuleSimple, RuleIsName, RuleEncoding,
		RuleTokenName} {
		if text := (&RuleError{"password", r}).Error(); len(text) < len("password ")+5 {
			t.Errorf("%s: got %q", r, text)
		}
	}
}

// FuzzCleanName looks for names that are taken but are not in the one form.
func FuzzCleanName(f *testing.F) {
	for _, s := range []string{"anna", "Ａｎｎａ", "jo\u0308rg", "ﬁ", "a\u0300\u0301", "Ⅷ"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		once, err := CleanName(s)
		if err != nil {
			return
		}
		if again, err := CleanName(once); again != once || err != nil {
			t.Errorf("%q is kept as %q, and that as %q, %v", s, once, again, err)
		}
		_ = CheckPassword(once, s)
	})
}
