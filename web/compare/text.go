package compare

import (
	"strconv"
	"strings"
)

// heading names the cards, "H20 · H100", where they are few enough.
func (p compareData) heading() string {
	switch n := len(p.Cards); {
	case n < 2:
		return p.T("compare.title")
	case n > 3:
		return p.T("compare.many", n)
	}
	names := make([]string, len(p.Cards))
	for i, c := range p.Cards {
		names[i] = c.Name
	}
	return strings.Join(names, " · ")
}

// span is how many columns the head of a group of rows crosses.
func (p compareData) span() string { return strconv.Itoa(len(p.Cards) + 1) }

// width is the class of the main column: many cards take the whole window.
func (p compareData) width() string {
	if len(p.Cards) > 4 {
		return "full"
	}
	return "wide"
}
