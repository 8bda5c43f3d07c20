package pack_test

import (
	"bytes"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"tianti/pack"
)

type (
	code string
	leaf struct {
		Name  string
		Place struct{ Line, Column int }
	}
	tree struct {
		Code   code
		Number float64
		Count  int64
		Small  int8
		On     bool
		Leaf   *leaf
		Leaves []*leaf
		Names  []string
		By     map[code]leaf
		Any    fmt.Stringer
		hidden int
	}
)

func TestValuesComeBackAsTheyWere(t *testing.T) {
	for _, want := range []tree{
		{},
		{Code: "a", Number: 0.1, Count: math.MinInt64, Small: -1, On: true, Leaf: &leaf{Name: "天梯"}},
		{Number: math.Inf(-1), Count: math.MaxInt64, Leaves: []*leaf{nil, {}, {Name: "a"}},
			Names: []string{"", "a", ""}},
		{Number: -1e-300, Names: []string{}, By: map[code]leaf{}},
		{By: map[code]leaf{"b": {Name: "b"}, "": {}, "a": {Name: "b"}}},
	} {
		data, err := pack.EncodeValue(want)
		if err != nil {
			t.Fatal(err)
		}
		again, err := pack.EncodeValue(want)
		if err != nil || !bytes.Equal(data, again) {
			t.Errorf("%+v: got other bytes the second time (%v), want the same", want, err)
		}
		var got tree
		pack.DecodeValue(data, &got)
		if !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
}

func TestWhatCannotBeWrittenIsAnError(t *testing.T) {
	for want, v := range map[string]any{
		"Any: a fmt.Stringer cannot be written": tree{Any: reflect.ValueOf(1)},
		"hidden: it is not exported":            tree{hidden: 1},
		"its keys are no texts":                 map[int]string{1: "a"},
		"a func() cannot be written":            []func(){nil},
	} {
		if _, err := pack.EncodeValue(v); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got error %v, want %s", err, want)
		}
	}
}

func TestAnArchiveOfOtherFieldsIsNotRead(t *testing.T) {
	data, err := pack.EncodeValue([]struct{ Width int }{{1}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if said := fmt.Sprint(recover()); !strings.Contains(said, "go run ./pack/all") {
			t.Errorf("got %q, want what to run", said)
		}
	}()
	pack.DecodeValue(data, &[]struct{ Height int }{})
}
