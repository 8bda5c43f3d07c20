// Image checks what the container image is built from, without a container: it copies
// the files that .dockerignore admits into an empty folder and runs there the command
// that the Dockerfile compiles the program with. run.sh beside it builds and starts the
// image itself.
//
//	go run ./test/image             from the root of the repository (make context)
//	go run ./test/image -resolve    has it say what it would compile, which takes seconds (make admitted)
//	go run ./test/image -list       prints the admitted files instead
package main

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

func main() {
	list := flag.Bool("list", false, "print the files that .dockerignore admits, and build nothing")
	resolve := flag.Bool("resolve", false, "find all that is compiled and embedded, and compile nothing")
	flag.Parse()
	if err := run(os.DirFS("."), *list, *resolve); err != nil {
		fmt.Fprintln(os.Stderr, "image:", err)
		os.Exit(1)
	}
}

func run(repository fs.FS, list, resolve bool) error {
	files, err := admitted(repository)
	if err != nil {
		return err
	}
	if list {
		for _, name := range files {
			fmt.Println(name)
		}
		return nil
	}
	dockerfile, err := fs.ReadFile(repository, "Dockerfile")
	if err != nil {
		return err
	}
	command, args, err := builds(string(dockerfile))
	if err != nil {
		return fmt.Errorf("the Dockerfile: %w", err)
	}
	folder, err := os.MkdirTemp("", "tianti-image-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	if err := copyTo(filepath.Join(folder, "src"), repository, files); err != nil {
		return err
	}
	if resolve {
		return finds(folder, command, args)
	}
	return build(folder, command, args)
}

// checked is the version that the program is told to have.
const checked = "0.0.0-check"

// build runs the command in folder/src with folder/out in the place of /out, and then
// the program that it has made.
func build(folder, command string, args []string) error {
	out := filepath.Join(folder, "out")
	if said, err := shell(folder, command, args); err != nil {
		return fmt.Errorf("%s: %w\n%s", command, err, said)
	}
	version, err := exec.Command(filepath.Join(out, "tianti"), "version").CombinedOutput()
	if err != nil {
		return fmt.Errorf("tianti version: %w: %s", err, version)
	}
	if want := "tianti " + checked + " "; !strings.HasPrefix(string(version), want) {
		return fmt.Errorf("tianti version: got %q, want %q…: the Dockerfile does not pass VERSION on", version, want)
	}
	return nil
}

// finds runs the command as build does, but go build only looks for all that it would compile and embed.
func finds(folder, command string, args []string) error {
	dry := strings.Replace(command, "go build ", "go build -n ", 1)
	said, err := shell(folder, dry, args)
	if err != nil {
		const most = 4000 // the last lines say what is missing
		return fmt.Errorf("%s: %w\n%s", dry, err, said[max(0, len(said)-most):])
	}
	if !strings.Contains(string(said), "/link ") {
		return fmt.Errorf("%s would link nothing", dry)
	}
	return nil
}

// shell runs a command in folder/src with folder/out in the place of /out, and returns what it printed.
func shell(folder, command string, args []string) ([]byte, error) {
	out := filepath.Join(folder, "out")
	moved := strings.ReplaceAll(command, "/out", out)
	if moved == command {
		return nil, errors.New("the build command writes nothing to /out")
	}
	if err := os.Mkdir(out, 0o755); err != nil {
		return nil, err
	}
	sh := exec.Command("sh", "-euc", moved)
	sh.Dir = filepath.Join(folder, "src")
	sh.Env = append(append(os.Environ(), args...), "VERSION="+checked)
	return sh.CombinedOutput()
}
