package compare

import "strconv"

// heading is the finding, or what the page is for.
func (p compareData) heading() string {
	if p.Heading == "" {
		return p.T("compare.title")
	}
	return p.Heading
}

// span is how many columns the head of a group of rows crosses.
func (p compareData) span() string { return strconv.Itoa(len(p.Cards) + 1) }

// width is the class of the main column: many cards take the whole window.
func (p compareData) width() string {
	if len(p.Cards) > manyCards {
		return "full"
	}
	return "wide"
}
