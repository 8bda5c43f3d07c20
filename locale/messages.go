package locale

import (
	"fmt"
	"io/fs"
	"regexp"

	"golang.org/x/text/feature/plural"
)

// text is one message: a plain text, or one for each plural form of an
// argument.
type text struct {
	other string
	one   string // for the count 1; empty when the language has no such form
	arg   int    // which argument counts, from 1; 0 when there are no forms
}

// placeholder is a verb of package fmt with an optional argument index.
var placeholder = regexp.MustCompile(`%(\[\d+\])?[sd]`)

// form is the text for args: that for one, where the argument that counts is 1 of something.
func (t text) form(l *Locale, args []any) string {
	if t.one == "" || t.arg > len(args) {
		return t.other
	}
	if n, ok := args[t.arg-1].(count); ok {
		if form, _ := n.PluralForm(l.tag, 0); form == plural.One {
			return t.one
		}
	}
	return t.other
}

// readMessages reads the files of one language, en.yaml and en-*.yaml, into
// dotted keys. A key may stand in one of them only.
func readMessages(code string) (map[string]text, error) {
	names, err := fs.Glob(files, "messages/"+code+"*.yaml")
	if err != nil {
		return nil, err
	}
	messages := make(map[string]text, 4096)
	for _, name := range names {
		data, err := files.ReadFile(name)
		if err != nil {
			return nil, err
		}
		tree, err := parsePlain(string(data))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if err := flatten("", tree, messages); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return messages, nil
}

// flatten puts the leaves of a tree under their dotted keys. A branch with the
// key "other" is a message with plural forms.
func flatten(prefix string, tree map[string]any, into map[string]text) error {
	for key, value := range tree {
		key = prefix + key
		if _, twice := into[key]; twice {
			return fmt.Errorf("%s is there already", key)
		}
		switch v := value.(type) {
		case string:
			into[key] = text{other: v}
		case map[string]any:
			if _, plural := v["other"]; !plural {
				if err := flatten(key+".", v, into); err != nil {
					return err
				}
				continue
			}
			t, err := forms(v)
			if err != nil {
				return fmt.Errorf("%s: %w", key, err)
			}
			into[key] = t
		default:
			return fmt.Errorf("%s: is a %T, want a text (put it in quotes) or a map", key, value)
		}
	}
	return nil
}

func forms(v map[string]any) (text, error) {
	t := text{arg: 1}
	for form, value := range v {
		switch value := value.(type) {
		case string:
			switch form {
			case "other":
				t.other = value
			case "one":
				t.one = value
			default:
				return t, fmt.Errorf("plural form %q, want one or other", form)
			}
		case uint64:
			if form != "arg" {
				return t, fmt.Errorf("%s is a number, want a text", form)
			}
			t.arg = int(value)
		default:
			return t, fmt.Errorf("%s is a %T, want a text", form, value)
		}
	}
	return t, nil
}
