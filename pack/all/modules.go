package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// slimFolder is where the modules that are mended for released programs are written, below the root of the repository,
// with a go.mod that takes them: go build -modfile=.packed/go.mod. The tool go looks into no folder whose name begins
// with a point.
const slimFolder = ".packed"

// An edit is text of a file of a module that is replaced by another, once.
type edit struct{ file, old, new string }

// A mend is what is changed in a module so that the linker can leave methods out that nobody calls: it keeps all
// methods of all types once one is called by a name that is not known before the program runs.
type mend struct {
	module string
	edits  []edit
}

var mends = []mend{
	{"github.com/alecthomas/kong", []edit{
		// Hooks have a few names, which can be said.
		{"callbacks.go", "\tmethod := value.MethodByName(name)", "\tmethod := methodNamed(value, name)"},
		{"callbacks.go", "\t\t\tmethod = value.Addr().MethodByName(name)",
			"\t\t\tmethod = methodNamed(value.Addr(), name)"},
		{"callbacks.go", "\t\treturn value.MethodByName(name)", "\t\treturn methodNamed(value, name)"},
		{"callbacks.go", "\t\treturn value.Addr().MethodByName(name)", "\t\treturn methodNamed(value.Addr(), name)"},
		{"callbacks.go", "\tmethod, ok := t.MethodByName(name)", "\tmethod, ok := typeMethodNamed(t, name)"},
		{"callbacks.go", "func getMethod(", namedMethods() + "func getMethod("},
		// Commands provide nothing by methods, and are run by us.
		{"context.go", `				for i := 0; i < p.NumMethod(); i++ {
					methodt := t.Method(i)
					if strings.HasPrefix(methodt.Name, "Provide") {
						method := p.Method(i)
						if err := methodBinds.addProvider(method.Interface(), false /* singleton */); err != nil {
							return fmt.Errorf("%s.%s: %w", t.Name(), methodt.Name, err)
						}
					}
				}
`, "\t\t\t\tpanic(\"kong: this build runs no commands of \" + t.Name())\n"},
	}},
	{"github.com/posener/complete", []edit{
		{"cmd/install/fish.go", "\t\"text/template\"\n", "\t\"strings\"\n"},
		{"cmd/install/fish.go", "template.Must(template.New(\"cmd\").Parse(`",
			"strings.NewReplacer(\"{{.Cmd}}\", params.Cmd, \"{{.Bin}}\", params.Bin).Replace(`"},
		{"cmd/install/fish.go", "`))\n\terr := tmpl.Execute(&buf, params)\n",
			"`)\n\t_, err := buf.WriteString(tmpl)\n"},
	}},
}

// hooks are the methods that kong looks for by name.
var hooks = []string{"Run", "BeforeReset", "BeforeResolve", "BeforeApply", "AfterApply", "AfterRun"}

// namedMethods is source of two functions that find methods with names that the compiler sees.
func namedMethods() string {
	var b strings.Builder
	for _, f := range []struct{ head, call string }{
		{"func methodNamed(v reflect.Value, name string) reflect.Value", "v"},
		{"func typeMethodNamed(t reflect.Type, name string) (reflect.Method, bool)", "t"},
	} {
		b.WriteString(f.head + " {\n\tswitch name {\n")
		for _, name := range hooks {
			fmt.Fprintf(&b, "\tcase %q:\n\t\treturn %s.MethodByName(%q)\n", name, f.call, name)
		}
		b.WriteString("\t}\n\tpanic(\"kong: this build knows no hook \" + name)\n}\n\n")
	}
	return b.String()
}

// writeModules writes copies of the modules, mended, into slimFolder below root, with the go.mod that takes them.
func writeModules(root string) error {
	slim := filepath.Join(root, slimFolder)
	if err := os.RemoveAll(slim); err != nil {
		return err
	}
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return err
	}
	sum, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		return err
	}
	for _, m := range mends {
		folder := filepath.Base(m.module)
		if err := m.write(root, filepath.Join(slim, folder)); err != nil {
			return fmt.Errorf("%s: %w", m.module, err)
		}
		mod = fmt.Appendf(mod, "\nreplace %s => ./%s/%s\n", m.module, slimFolder, folder)
	}
	if err := os.WriteFile(filepath.Join(slim, "go.mod"), mod, 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(slim, "go.sum"), sum, 0o644)
}

// write copies what Go compiles of the module into a folder, and changes it there.
func (m mend) write(root, folder string) error {
	list := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", m.module)
	list.Dir = root
	dir, err := list.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			err = fmt.Errorf("%w: %s", err, exit.Stderr)
		}
		return err
	}
	files := os.DirFS(strings.TrimSpace(string(dir)))
	edits := make(map[string][]edit)
	for _, e := range m.edits {
		edits[e.file] = append(edits[e.file], e)
	}
	err = fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name != "." && strings.HasPrefix(d.Name(), "_") {
				return fs.SkipDir
			}
			return nil
		}
		if name != "go.mod" && (!strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go")) {
			return nil
		}
		data, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		text, err := applied(string(data), edits[name])
		if err != nil {
			return err
		}
		delete(edits, name)
		to := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		return os.WriteFile(to, []byte(text), 0o644)
	})
	if err != nil {
		return err
	}
	for name := range edits {
		return fmt.Errorf("%s: the module has no such file", name)
	}
	return nil
}

// applied is text with the edits; each has to have one place.
func applied(text string, edits []edit) (string, error) {
	for _, e := range edits {
		if n := strings.Count(text, e.old); n != 1 {
			return "", fmt.Errorf("%s: %q stands there %d times, want once: is it another version?", e.file, e.old, n)
		}
		text = strings.Replace(text, e.old, e.new, 1)
	}
	return text, nil
}
