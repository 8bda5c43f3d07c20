package store

import "fmt"

// An interner holds each text once, however many rows have it.
type interner struct {
	texts map[string]string
	last  [16]string // by length: columns repeat from row to row
}

func newInterner() *interner { return &interner{texts: map[string]string{}} }

func (in *interner) text(s string) string {
	if s == "" {
		return ""
	}
	slot := &in.last[len(s)%len(in.last)]
	if *slot == s {
		return *slot
	}
	known, ok := in.texts[s]
	if !ok {
		in.texts[s] = s
		known = s
	}
	*slot = known
	return known
}

// internedText scans a text column.
type internedText struct {
	at    *string
	texts *interner
}

// Scan implements sql.Scanner.
func (t *internedText) Scan(v any) error {
	switch v := v.(type) {
	case string:
		*t.at = t.texts.text(v)
	default:
		return fmt.Errorf("a text is a %T: %w", v, ErrCorrupt)
	}
	return nil
}
