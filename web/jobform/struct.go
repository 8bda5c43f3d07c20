package jobform

import (
	"strconv"

	"tianti/web/ui"
)

// Form asks for a job in a sentence, with more options beneath.
type Form struct {
	Action   string
	Sentence []SentencePart
	Groups   []FieldGroup
	Open     bool // an option beneath the sentence is set, or wrong
	Models   []ui.Option
	Submit   string
}

// SentencePart is some words of a sentence, or a field between them with the punctuation after it.
type SentencePart struct {
	Text  string
	Field *Field
}

// FieldGroup is a group of options.
type FieldGroup struct {
	Title  string
	Note   string
	Fields []Field
}

// Field is a field of the form: a list to choose from where it has options,
// and one to type into otherwise.
type Field struct {
	Name, Label, Unit, Value string
	Hint                     string // what is used when it is empty
	Kind                     string // of the input: "text" where empty, "date"
	List                     string // id of the list of suggestions
	Options                  []ui.Option
	Number                   bool
	Check                    bool // it is ticked or not; Value is what it sends
	Ticked                   bool
	Problem                  bool // the value could not be used
}

// mode is the keyboard of a field.
func (f Field) mode() string {
	if f.Number {
		return "decimal"
	}
	return "text"
}

// width is how many characters a field shows.
func (f Field) width() string {
	if f.Name == "model" {
		return "14" // the names of models are long: Qwen2.5-7B shows whole
	}
	return strconv.Itoa(max(4, min(14, len([]rune(f.Value))+1), min(14, len([]rune(f.Hint))+1)))
}

// Problem is what is wrong with a field.
type Problem struct {
	Field string // empty where the form does not have it
	Text  string
}

// id is the id of the problem, which its field refers to.
func (p Problem) id() string { return "problem-" + p.Field }

// kind is the type of the input.
func (f Field) kind() string {
	if f.Kind == "" {
		return "text"
	}
	return f.Kind
}
