// Package csvsafe writes texts into cells of tables that people open in spreadsheets, and takes them out again.
package csvsafe

import "strings"

// starts are the characters with which a spreadsheet begins a formula, or skips to one.
const starts = "=+-@\t\r"

// Cell is a text as it stands in a cell: one that a spreadsheet would run as a formula is made text by an apostrophe in
// front. [Text] undoes that, exactly.
func Cell(text string) string {
	if formula(text) {
		return "'" + text
	}
	return text
}

// Text is the text that stands in a cell.
func Text(cell string) string {
	if strings.HasPrefix(cell, "'") && formula(cell) {
		return cell[1:]
	}
	return cell
}

// formula reports whether a text begins like a formula, behind any apostrophes: those that were there before have to
// come back.
func formula(text string) bool {
	rest := strings.TrimLeft(text, "'")
	return rest != "" && strings.IndexByte(starts, rest[0]) >= 0
}
