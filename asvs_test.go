package tianti_test

import (
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// asvsRow is a line of a table of docs/asvs.md: number, level, what it asks for, state, how or why not.
var asvsRow = regexp.MustCompile(`(?m)^\| (\d+\.\d+\.\d+) \| ([12]) \| ([^|]+) \| ([^|]+) \| (.+) \|$`)

var (
	namedTest  = regexp.MustCompile("`((?:Test|Fuzz)[A-Z][A-Za-z0-9]+)`")
	testOfFile = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)[A-Za-z0-9]+)\(`)
	tableTotal = regexp.MustCompile(`(?m)^\| level[^|]*of (\d+) \| (\d+) \| (\d+) \| (\d+) \|$`)
)

// TestTheTableOfASVSIsWhole: docs/asvs.md has every requirement of levels 1 and 2 once, in order; what is met names
// tests that exist, what is not has a reason.
func TestTheTableOfASVSIsWhole(t *testing.T) {
	doc, err := os.ReadFile("docs/asvs.md")
	if err != nil {
		t.Fatal(err)
	}
	numbers, err := os.ReadFile("testdata/asvs-5.0.0.txt")
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]bool{}
	err = eachGoFile(os.DirFS("."), func(name string) error {
		if !strings.HasSuffix(name, "_test.go") {
			return nil
		}
		text, err := fs.ReadFile(os.DirFS("."), name)
		for _, m := range testOfFile.FindAllStringSubmatch(string(text), -1) {
			tests[m[1]] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	count := map[string][2]int{} // by state, of level 1 and of both
	for _, m := range asvsRow.FindAllStringSubmatch(string(doc), -1) {
		number, level, state, how := m[1], m[2], m[4], m[5]
		fmt.Fprintf(&got, "%s %s\n", number, level)
		n := count[state]
		n[1]++
		if level == "1" {
			n[0]++
		}
		count[state] = n
		named := namedTest.FindAllStringSubmatch(how, -1)
		switch state {
		case "met":
			if len(named) == 0 {
				t.Errorf("%s is met and names no test", number)
			}
		case "none here", "refused":
			if len(strings.Fields(namedTest.ReplaceAllString(how, ""))) < 4 {
				t.Errorf("%s is %s without a reason", number, state)
			}
		default:
			t.Errorf("%s: got the state %q", number, state)
		}
		for _, name := range named {
			if !tests[name[1]] {
				t.Errorf("%s names %s, and there is no such test", number, name[1])
			}
		}
	}
	if got.String() != string(numbers) {
		t.Error("docs/asvs.md has other requirements, or in another order, than testdata/asvs-5.0.0.txt")
	}
	totals := tableTotal.FindAllStringSubmatch(string(doc), -1)
	if len(totals) != 2 {
		t.Fatalf("got %d lines of totals, want 2", len(totals))
	}
	for i, m := range totals {
		all := 0
		for j, state := range []string{"met", "none here", "refused"} {
			n := count[state][i]
			all += n
			if m[2+j] != strconv.Itoa(n) {
				t.Errorf("%s, %s: got %s in the table, want %d", strings.Fields(m[0])[1], state, m[2+j], n)
			}
		}
		if m[1] != strconv.Itoa(all) {
			t.Errorf("got %s requirements, want %d", m[1], all)
		}
	}
}
