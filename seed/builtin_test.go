package seed

import "testing"

func TestBuiltinDataIsConsistent(t *testing.T) {
	dataset, problems := Decode(builtinFiles())
	for _, p := range problems {
		t.Error(p)
	}
	if len(dataset.Cards) == 0 {
		t.Error("no cards")
	}
}
