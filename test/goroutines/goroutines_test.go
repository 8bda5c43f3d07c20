package goroutines

import (
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

func TestTestsThatStartGoroutinesAreFound(t *testing.T) {
	files := fstest.MapFS{
		"p/p.go":     {Data: []byte("package p\nfunc f() { go f() }")},
		"p/group.go": {Data: []byte("package p\nfunc g() { all.Go(g) }")},
		"p/calm.go":  {Data: []byte("package p // go func()\nfunc h() { f() }")},
		"p/p_test.go": {Data: []byte(`package p
			func TestItself(t *testing.T) { t.Run("in a part", func(t *testing.T) { go h() }) }
			func TestByAHelper(t *testing.T) { one(t) }
			func TestByAMethod(t *testing.T) { new(server).ask() }
			func TestByAName(t *testing.T) { run(t, two) }
			func TestMarked(t *testing.T) { slow.Raced(t, "p.go", "group.go") }
			func TestCalm(t *testing.T) { h(); other.Raced(t, "calm.go") }
			func one(t *testing.T) { two(t) }
			func TestMain(m *testing.M) { go h() }`)},
		"p/more_test.go": {Data: []byte(`package p_test
			func two(t *testing.T) { group.Go(func() {}) }
			func (s *server) ask() { go h() }`)},
		"p/testdata/x_test.go": {Data: []byte("package x\nfunc TestElsewhere() { go f() }")},
	}
	got, err := Of(files, "p")
	want := Package{
		Tests: []string{"TestByAHelper", "TestByAMethod", "TestByAName", "TestItself", "TestMarked"},
		Files: []string{"group.go", "p.go"},
		Named: []string{"group.go", "p.go"},
	}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v, -want +got:\n%s", err, diff)
	}
}
