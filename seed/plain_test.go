package seed

import (
	"reflect"
	"strings"
	"testing"
)

func TestBuiltinIsReadAsAllYAMLIs(t *testing.T) {
	fast, problems := decodeWhole(builtinFiles(), parseBuiltin)
	if len(problems) > 0 {
		t.Fatal(problems[0])
	}
	want, _ := Decode(builtinFiles())
	if len(fast.Cards) != len(want.Cards) {
		t.Fatalf("got %d cards, want %d", len(fast.Cards), len(want.Cards))
	}
	for i := range want.Cards {
		if !reflect.DeepEqual(fast.Cards[i], want.Cards[i]) {
			t.Fatalf("got %+v, want %+v", fast.Cards[i], want.Cards[i])
		}
	}
	if !reflect.DeepEqual(fast, want) {
		t.Error("the two differ in what is not of cards")
	}
	for _, f := range builtinFiles() {
		if strings.HasSuffix(f.Name, ".yaml") && parsePlain(string(f.Data)) == nil {
			t.Errorf("%s is not plain: it is read by the slow parser", f.Name)
		}
	}
}

func TestPlainGivesUpAtWhatItDoesNotKnow(t *testing.T) {
	for _, text := range []string{
		"", "# nothing\n", "a\n", "a:\n", "a: b\n---\nc: d\n", "a: &b c\n", "a: *b\n", "a: !t b\n",
		"a: |\n  b\n", "a: >\n  b\n",
		"a: b\n  c\n", "a: b: c\n", "a: \"b\\n\"\n", "a: 'b''c'\n", "a: \"b\n", "a: \"b\"c\n", "a: {b: c\n",
		"a: {b}\n", "a: {b: }\n",
		"a: [b, {c: d]\n", "a: [b: c]\n", "a: [b] c\n", "a: [b}\n", "a: ~\n", "a: .inf\n", "a: 0x10\n", "- - a\n",
		"- \n", "- a: b\n   c: d\n",
		"a:\n  b: c\n d: e\n", "a: b\n\tc: d\n", "? a\n", "{a: b}: c\n", "a: b\r\n", "a:\n- b: c\n  - d\n", "<<: a\n",
	} {
		if n := parsePlain(text); n != nil {
			t.Errorf("%q: got %s, want none", text, n)
		}
	}
}
