// Image checks what the container image is built from, without a container: it copies
// the files that .dockerignore admits into an empty folder and runs there the command
// that the Dockerfile compiles the program with. run.sh beside it builds and starts the
// image itself.
//
//	go run ./test/image             from the root of the repository (make context)
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
	flag.Parse()
	if err := run(os.DirFS("."), *list); err != nil {
		fmt.Fprintln(os.Stderr, "image:", err)
		os.Exit(1)
	}
}

func run(repository fs.FS, list bool) error {
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
	return build(folder, command, args)
}

// checked is the version that the program is told to have.
const checked = "0.0.0-check"

// build runs the command in folder/src with folder/out in the place of /out, and then
// the program that it has made.
func build(folder, command string, args []string) error {
	out := filepath.Join(folder, "out")
	moved := strings.ReplaceAll(command, "/out", out)
	if moved == command {
		return errors.New("the build command writes nothing to /out")
	}
	sh := exec.Command("sh", "-euc", moved)
	sh.Dir = filepath.Join(folder, "src")
	sh.Env = append(append(os.Environ(), args...), "VERSION="+checked)
	sh.Stdout, sh.Stderr = os.Stdout, os.Stderr
	if err := os.Mkdir(out, 0o755); err != nil {
		return err
	}
	if err := sh.Run(); err != nil {
		return fmt.Errorf("%s: %w", command, err)
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
