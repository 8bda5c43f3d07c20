package format

import (
	"strings"
	"unicode"

	"tianti/catalog"
)

// clip shortens text of a file that is quoted in a message.
func clip(s string) string { return strings.TrimSpace(catalog.Clip(s)) }

// visible replaces runs of white space by a space and removes invisible characters.
func visible(r rune) rune {
	switch {
	case unicode.IsSpace(r):
		return ' '
	case !unicode.IsGraphic(r):
		return -1
	}
	return r
}
