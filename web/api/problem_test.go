package api

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"tianti/catalog"
)

// Each reason why a parameter is not taken has a sentence.
func TestEachCodeOfAParameterIsExplained(t *testing.T) {
	source, err := os.ReadFile("../../catalog/query.go")
	if err != nil {
		t.Fatal(err)
	}
	codes := regexp.MustCompile(`ParamCode = "(\w+)"`).FindAllStringSubmatch(string(source), -1)
	if len(codes) < 30 {
		t.Fatalf("%d codes in catalog/query.go", len(codes))
	}
	for _, code := range codes {
		s := explain(catalog.ParamError{Param: "card", Code: catalog.ParamCode(code[1])})
		if strings.Contains(s, "%!") || !strings.Contains(s, `"card"`) {
			t.Errorf("%s: %s", code[1], s)
		}
	}
}
