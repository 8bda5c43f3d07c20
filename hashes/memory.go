package hashes

import (
	"cmp"
	"math/bits"
	"runtime"
	"slices"
)

// A memory holds numbers greater than 0 by hashes, in 16 bytes each and a quarter
// that is free, and looks in one place of the memory for most: among millions of
// entries, which no cache holds, that is what looking costs. It is many small tables,
// so that growing takes room for one of them. The zero memory is empty.
type memory struct {
	parts [256]hashPart
	n     int
}

// hashPart is a table with open addressing and linear probing, of the hashes that
// begin with the same 8 bits.
type hashPart struct {
	slots []hashSlot
	taken int
}

// hashSlot is free while its value is 0.
type hashSlot struct {
	hash  uint64
	value int64
}

func (t *memory) part(hash uint64) *hashPart { return &t.parts[hash>>56] }

// at is the number of a hash, 0 when there is none.
func (t *memory) at(hash uint64) int64 {
	p := t.part(hash)
	if p.taken == 0 {
		return 0
	}
	return p.find(hash).value
}

// raise sets the number of a hash, unless it has a greater one.
func (t *memory) raise(hash uint64, value int64) {
	p := t.part(hash)
	if p.taken >= len(p.slots)/8*7 {
		p.resize(max(16, len(p.slots)/3*4))
	}
	slot := p.find(hash)
	if slot.value == 0 {
		p.taken++
		t.n++
	}
	slot.hash, slot.value = hash, max(slot.value, value)
}

// find returns the slot of a hash, or the one that would be its. The slots are in the
// order of the hashes, but for those that found theirs taken.
func (p *hashPart) find(hash uint64) *hashSlot {
	at, _ := bits.Mul64(hash<<8, uint64(len(p.slots)))
	for i := int(at); ; {
		slot := &p.slots[i]
		if slot.value == 0 || slot.hash == hash {
			return slot
		}
		if i++; i == len(p.slots) {
			i = 0
		}
	}
}

func (p *hashPart) resize(slots int) {
	old := p.slots
	p.slots = make([]hashSlot, slots)
	for _, slot := range old {
		if slot.value != 0 {
			*p.find(slot.hash) = slot
		}
	}
}

// sort puts all entries in the order of their hashes and passes them. Nothing is found again before clear or settle.
func (t *memory) sort(each func(hashSlot)) {
	for i := range t.parts {
		slots := t.parts[i].slots
		slices.SortFunc(slots, func(a, b hashSlot) int { return cmp.Compare(a.hash, b.hash) })
		for _, slot := range slots {
			if slot.value != 0 {
				each(slot)
			}
		}
		runtime.Gosched()
	}
}

// settle puts all entries where they are looked for.
func (t *memory) settle() {
	for i := range t.parts {
		t.parts[i].resize(len(t.parts[i].slots))
	}
}

// clear forgets all entries and keeps the room for others.
func (t *memory) clear() {
	for i := range t.parts {
		clear(t.parts[i].slots)
		t.parts[i].taken = 0
	}
	t.n = 0
}
