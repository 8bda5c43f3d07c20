//go:build linux && (amd64 || arm64) && !nonvml

package nvml

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"tianti/cmd/tianti/internal/nvml/nvmltest"
)

func TestDeclarationsAreThoseOfTheHeader(t *testing.T) {
	for _, h := range []struct {
		name   string
		folder func(testing.TB) string
	}{{"of the stand-in", nvmltest.Header}, {"of NVIDIA", nvmltest.NVIDIAHeader}} {
		t.Run(h.name, func(t *testing.T) {
			if err := nvmltest.Check(t, h.folder(t), checks(t, declarations(t))); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestWrongDeclarationsAreNoticed changes the declarations in the ways that a reading
// would be wrong by, or the process die of.
func TestWrongDeclarationsAreNoticed(t *testing.T) {
	folder := nvmltest.Header(t)
	for _, tc := range []struct{ name, is, becomes, says string }{
		{"fields exchanged", "total, reserved, free, used uint64", "total, free, reserved, used uint64",
			"offsetof(nvmlMemory_v2_t, free) == 16"},
		{"field missing", "domain, bus, device uint32", "domain, bus uint32", "sizeof(nvmlPciInfo_t) == 64"},
		{"field too wide", "temperature int32", "temperature int64", "sizeof(nvmlTemperature_t) == 16"},
		{"number of another kind", "value      float64", "value      uint64",
			"((nvmlGpmMetric_t *)0)->value is unsigned long long"},
		{"array too short", "gpmMax                   = 333", "gpmMax                   = 98",
			"NVML_GPM_METRIC_MAX == 98"},
		{"version", "| 2<<24", "| 1<<24", "nvmlMemory_v2 == 16777256"},
		{"value", "fieldPCIeSent          uint32 = 197", "fieldPCIeSent          uint32 = 198",
			"NVML_FI_DEV_PCIE_COUNT_TX_BYTES == 198"},
		{"argument too narrow", "EnergyConsumption      get64", "EnergyConsumption      get32",
			"nvmlDeviceGetTotalEnergyConsumption is nvmlReturn_t(nvmlDevice_t, unsigned int *)"},
		{"argument missing", "func(eventSet, *eventData, uint32) status", "func(eventSet, *eventData) status",
			"nvmlEventSetWait_v2 is nvmlReturn_t(nvmlEventSet_t, nvmlEventData_t *)"},
		{"struct of another version", "count *uint32, to *processV1", "count *uint32, to *processV2",
			"nvmlDeviceGetComputeRunningProcesses is "},
		{"older name of another function", `else:"EventSetWait"`, `else:"EventSetFree"`, "nvmlEventSetFree is "},
		{"name that does not exist", "DeviceGetFanSpeed ", "DeviceGetFanSpeeds ", "nvmlDeviceGetFanSpeeds"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			text := declarations(t)
			changed := strings.Replace(text, tc.is, tc.becomes, 1)
			if changed == text {
				t.Fatalf("header.go has no %q", tc.is)
			}
			err := nvmltest.Check(t, folder, checks(t, changed))
			if err == nil || !strings.Contains(err.Error(), tc.says) {
				t.Errorf("%q for %q: got %v, want an error with %q", tc.becomes, tc.is, err, tc.says)
			}
		})
	}
}

func declarations(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("header.go")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// A translation has declarations in Go and their names in C.
type translation struct {
	sizes types.Sizes
	names map[*types.TypeName]string
	out   strings.Builder
}

// checks writes a program in C that compiles where the declarations of header.go are
// those of nvml.h.
func checks(t *testing.T, text string) string {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "header.go", text, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	tr := &translation{sizes: types.SizesFor("gc", runtime.GOARCH), names: map[*types.TypeName]string{}}
	config := types.Config{Importer: only{}, Sizes: tr.sizes}
	info := types.Info{Defs: map[*ast.Ident]types.Object{}}
	if _, err := config.Check("nvml", fset, []*ast.File{file}, &info); err != nil {
		t.Fatal(err)
	}
	tr.out.WriteString("#include <stddef.h>\n#include \"nvml.h\"\n")
	tr.check("sizeof(unsigned int) == 4 && sizeof(unsigned long long) == 8 && sizeof(void *) == 8")
	named := 0
	for ident, object := range info.Defs {
		switch object := object.(type) {
		case *types.TypeName:
			if _, kind := object.Type().Underlying().(*types.Signature); !kind && object.Name() != "functions" {
				tr.names[object] = nameInC(t, fset, file, ident)
			}
		case *types.Const:
			value, _ := constant.Int64Val(constant.ToInt(object.Val()))
			tr.check(fmt.Sprintf("%s == %d", nameInC(t, fset, file, ident), value))
			named++
		}
	}
	if len(tr.names) < 20 || named < 60 {
		t.Fatalf("header.go: got only %d types and %d constants", len(tr.names), named)
	}
	for object, name := range tr.names {
		tr.layout(t, object, name)
	}
	for ident, object := range info.Defs {
		if object, ok := object.(*types.TypeName); ok && ident.Name == "functions" {
			tr.signatures(t, object.Type().Underlying().(*types.Struct))
		}
	}
	return tr.out.String()
}

// nameInC is the comment at the end of the line of a declaration.
func nameInC(t *testing.T, fset *token.FileSet, file *ast.File, ident *ast.Ident) string {
	t.Helper()
	line := fset.Position(ident.Pos()).Line
	for _, group := range file.Comments {
		for _, c := range group.List {
			if fset.Position(c.Pos()).Line == line {
				return strings.TrimSpace(strings.TrimPrefix(c.Text, "//"))
			}
		}
	}
	t.Fatalf("header.go: %s has no name in C", ident.Name)
	return ""
}

func (tr *translation) check(condition string) {
	fmt.Fprintf(&tr.out, "_Static_assert(%s, %q);\n", condition, condition)
}

// layout compares the size of a type and, of a struct, where its fields are.
func (tr *translation) layout(t *testing.T, object *types.TypeName, name string) {
	t.Helper()
	tr.check(fmt.Sprintf("sizeof(%s) == %d", name, tr.sizes.Sizeof(object.Type())))
	s, ok := object.Type().Underlying().(*types.Struct)
	if !ok {
		return
	}
	var fields []*types.Var
	for f := range s.Fields() {
		fields = append(fields, f)
	}
	if first := fields[0]; first.Name() != "_" || first.Type().String() != "structs.HostLayout" {
		t.Errorf("%s: its first field is %s, want structs.HostLayout", object.Name(), first)
	}
	for i, offset := range tr.sizes.Offsetsof(fields) {
		if f := fields[i]; f.Name() != "_" {
			tr.check(fmt.Sprintf("offsetof(%s, %s) == %d", name, f.Name(), offset))
			tr.check(fmt.Sprintf("sizeof(((%s *)0)->%s) == %d", name, f.Name(), tr.sizes.Sizeof(f.Type())))
			if c := tr.typeInC(f.Type()); c != "" {
				tr.checkType(fmt.Sprintf("((%s *)0)->%s", name, f.Name()), c)
			}
		}
	}
}

// signatures compares types of functions.
func (tr *translation) signatures(t *testing.T, functions *types.Struct) {
	t.Helper()
	if functions.NumFields() < 40 {
		t.Fatalf("header.go: got only %d functions", functions.NumFields())
	}
	for i := range functions.NumFields() {
		f := functions.Field(i)
		signature := f.Type().Underlying().(*types.Signature)
		var arguments []string
		for p := range signature.Params().Variables() {
			c := tr.typeInC(p.Type())
			if c == "" {
				t.Fatalf("header.go: %s: no type in C is known for %s", f.Name(), p.Type())
			}
			arguments = append(arguments, c)
		}
		result := tr.typeInC(signature.Results().At(0).Type())
		older := strings.Fields(reflect.StructTag(functions.Tag(i)).Get("else"))
		for _, name := range append([]string{f.Name()}, older...) {
			tr.checkType("nvml"+name, fmt.Sprintf("%s(%s)", result, cmp.Or(strings.Join(arguments, ", "), "void")))
		}
	}
}

// checkType compares the type of an expression.
func (tr *translation) checkType(expression, c string) {
	fmt.Fprintf(&tr.out, "_Static_assert(__builtin_types_compatible_p(__typeof__(%s), %s), \"%s is %s\");\n",
		expression, c, expression, c)
}

// typeInC is the type's name in C; "" where there is none: an address, or an array.
func (tr *translation) typeInC(of types.Type) string {
	switch of := of.(type) {
	case *types.Pointer:
		if c := tr.typeInC(of.Elem()); c != "" {
			return c + " *"
		}
	case *types.Named:
		return tr.names[of.Obj()]
	case *types.Basic:
		return map[types.BasicKind]string{
			types.Byte: "char", types.Int32: "int", types.Uint32: "unsigned int", types.Float64: "double",
			types.Int64: "long long", types.Uint64: "unsigned long long",
		}[of.Kind()]
	}
	return ""
}

// only imports what header.go does.
type only struct{}

func (only) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	if path != "structs" {
		return nil, fmt.Errorf("header.go imports %s: want declarations only", path)
	}
	p := types.NewPackage(path, path)
	layout := types.NewTypeName(token.NoPos, p, "HostLayout", nil)
	types.NewNamed(layout, types.NewStruct(nil, nil), nil)
	p.Scope().Insert(layout)
	p.MarkComplete()
	return p, nil
}
