package pack

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"math/bits"
	"reflect"
	"slices"
)

// EncodeValue writes a value made of structs, slices, maps by text, pointers, texts, numbers and flags, so that
// [DecodeValue] makes an equal one, quickly and with each text once. The same value gives the same bytes. What it
// cannot write is an error: an interface that holds something, or a field that is not exported and not zero.
func EncodeValue(v any) ([]byte, error) {
	value := reflect.ValueOf(v)
	e := valueEncoder{texts: map[string]uint64{}}
	e.out = binary.LittleEndian.AppendUint64(nil, layout(value.Type()))
	err := e.value(value)
	return e.out, err
}

// DecodeValue reads what EncodeValue has written into the value that to points to. It panics on anything else: what is
// read is part of the program, whose build wrote it.
func DecodeValue(data []byte, to any) {
	value := reflect.ValueOf(to).Elem()
	if binary.LittleEndian.Uint64(data) != layout(value.Type()) {
		panic(fmt.Sprintf("pack: a %v had other fields when it was written: run go run ./pack/all", value.Type()))
	}
	d := valueDecoder{in: data[8:]}
	d.value(value)
}

// layout is a hash of what a type is made of, its types and theirs.
func layout(t reflect.Type) uint64 {
	h := fnv.New64a()
	seen := map[reflect.Type]bool{}
	var add func(t reflect.Type)
	add = func(t reflect.Type) {
		fmt.Fprintln(h, t, t.Kind())
		if seen[t] {
			return
		}
		seen[t] = true
		switch t.Kind() {
		case reflect.Struct:
			for f := range t.Fields() {
				fmt.Fprintln(h, f.Name)
				add(f.Type)
			}
		case reflect.Slice, reflect.Pointer, reflect.Map:
			add(t.Elem())
		}
	}
	add(t)
	return h.Sum64()
}

// A struct is the set of its fields that are not zero, then these; a slice or map that is not nil its length and its
// elements; a text its number, or 0 and the text where it is new.
type valueEncoder struct {
	out   []byte
	texts map[string]uint64
}

func (e *valueEncoder) number(n uint64) { e.out = binary.AppendUvarint(e.out, n) }

func (e *valueEncoder) text(s string) {
	if n := e.texts[s]; n > 0 {
		e.number(n)
		return
	}
	e.texts[s] = uint64(len(e.texts)) + 1
	e.number(0)
	e.number(uint64(len(s)))
	e.out = append(e.out, s...)
}

func (e *valueEncoder) value(v reflect.Value) error {
	switch v.Kind() {
	case reflect.String:
		e.text(v.String())
	case reflect.Bool:
		e.number(uint64(btoi(v.Bool())))
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		e.out = binary.AppendVarint(e.out, v.Int())
	case reflect.Float64:
		e.number(bits.ReverseBytes64(math.Float64bits(v.Float()))) // round numbers have zeros at the end
	case reflect.Struct:
		return e.fields(v)
	case reflect.Slice:
		e.number(uint64(v.Len() + btoi(!v.IsNil())))
		for i := range v.Len() {
			if err := e.value(v.Index(i)); err != nil {
				return err
			}
		}
	case reflect.Map:
		return e.entries(v)
	case reflect.Pointer:
		e.number(uint64(btoi(!v.IsNil())))
		if !v.IsNil() {
			return e.value(v.Elem())
		}
	default:
		return fmt.Errorf("a %v cannot be written", v.Type())
	}
	return nil
}

func (e *valueEncoder) fields(v reflect.Value) error {
	if v.NumField() > 64 {
		return fmt.Errorf("%v has %d fields; 64 can be told", v.Type(), v.NumField())
	}
	var set uint64
	for i := range v.NumField() {
		if !v.Field(i).IsZero() {
			set |= 1 << i
		}
	}
	e.number(set)
	for i := range v.NumField() {
		if set>>i&1 == 0 {
			continue
		}
		err := errors.New("it is not exported")
		if v.Type().Field(i).IsExported() {
			err = e.value(v.Field(i))
		}
		if err != nil {
			return fmt.Errorf("%s: %w", v.Type().Field(i).Name, err)
		}
	}
	return nil
}

func (e *valueEncoder) entries(v reflect.Value) error {
	if v.Type().Key().Kind() != reflect.String {
		return fmt.Errorf("a %v cannot be written: its keys are no texts", v.Type())
	}
	e.number(uint64(v.Len() + btoi(!v.IsNil())))
	keys := map[string]reflect.Value{}
	var names []string
	for _, k := range v.MapKeys() {
		keys[k.String()] = k
		names = append(names, k.String())
	}
	slices.Sort(names)
	for _, name := range names {
		e.text(name)
		if err := e.value(v.MapIndex(keys[name])); err != nil {
			return err
		}
	}
	return nil
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

type valueDecoder struct {
	in    []byte
	texts []string
}

func (d *valueDecoder) number() uint64 {
	n, size := binary.Uvarint(d.in)
	d.in = d.in[size:]
	return n
}

func (d *valueDecoder) text() string {
	if n := d.number(); n > 0 {
		return d.texts[n-1]
	}
	n := d.number()
	s := string(d.in[:n])
	d.in = d.in[n:]
	d.texts = append(d.texts, s)
	return s
}

// value reads into v, which is zero.
func (d *valueDecoder) value(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(d.text())
	case reflect.Bool:
		v.SetBool(d.number() == 1)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		n, size := binary.Varint(d.in)
		d.in = d.in[size:]
		v.SetInt(n)
	case reflect.Float64:
		v.SetFloat(math.Float64frombits(bits.ReverseBytes64(d.number())))
	case reflect.Struct:
		for set := d.number(); set != 0; set &= set - 1 {
			d.value(v.Field(bits.TrailingZeros64(set)))
		}
	case reflect.Slice:
		n := int(d.number())
		if n == 0 {
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), n-1, n-1))
		for i := range n - 1 {
			d.value(v.Index(i))
		}
	case reflect.Map:
		n := int(d.number())
		if n == 0 {
			return
		}
		v.Set(reflect.MakeMapWithSize(v.Type(), n-1))
		for range n - 1 {
			key := reflect.ValueOf(d.text()).Convert(v.Type().Key())
			elem := reflect.New(v.Type().Elem()).Elem()
			d.value(elem)
			v.SetMapIndex(key, elem)
		}
	case reflect.Pointer:
		if d.number() == 1 {
			v.Set(reflect.New(v.Type().Elem()))
			d.value(v.Elem())
		}
	}
}
