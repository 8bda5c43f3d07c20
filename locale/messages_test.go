package locale

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func catalogues(t *testing.T) (en, zh map[string]text) {
	t.Helper()
	en, err := readMessages("en")
	if err != nil {
		t.Fatal(err)
	}
	zh, err = readMessages("zh")
	if err != nil {
		t.Fatal(err)
	}
	return en, zh
}

func keys(messages map[string]text) []string {
	var list []string
	for key := range messages {
		list = append(list, key)
	}
	slices.Sort(list)
	return list
}

func TestLanguagesHaveTheSameKeys(t *testing.T) {
	en, zh := catalogues(t)
	if diff := cmp.Diff(keys(en), keys(zh)); diff != "" {
		t.Errorf("keys of -en and +zh differ:\n%s", diff)
	}
}

func TestLanguagesHaveTheSamePlaceholders(t *testing.T) {
	en, zh := catalogues(t)
	for key, e := range en {
		if diff := cmp.Diff(arguments(e.other), arguments(zh[key].other)); diff != "" {
			t.Errorf("%s: placeholders of -en and +zh differ:\n%s", key, diff)
		}
		for _, p := range arguments(e.one) {
			if !slices.Contains(arguments(e.other), p) {
				t.Errorf("%s: the form for one has %s, the form for others has not", key, p)
			}
		}
	}
}

// arguments are the placeholders of a text with their number: "1d", "2s".
func arguments(s string) []string {
	list := []string{}
	for i, p := range placeholder.FindAllString(s, -1) {
		number := strconv.Itoa(i + 1)
		if strings.Contains(p, "[") {
			number = strings.Trim(p[:strings.Index(p, "]")], "%[")
		}
		list = append(list, number+p[len(p)-1:])
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// joints are the messages that stand between others and bring their own space.
var joints = []string{"colon", "comma", "semicolon", "list.separator", "list.clauses", "compare.versus",
	"param.allowed", "param.nearest"}

func TestMessagesAreNotEmpty(t *testing.T) {
	en, zh := catalogues(t)
	for _, messages := range []map[string]text{en, zh} {
		for key, m := range messages {
			if strings.TrimSpace(m.other) == "" || m.other != strings.TrimSpace(m.other) &&
				!slices.Contains(joints, key) {
				t.Errorf("%s: %q is empty or has space around it", key, m.other)
			}
		}
	}
}

// TestMessagesAndSourcesAgree finds messages that no source names, and keys in
// sources that have no message. A literal that ends with a dot names all keys
// that start with it: T("sourcekind." + kind).
func TestMessagesAndSourcesAgree(t *testing.T) {
	en, _ := catalogues(t)
	literals := sourceLiterals(t)
	for key := range en {
		if !named(key, literals) {
			t.Errorf("%s: no source uses this message", key)
		}
	}
	sections := map[string]bool{}
	for key := range en {
		section, _, _ := strings.Cut(key, ".")
		sections[section] = true
	}
	for _, call := range messageCalls(t) {
		section, _, _ := strings.Cut(call, ".")
		if _, ok := en[call]; !ok && sections[section] && !strings.HasSuffix(call, ".") {
			t.Errorf("T(%q): there is no such message", call)
		}
	}
}

func named(key string, literals map[string]bool) bool {
	if literals[key] {
		return true
	}
	for i := range key {
		if key[i] == '.' && literals[key[:i+1]] {
			return true
		}
	}
	return false
}

// sourceLiterals are the string literals of all Go files of the module but
// tests; generated code of templates is Go too.
func sourceLiterals(t *testing.T) map[string]bool {
	literals := map[string]bool{}
	inspectSources(t, func(n ast.Node) {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			if s, err := strconv.Unquote(lit.Value); err == nil {
				literals[s] = true
			}
		}
	})
	return literals
}

// messageCalls are the keys that methods called T are given as literals.
func messageCalls(t *testing.T) []string {
	var found []string
	inspectSources(t, func(n ast.Node) {
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) == 0 {
			return
		}
		method, ok := call.Fun.(*ast.SelectorExpr)
		lit, isLit := call.Args[0].(*ast.BasicLit)
		if ok && isLit && method.Sel.Name == "T" && lit.Kind == token.STRING {
			if s, err := strconv.Unquote(lit.Value); err == nil {
				found = append(found, s)
			}
		}
	})
	if len(found) == 0 {
		t.Fatal("no call of T found: the test looks in the wrong place")
	}
	return found
}

func inspectSources(t *testing.T, visit func(ast.Node)) {
	t.Helper()
	files := token.NewFileSet()
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "node_modules" || d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") &&
			path != "..") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		source, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(files, path, source, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			visit(n)
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

var (
	code = regexp.MustCompile("`[^`]*`")
	// han directly beside a Latin letter or a digit, in either order.
	touching = regexp.MustCompile(`\p{Han}[A-Za-z0-9%]|[A-Za-z0-9]\p{Han}`)
	// half-width punctuation beside han, or a space beside full-width punctuation.
	halfWidth = regexp.MustCompile(`\p{Han}[,.;:!?()]|[,;:!?()]\p{Han}|[，。；：！？、（）] | [，。；：！？、（）]`)
	// ascii quotation marks in Chinese prose.
	quotes = regexp.MustCompile(`["']`)
)

func TestChineseIsSetWithSpacesAndFullWidthPunctuation(t *testing.T) {
	_, zh := catalogues(t)
	for key, m := range zh {
		prose := code.ReplaceAllString(m.other, " 0 ")
		prose = placeholder.ReplaceAllString(prose, "0")
		for _, rule := range []*regexp.Regexp{touching, quotes} {
			if found := rule.FindString(prose); found != "" {
				t.Errorf("%s: %q in %q", key, found, m.other)
			}
		}
		if found := halfWidth.FindString(strings.ReplaceAll(prose, " 0 ", "0")); found != "" {
			t.Errorf("%s: %q in %q", key, found, m.other)
		}
	}
}

func TestChineseRulesFindWhatTheyAreFor(t *testing.T) {
	for _, bad := range []string{"显存80 GB", "80GB显存", "共%d张"} {
		if !touching.MatchString(placeholder.ReplaceAllString(bad, "0")) {
			t.Errorf("%q passes, want it refused", bad)
		}
	}
	for _, bad := range []string{"显存,带宽", "卡(GPU)", "（稠密） ，", "带宽."} {
		if !halfWidth.MatchString(bad) {
			t.Errorf("%q passes, want it refused", bad)
		}
	}
}
