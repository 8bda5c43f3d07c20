package account

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Bounds of passwords and names.
const (
	MinPassword = 12   // characters
	MaxPassword = 1024 // bytes: bounds the work of hashing
	MaxName     = 64   // characters
	leastKinds  = 5    // different characters of a password
)

// A RuleError is a name or password that breaks a rule.
type RuleError struct {
	Field string // "name", "password" or "token"
	Rule  Rule
}

// Rule names a rule; the words for it are the caller's.
type Rule string

// Rules.
const (
	RuleNameForm  Rule = "form"     // letters, digits and ._@-, beginning with a letter or digit
	RuleReserved  Rule = "reserved" // the audit log uses it
	RuleShort     Rule = "short"
	RuleLong      Rule = "long"
	RuleSimple    Rule = "simple" // few different characters
	RuleIsName    Rule = "name"
	RuleCommon    Rule = "common"   // one of many people's, or made of one
	RuleEncoding  Rule = "encoding" // not UTF-8, or control characters
	RuleTokenName Rule = "label"    // of a token: 1 to 64 characters
)

var ruleText = map[Rule]string{
	RuleNameForm:  "wants 1 to 64 letters, digits or . _ @ -, beginning with a letter or digit",
	RuleReserved:  "is reserved",
	RuleShort:     "wants at least 12 characters; several words are good",
	RuleLong:      "has more than 1024 bytes",
	RuleSimple:    "has fewer than 5 different characters",
	RuleIsName:    "is made of the account's name",
	RuleCommon:    "is, or is made of, a password that many people have",
	RuleEncoding:  "has characters that nobody can type",
	RuleTokenName: "wants a name of 1 to 64 characters",
}

func (e *RuleError) Error() string { return e.Field + " " + ruleText[e.Rule] }

// reserved names are actors of the audit log that are no accounts.
var reserved = []string{"tianti", "anonymous"}

// CleanName normalizes a name to NFKC, so that names that look the same are the same. An error is a *RuleError.
func CleanName(name string) (string, error) {
	if len(name) > 8*MaxName || !utf8.ValidString(name) {
		return "", &RuleError{"name", RuleNameForm}
	}
	name = norm.NFKC.String(strings.TrimSpace(name))
	n := 0
	for i, r := range name {
		n++
		inside := i > 0 && (strings.ContainsRune("._@-", r) || unicode.Is(unicode.M, r))
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !inside {
			return "", &RuleError{"name", RuleNameForm}
		}
	}
	if n == 0 || n > MaxName {
		return "", &RuleError{"name", RuleNameForm}
	}
	for _, r := range reserved {
		if strings.EqualFold(name, r) {
			return "", &RuleError{"name", RuleReserved}
		}
	}
	return name, nil
}

// ours are words that somebody who knows this program would try.
var ours = []string{"tianti", "天梯", "accelerator", "加速卡", "administrator", "管理员"}

// CheckPassword applies the rules for new passwords. As NIST SP 800-63B-4 says, they ask for length and refuse
// predictable passwords, and ask for no particular kinds of characters. An error is a *RuleError.
func CheckPassword(name, password string) error {
	fail := func(r Rule) error { return &RuleError{"password", r} }
	if len(password) > MaxPassword {
		return fail(RuleLong)
	}
	if !utf8.ValidString(password) || strings.ContainsFunc(password, unicode.IsControl) {
		return fail(RuleEncoding)
	}
	password = normal(password)
	kinds := map[rune]bool{}
	for _, r := range password {
		kinds[r] = true
	}
	switch {
	case utf8.RuneCountInString(password) < MinPassword:
		return fail(RuleShort)
	case len(kinds) < leastKinds:
		return fail(RuleSimple)
	case madeOf(strings.ToLower(password), strings.ToLower(norm.NFC.String(name))), slices.ContainsFunc(ours,
		func(word string) bool { return madeOf(strings.ToLower(password), word) }):
		return fail(RuleIsName)
	case isCommon(password):
		return fail(RuleCommon)
	}
	return nil
}

// madeOf reports whether a password is the name, once or repeated, plus at most three characters.
func madeOf(password, name string) bool {
	if name == "" {
		return false
	}
	rest := strings.ReplaceAll(password, name, "")
	return rest != password && utf8.RuneCountInString(rest) <= 3
}

// isUnseen reports whether a character is invisible or changes how others are displayed.
func isUnseen(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) }

// normal normalizes a password before it is hashed: keyboards compose the same letter in different ways.
func normal(password string) string { return norm.NFC.String(password) }
