package catalog

import "math/bits"

// A hashTable holds numbers greater than 0 by hashes, in 16 bytes each and a quarter
// that is free, and looks in one place of the memory for most: among millions of
// entries, which no cache holds, that is what looking costs. It is many small tables,
// so that growing takes room for one of them. The zero hashTable is empty.
type hashTable struct{ parts [256]hashPart }

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

func (t *hashTable) part(hash uint64) *hashPart { return &t.parts[hash>>56] }

// at is the number of a hash, 0 when there is none.
func (t *hashTable) at(hash uint64) int64 {
	p := t.part(hash)
	if p.taken == 0 {
		return 0
	}
	return p.find(hash).value
}

// raise sets the number of a hash, unless it has a greater one.
func (t *hashTable) raise(hash uint64, value int64) {
	p := t.part(hash)
	if p.taken >= len(p.slots)/8*7 {
		p.grow()
	}
	slot := p.find(hash)
	if slot.value == 0 {
		p.taken++
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

func (p *hashPart) grow() {
	old := p.slots
	p.slots = make([]hashSlot, max(16, len(old)/3*4))
	for _, slot := range old {
		if slot.value != 0 {
			*p.find(slot.hash) = slot
		}
	}
}
