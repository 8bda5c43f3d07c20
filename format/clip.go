package format

import (
	"strings"
	"unicode"

	"tianti/catalog"
)

// clip shortens what a file says, to be quoted.
func clip(s string) string { return strings.TrimSpace(catalog.Clip(s)) }

// visible turns spaces of all kinds into one, and drops what shows nothing.
func visible(r rune) rune {
	switch {
	case unicode.IsSpace(r):
		return ' '
	case !unicode.IsGraphic(r):
		return -1
	}
	return r
}
