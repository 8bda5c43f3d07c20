package seed

import (
	"bytes"
	"reflect"
	"testing"

	"tianti/catalog"
	"tianti/pack"
)

func TestWhatIsPackedIsWhatTheFilesSay(t *testing.T) {
	files, err := Packed()
	if err != nil {
		t.Fatal(err)
	}
	var got catalog.Dataset
	pack.DecodeValue(files[datasetFile], &got)
	want, err := readBuiltin()
	if err != nil {
		t.Fatal(err)
	}
	if len(want.Cards) < 400 || !reflect.DeepEqual(got, want) {
		t.Errorf("got other data than the files of %d cards hold", len(want.Cards))
	}
	if len(files["sizing/models.csv"]) == 0 {
		t.Error("got no tables for sizing")
	}
	again, err := Packed()
	if err != nil || !bytes.Equal(files[datasetFile], again[datasetFile]) {
		t.Errorf("got other bytes the second time (%v), want the same", err)
	}
}

func BenchmarkBuiltin(b *testing.B) {
	files, err := Packed()
	if err != nil {
		b.Fatal(err)
	}
	b.Run("files", func(b *testing.B) {
		for b.Loop() {
			if _, err := readBuiltin(); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("packed", func(b *testing.B) {
		for b.Loop() {
			var d catalog.Dataset
			pack.DecodeValue(files[datasetFile], &d)
		}
	})
}
