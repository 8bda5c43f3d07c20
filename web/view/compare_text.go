package view

import (
	"strconv"
	"strings"
)

// heading names the cards, "H20 · H100", or the page when there are too few.
func (p Compare) heading() string {
	if len(p.Cards) < 2 {
		return p.T("compare.title")
	}
	names := make([]string, len(p.Cards))
	for i, c := range p.Cards {
		names[i] = c.Name
	}
	return strings.Join(names, " · ")
}

// span is how many columns the head of a group of rows crosses.
func (p Compare) span() string { return strconv.Itoa(len(p.Cards) + 1) }

// width is the class of the main column: many cards take the whole window.
func (p Compare) width() string {
	if len(p.Cards) > 4 {
		return "full"
	}
	return "wide"
}
