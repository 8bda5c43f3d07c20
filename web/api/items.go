package api

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"slices"
	"strconv"
	"sync/atomic"
	"unicode/utf8"

	"tianti/catalog"
)

// Items writes cards of one snapshot as JSON. A card's whole object is encoded
// when it is first asked for and then copied: lists are mostly the same cards in
// another order. It is safe for concurrent use.
type Items struct {
	snap  *catalog.Snapshot
	whole []atomic.Pointer[item]
	bytes atomic.Int64 // that whole holds
}

// item is a card's whole object with a hash of it.
type item struct {
	json []byte
	sum  [sumLength]byte
}

const (
	sumLength = 16
	maxItems  = 128 << 20 // bytes of encoded cards to hold; cards beyond are encoded each time
)

// NewItems returns the writer for a snapshot.
func NewItems(s *catalog.Snapshot) *Items {
	return &Items{snap: s, whole: make([]atomic.Pointer[item], s.Len())}
}

// card returns card i with all fields.
func (it *Items) card(i int) *item {
	if c := it.whole[i].Load(); c != nil {
		return c
	}
	c := &item{json: appendItem(nil, it.snap, i, catalog.Quantities())} // it does not reckon in prices
	c.json = bytes.Clone(c.json)                                        // without the room that appending made
	sum := sha256.Sum256(c.json)
	copy(c.sum[:], sum[:])
	if it.bytes.Load() < maxItems && it.whole[i].CompareAndSwap(nil, c) {
		it.bytes.Add(int64(len(c.json)) + 64)
	}
	return c
}

func appendItem(dst []byte, s *catalog.Snapshot, i int, fields []*catalog.Quantity) []byte {
	c := s.Card(i)
	dst = append(dst, `{"id":`...)
	dst = appendString(dst, c.ID)
	dst = appendMember(dst, "name", c.Name)
	dst = appendMember(dst, "vendor", c.Vendor)
	dst = appendMember(dst, "kind", c.Kind)
	dst = appendMember(dst, "segment", c.Segment)
	dst = appendMember(dst, "architecture", c.Architecture)
	for _, id := range []string{"form_factor", "launched"} {
		if q, ok := catalog.LookupQuantity(id); ok {
			text, _ := s.Text(q, i)
			dst = appendMember(dst, id, text)
		}
	}
	dst = appendMember(dst, "standing", s.Standing(i))
	dst = appendMember(dst, "announced", announced(s, i))
	dst = append(dst, `,"figures":{`...)
	dst = appendFigures(dst, s, i, fields)
	dst = append(dst, '}')
	return append(appendAttributes(dst, s, i, fields), '}')
}

// announced is since when a card that is not sold is announced.
func announced(s *catalog.Snapshot, i int) string {
	if s.OnSale(i) {
		return ""
	}
	q, _ := catalog.LookupQuantity("launched")
	date, _ := s.Text(q, i)
	return date
}

func appendMember(dst []byte, key, value string) []byte {
	if value == "" {
		return dst
	}
	return appendString(append(append(append(dst, ',', '"'), key...), '"', ':'), value)
}

func appendFigures(dst []byte, s *catalog.Snapshot, i int, fields []*catalog.Quantity) []byte {
	first := true
	for _, q := range fields {
		if q.Kind != catalog.Number {
			continue
		}
		v, ok := s.Number(q, i)
		if !ok {
			continue
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = append(append(append(dst, '"'), q.ID...), '"', ':')
		dst = AppendNumber(dst, v)
	}
	return dst
}

// AppendNumber appends a value exactly and without exponent.
func AppendNumber(dst []byte, v float64) []byte { return strconv.AppendFloat(dst, v, 'f', -1, 64) }

// Number is a value exactly and without exponent.
func Number(v float64) string { return string(AppendNumber(nil, v)) }

// members are the attributes that are members of a card's object.
var members = []string{"form_factor", "launched", "standing"}

// appendAttributes appends the texts and flags that are not members of their own.
func appendAttributes(dst []byte, s *catalog.Snapshot, i int, fields []*catalog.Quantity) []byte {
	first := true
	for _, q := range fields {
		if q.Kind == catalog.Number || q.Group == "identity" || slices.Contains(members, q.ID) {
			continue
		}
		text, ok := s.Text(q, i)
		if !ok {
			continue
		}
		if first {
			dst = append(dst, `,"attributes":{`...)
		} else {
			dst = append(dst, ',')
		}
		first = false
		dst = append(append(append(dst, '"'), q.ID...), '"', ':')
		if q.Kind == catalog.Flag {
			dst = append(dst, text...)
		} else {
			dst = appendString(dst, text)
		}
	}
	if !first {
		dst = append(dst, '}')
	}
	return dst
}

// Encode is v as JSON with a line end. Addresses stay readable: nothing of an
// answer is put into HTML, so < > & are not escaped. It panics on what cannot be
// encoded, which the types of this package never are.
func Encode(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic("api: " + err.Error())
	}
	return b.Bytes()
}

// appendString appends s as a JSON string.
func appendString(dst []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' || c >= utf8.RuneSelf {
			return append(dst, bytes.TrimSuffix(Encode(s), []byte("\n"))...)
		}
	}
	return append(append(append(dst, '"'), s...), '"')
}
