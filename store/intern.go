package store

// An interner holds each text once, however many rows have it.
type interner struct {
	texts map[string]string
	last  [16]string // by length: columns repeat from row to row
}

func newInterner() *interner { return &interner{texts: map[string]string{}} }

// bytes is text of bytes, which are copied where the text is new.
func (in *interner) bytes(b []byte) string {
	if len(b) == 0 {
		return ""
	}
	slot := &in.last[len(b)%len(in.last)]
	if *slot == string(b) {
		return *slot
	}
	known, ok := in.texts[string(b)]
	if !ok {
		known = string(b)
		in.texts[known] = known
	}
	*slot = known
	return known
}
