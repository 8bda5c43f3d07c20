package tables

import "encoding/binary"

// Parquet says in Thrift's compact form where its pages lie and how large they are. Every length in it is held against
// the bytes that are left.

// Types of the compact form.
const (
	thriftTrue, thriftFalse, thriftByte, thriftI16, thriftI32, thriftI64, thriftDouble = 1, 2, 3, 4, 5, 6, 7
	thriftBinary, thriftList, thriftSet, thriftMap, thriftStruct                       = 8, 9, 10, 11, 12
	thriftDepth                                                                        = 16
)

// A thrift value: a number, or the members of a structure, or the elements of a list.
type thrift struct {
	number  int64
	text    string
	members map[int16]thrift
	list    []thrift
}

func (t thrift) at(path ...int16) thrift {
	for _, id := range path {
		t = t.members[id]
	}
	return t
}

func (t thrift) has(id int16) bool { _, ok := t.members[id]; return ok }

// thriftReader reads values of the compact form.
type thriftReader struct {
	b     []byte
	at    int
	nodes int
	bad   bool
}

// readThrift reads a structure, and returns how many bytes it took; false where the bytes are none.
func readThrift(b []byte) (thrift, int, bool) {
	r := &thriftReader{b: b}
	t := r.structure(0)
	return t, r.at, !r.bad
}

func (r *thriftReader) byte() byte {
	if r.at >= len(r.b) {
		r.bad = true
		return 0
	}
	r.at++
	return r.b[r.at-1]
}

func (r *thriftReader) varint() uint64 {
	v, n := binary.Uvarint(r.b[min(r.at, len(r.b)):])
	if n <= 0 {
		r.bad = true
		return 0
	}
	r.at += n
	return v
}

func (r *thriftReader) signed() int64 {
	v := r.varint()
	return int64(v>>1) ^ -int64(v&1)
}

func (r *thriftReader) structure(depth int) thrift {
	var out thrift
	if depth > thriftDepth {
		r.bad = true
	}
	var id int16
	for !r.bad {
		head := r.byte()
		if head == 0 {
			break
		}
		if delta := head >> 4; delta > 0 {
			id += int16(delta)
		} else {
			id = int16(r.signed())
		}
		if out.members == nil {
			out.members = map[int16]thrift{}
		}
		out.members[id] = r.value(head&15, depth+1, false)
	}
	return out
}

func (r *thriftReader) value(kind byte, depth int, element bool) (out thrift) {
	const mostNodes = 500_000
	if r.nodes++; r.nodes > mostNodes {
		r.bad = true
	}
	if r.bad {
		return out
	}
	switch kind {
	case thriftTrue, thriftFalse:
		if element {
			kind = r.byte()
		}
		out.number = int64(kind & 1)
	case thriftByte:
		out.number = int64(int8(r.byte()))
	case thriftI16, thriftI32, thriftI64:
		out.number = r.signed()
	case thriftDouble:
		r.skip(8)
	case thriftBinary:
		n := r.varint()
		from := r.at
		if r.skip(n); !r.bad && n < 1000 {
			out.text = string(r.b[from:r.at])
		}
	case thriftList, thriftSet:
		head := r.byte()
		n := uint64(head >> 4)
		if n == 15 {
			n = r.varint()
		}
		if n > uint64(len(r.b)-r.at) {
			r.bad = true
		}
		for ; n > 0 && !r.bad; n-- {
			out.list = append(out.list, r.value(head&15, depth+1, true))
		}
	case thriftMap:
		n := r.varint()
		if n == 0 {
			break
		}
		kinds := r.byte()
		if n > uint64(len(r.b)-r.at) {
			r.bad = true
		}
		for ; n > 0 && !r.bad; n-- {
			r.value(kinds>>4, depth+1, true)
			r.value(kinds&15, depth+1, true)
		}
	case thriftStruct:
		return r.structure(depth + 1)
	default:
		r.bad = true
	}
	return out
}

func (r *thriftReader) skip(n uint64) {
	if n > uint64(len(r.b)-r.at) {
		r.bad = true
		return
	}
	r.at += int(n)
}
