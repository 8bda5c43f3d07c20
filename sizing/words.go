package sizing

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// clip shortens user input that is quoted in a message.
func clip(s string) string {
	const most = 80
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return string([]rune(s)[:most]) + "…"
}

// validText reports whether s is UTF-8 without control characters.
func validText(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool {
		return unicode.IsControl(r) && r != '\t' && r != '\n' && r != '\r'
	})
}

// normalize keeps letters and digits, in lower case.
func normalize(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}

// slug is s in lower case with hyphens for all that is neither letter, digit nor
// a point between digits.
func slug(s string) string {
	var b strings.Builder
	rs := []rune(strings.ToLower(s))
	for i, r := range rs {
		point := r == '.' && i > 0 && i+1 < len(rs) && unicode.IsDigit(rs[i-1]) && unicode.IsDigit(rs[i+1])
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r), point:
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	return strings.TrimSuffix(b.String(), "-")
}
