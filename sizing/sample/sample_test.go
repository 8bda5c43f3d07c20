package sample_test

import (
	"testing"
	"testing/fstest"

	"tianti/sizing/sample"
)

func TestFewKeepsTheHeaderAndOneOfSoMany(t *testing.T) {
	files := sample.Few(fstest.MapFS{
		"speed.csv":  {Data: []byte("id,notes\na,\"x\ny\"\nb,\nc,\nd,\n")},
		"models.csv": {Data: []byte("id\na\nb\n")},
	}, 3).(fstest.MapFS)
	if s := string(files["speed.csv"].Data); s != "id,notes\na,\"x\ny\"\nd,\n" {
		t.Errorf("cases: %q", s)
	}
	if s := string(files["models.csv"].Data); s != "id\na\nb\n" {
		t.Errorf("models: %q", s)
	}
}
