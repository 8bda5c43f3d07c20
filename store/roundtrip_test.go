package store

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"tianti/catalog"
)

func TestImportedDatasetReadsBackUnchanged(t *testing.T) {
	s := newStore(t)
	for _, want := range []catalog.Dataset{sample(), synthetic(2*chunkCards+1, 6)} {
		rev := importTest(t, s, want)
		got, err := s.Read(context.Background(), rev.Number)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s changed on its way (-want +got):\n%s", want.ID, diff)
		}
	}
}
