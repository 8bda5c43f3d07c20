package ui

import "strings"

// FormField is a line of a form with its label and what is wrong with it.
type FormField struct {
	ID           string // and name
	Label        string
	Type         string // "text" or "password"
	Value        string // of a text
	Autocomplete string
	Help         string
	Problem      string
	Optional     bool
}

// describedBy are the ids of the texts that explain the field.
func (f FormField) describedBy() string {
	var ids []string
	if f.Help != "" {
		ids = append(ids, f.ID+"-help")
	}
	if f.Problem != "" {
		ids = append(ids, f.ID+"-problem")
	}
	return strings.Join(ids, " ")
}
