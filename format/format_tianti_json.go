package format

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"tianti/catalog"
	"tianti/seed"
)

// isTiantiJSON reports whether an object begins like an export: with the mark of one or a section of data files.
func isTiantiJSON(text string) bool {
	key, value := firstMember(text)
	return key == "format" && value == "tianti" || slices.Contains(sections, key)
}

// firstMember is the first key of an object, and its value where that is a text.
func firstMember(text string) (key, value string) {
	dec := json.NewDecoder(strings.NewReader(text))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return "", ""
	}
	t, err := dec.Token()
	if key, _ = t.(string); err != nil || key != "format" {
		return key, ""
	}
	t, _ = dec.Token()
	value, _ = t.(string)
	return key, value
}

// readTiantiJSON reads the sections of an export, which stand under "dataset", or of a file that is nothing else. Each
// entry is read for itself.
func readTiantiJSON(ctx context.Context, f *File, s Sink) error {
	key, _ := firstMember(f.Head.Text)
	guard := &jsonGuard{file: f, line: 1, started: true, base: 2}
	r := &tiantiJSON{ctx: ctx, file: f, guard: guard, dec: json.NewDecoder(guard), ours: newOurs(s)}
	r.ours.strict = true
	var err error
	if key == "format" {
		guard.base = 3
		err = r.export()
	} else {
		err = r.dataset()
	}
	if err == nil {
		if _, err = r.dec.Token(); err == io.EOF {
			return r.ours.annotations(r.notes)
		} else if err == nil {
			err = errAfterObject
		}
	}
	if errors.Is(err, errAfterObject) {
		return f.fail(guard.lineAt(r.dec.InputOffset()), "", err.Error())
	}
	return jsonError(f, guard, r.dec.InputOffset(), err)
}

var errAfterObject = errors.New("something follows the end of the object; want one object")

type tiantiJSON struct {
	ctx   context.Context
	file  *File
	guard *jsonGuard
	dec   *json.Decoder
	ours  *ours
	notes catalog.Annotations
	n     int
	cards int
	held  int // bytes of the entries that are kept until the end
}

// heldBytes bounds the sources and annotations of a file, which are kept until its end.
const heldBytes = 32 << 20

// open takes a bracket.
func (r *tiantiJSON) open(bracket json.Delim, what string) error {
	t, err := r.dec.Token()
	if err == nil && t != bracket {
		return r.file.fail(r.line(), what, fmt.Sprintf("%v stands where %q has to", t, bracket.String()))
	}
	return err
}

func (r *tiantiJSON) line() int { return r.guard.lineAt(r.dec.InputOffset()) }

// export reads the dataset in an export, and passes over what other programs want.
func (r *tiantiJSON) export() error {
	return r.members(func(name string) error {
		if name == "dataset" {
			return r.dataset()
		}
		return r.skip()
	})
}

// dataset reads the sections of a dataset.
func (r *tiantiJSON) dataset() error {
	return r.members(func(name string) error {
		if !slices.Contains(sections, name) || name == "families" {
			return r.file.fail(r.line(), name, fmt.Sprintf("there is no section %q; want one of %s", clip(name),
				strings.Join(jsonSections, ", ")))
		}
		return r.section(name)
	})
}

// jsonSections are those of data files but for families, which only YAML has.
var jsonSections = slices.DeleteFunc(slices.Clone(sections), func(s string) bool { return s == "families" })

// members calls read for each key of an object, which takes the value.
func (r *tiantiJSON) members(read func(name string) error) error {
	if err := r.open('{', ""); err != nil {
		return err
	}
	for r.dec.More() {
		key, err := r.dec.Token()
		if err != nil {
			return err
		}
		name, _ := key.(string)
		if err := read(name); err != nil {
			return err
		}
	}
	_, err := r.dec.Token()
	return err
}

// skip passes a value over.
func (r *tiantiJSON) skip() error {
	for depth := 0; ; {
		t, err := r.dec.Token()
		if err != nil {
			return err
		}
		switch t {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		if depth == 0 {
			return nil
		}
	}
}

// section reads the entries of a section.
func (r *tiantiJSON) section(name string) error {
	if err := r.open('[', name); err != nil {
		return err
	}
	for r.dec.More() {
		if r.n++; r.n%256 == 0 && r.ctx.Err() != nil {
			return r.ctx.Err()
		}
		var entry json.RawMessage
		if err := r.dec.Decode(&entry); err != nil {
			return err
		}
		line := r.guard.lineAt(r.dec.InputOffset() - int64(len(entry)))
		if err := r.entry(name, line, entry); err != nil {
			return err
		}
	}
	_, err := r.dec.Token()
	return err
}

// entry reads an entry of a section, and leaves it out when it is none.
func (r *tiantiJSON) entry(name string, line int, text json.RawMessage) error {
	o := r.ours
	if name != "cards" && name != "prices" && name != "rates" {
		if r.held += len(text); r.held > heldBytes {
			return r.file.fail(line, name, fmt.Sprintf("sources and annotations are longer than %d bytes together; "+
				"want fewer", heldBytes))
		}
	}
	switch name {
	case "sources":
		return entryOf(o, name, line, text, func(s catalog.Source) error { return o.source(line, s) })
	case "cards":
		o.sink.Row(line)
		if r.cards++; r.cards > r.file.limits.Cards {
			return r.file.fail(line, name, fmt.Sprintf("the file has more than %d cards; want fewer",
				r.file.limits.Cards))
		}
		return entryOf(o, name, line, text, func(c seed.JSONCard) error { return o.card(line, c.Card()) })
	case "prices":
		o.sink.Row(line)
		return entryOf(o, name, line, text, func(p seed.JSONPrice) error {
			price, err := p.Price()
			if err != nil {
				return o.skip(line, p.Card, name, BadValue, err)
			}
			return o.price(line, price)
		})
	case "rates":
		o.sink.Row(line)
		return entryOf(o, name, line, text, func(x seed.JSONRate) error { return o.rate(line, x.ExchangeRate()) })
	case "architectures":
		return entryOf(o, name, line, text, func(g catalog.Generation) error {
			r.notes.Generations = append(r.notes.Generations, g)
			return nil
		})
	case "measured":
		return entryOf(o, name, line, text, func(m catalog.Measurement) error {
			r.notes.Measured = append(r.notes.Measured, m)
			return nil
		})
	case "benchmarks":
		return entryOf(o, name, line, text, func(b catalog.Benchmark) error {
			r.notes.Benchmarks = append(r.notes.Benchmarks, b)
			return nil
		})
	case "claims":
		return entryOf(o, name, line, text, func(c catalog.Claim) error {
			r.notes.Claims = append(r.notes.Claims, c)
			return nil
		})
	case "equivalents":
		return entryOf(o, name, line, text, func(e catalog.Equivalent) error {
			r.notes.Equivalents = append(r.notes.Equivalents, e)
			return nil
		})
	}
	return entryOf(o, name, line, text, func(g catalog.GlossaryEntry) error {
		r.notes.Glossary = append(r.notes.Glossary, g)
		return nil
	})
}

// entryOf passes an entry on that has the fields of a T and no others.
func entryOf[T any](o *ours, section string, line int, text json.RawMessage, take func(T) error) error {
	var v T
	dec := json.NewDecoder(strings.NewReader(string(text)))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&v); err != nil {
		return o.skip(line, "", section, BadValue, fmt.Errorf("the entry cannot be read: %s",
			strings.TrimPrefix(err.Error(), "json: ")))
	}
	return take(v)
}
