// Package locale holds the languages of the product: their texts, and how they
// write numbers. Texts are YAML files in messages/ with the same keys in each
// language; en-data.yaml adds to en.yaml.
package locale

import (
	"embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
	"golang.org/x/text/message/catalog"
)

//go:embed messages/*.yaml
var files embed.FS

// Locale is one language of the product. It is immutable; its texts are read when the first is asked for, as a start of
// the program needs few of them.
type Locale struct {
	code   string // en, zh: file name, and prefix of addresses but for English
	prefix string
	name   string
	tag    language.Tag

	messages func() *messages
}

// messages are the texts of a language.
type messages struct {
	texts   map[string]string // without arguments, ready to be shown
	formats map[string]text   // with arguments, formatted by printer
	printer *message.Printer
}

var (
	english = newLocale("en", "", "English", language.English)
	chinese = newLocale("zh", "/zh", "简体中文", language.SimplifiedChinese)
	all     = []*Locale{english, chinese}
)

// All returns the languages; the first is the default.
func All() []*Locale { return slices.Clone(all) }

// Of returns the language with that code, "en" or "zh" (or a tag such as
// "zh-Hans"); English for any other.
func Of(code string) *Locale {
	if code == "zh" || strings.HasPrefix(code, "zh-") {
		return chinese
	}
	return english
}

// Code is "en" or "zh".
func (l *Locale) Code() string { return l.code }

// Tag is the language as HTML wants it: "en" or "zh-Hans".
func (l *Locale) Tag() string { return l.tag.String() }

// Name is what the language calls itself.
func (l *Locale) Name() string { return l.name }

// Path is the address of a page in this language; path starts with "/".
func (l *Locale) Path(path string) string {
	if path == "/" && l.prefix != "" {
		return l.prefix + "/"
	}
	return l.prefix + path
}

// Other is the other language.
func (l *Locale) Other() *Locale {
	if l == english {
		return chinese
	}
	return english
}

// Sentences puts sentences one after the other, as the language does: Chinese has no space after a full stop.
// Empty ones are left out.
func (l *Locale) Sentences(list ...string) string {
	list = slices.DeleteFunc(slices.Clone(list), func(s string) bool { return s == "" })
	if l == chinese {
		return strings.Join(list, "")
	}
	return strings.Join(list, " ")
}

// Pick returns the one of two texts that is in this language, or the English
// one when the other is empty.
func (l *Locale) Pick(en, zh string) string {
	if l == chinese && zh != "" {
		return zh
	}
	return en
}

// T returns the text of a key with args in its placeholders. Whole numbers are
// grouped by thin spaces and choose the plural form. A key that does not exist
// comes back as it is; a test finds those.
func (l *Locale) T(key string, args ...any) string {
	m := l.messages()
	if text, ok := m.texts[key]; ok {
		return text
	}
	format, ok := m.formats[key]
	if !ok {
		return key
	}
	for i, a := range args {
		if n, ok := a.(int); ok {
			args[i] = count(n)
		}
	}
	return m.printer.Sprintf(format.form(l, args), args...)
}

// Has reports whether there is a text for the key.
func (l *Locale) Has(key string) bool {
	m := l.messages()
	_, plain := m.texts[key]
	_, format := m.formats[key]
	return plain || format
}

// count is a whole number in a message: written with thin spaces, it still
// tells its plural form.
type count int

func (c count) Format(s fmt.State, _ rune) { _, _ = s.Write([]byte(Group(int(c)))) }

// PluralForm implements plural.Interface.
func (c count) PluralForm(t language.Tag, _ int) (plural.Form, int) {
	n := max(int(c), -int(c))
	return plural.Cardinal.MatchPlural(t, n%10_000_000, 0, 0, 0, 0), n
}

func newLocale(code, prefix, name string, tag language.Tag) *Locale {
	return &Locale{code, prefix, name, tag, sync.OnceValue(func() *messages { return load(code, tag) })}
}

// load reads the texts of one language; it panics on a malformed file, which no
// build that passed its tests has.
func load(code string, tag language.Tag) *messages {
	all, err := readMessages(code)
	if err != nil {
		panic(fmt.Sprintf("locale: %s: %v", code, err))
	}
	out := &messages{texts: make(map[string]string, len(all)), formats: map[string]text{}}
	for key, m := range all {
		if strings.Contains(m.other, "%") && placeholder.MatchString(m.other) {
			out.formats[key] = m
		} else {
			out.texts[key] = m.other
		}
	}
	// The catalogue is empty: a text that it does not have is formatted as it is.
	out.printer = message.NewPrinter(tag, message.Catalog(catalog.NewBuilder()))
	return out
}
