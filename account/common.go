package account

import (
	_ "embed"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"
)

// commonPasswords are, in lower case and sorted by bytes, one a line, the first 10,000 of 4 to 11 characters and the
// first 10,000 that are long enough to be allowed, of the list 10-million-password-list-top-1000000 of SecLists (MIT,
// see NOTICE). They are looked up where they stand, so that they take no memory of their own.
//
//go:embed common.txt
var commonPasswords string

// listed reports whether a text is one of the common passwords.
func listed(text string) bool {
	line := func(at int) (from, to int) { // of the line that has the byte
		from = strings.LastIndexByte(commonPasswords[:at], '\n') + 1
		return from, from + strings.IndexByte(commonPasswords[from:], '\n')
	}
	at := sort.Search(len(commonPasswords)-1, func(i int) bool {
		from, to := line(i)
		return commonPasswords[from:to] >= text
	})
	from, to := line(min(at, len(commonPasswords)-1))
	return commonPasswords[from:to] == text
}

// mostAround is how many digits and marks around a common password make no other of it.
const mostAround = 8

// isCommon reports whether a password is a common one, or made of one: with digits and marks around it, repeated, or of
// two. Whoever guesses tries these next.
func isCommon(password string) bool {
	password = strings.ToLower(password)
	core := strings.TrimFunc(password, func(r rune) bool { return !unicode.IsLetter(r) })
	around := utf8.RuneCountInString(password) - utf8.RuneCountInString(core)
	for _, text := range []string{password, core} {
		if text == core && around > mostAround {
			continue
		}
		if listed(text) || listed(plain(text)) || repeats(text) || isTwoListed(text) {
			return true
		}
	}
	return false
}

// plain has letters again for the digits and marks that people write for them.
var plain = strings.NewReplacer("@", "a", "4", "a", "3", "e", "1", "i", "!", "i", "0", "o", "$", "s", "5", "s",
	"7", "t").Replace

// repeats reports whether a text is a common password several times.
func repeats(text string) bool {
	for n := 4; n <= len(text)/2; n++ {
		if len(text)%n == 0 && strings.Count(text, text[:n]) == len(text)/n && listed(text[:n]) {
			return true
		}
	}
	return false
}

// isTwoListed reports whether a text is one common password behind another.
func isTwoListed(text string) bool {
	const longest = 48 // more than any two of the list that somebody would type
	if len(text) > longest {
		return false
	}
	for i := 4; i <= len(text)-4; i++ {
		if listed(text[:i]) && listed(text[i:]) {
			return true
		}
	}
	return false
}
