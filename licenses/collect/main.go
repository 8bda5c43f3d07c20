// Collect writes the licences and notices of all that the program is linked from into
// one archive, which package licenses embeds:
//
//	go generate ./licenses
//
// It asks the go command which modules builds for Linux, macOS and Windows need, and
// takes their files from the module cache. A licence that it does not know, or that is
// not among those that were decided on, is an error.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

func main() {
	output := flag.String("o", "", "the file to write; standard output unless given")
	flag.Parse()
	if err := run(*output); err != nil {
		fmt.Fprintln(os.Stderr, "collect:", err)
		os.Exit(1)
	}
}

func run(output string) error {
	root, err := moduleRoot()
	if err != nil {
		return err
	}
	archive, err := collect(root)
	if err != nil {
		return err
	}
	if output == "" {
		_, err = os.Stdout.Write(archive)
		return err
	}
	return os.WriteFile(output, archive, 0o644)
}

// moduleRoot returns the folder of go.mod.
func moduleRoot() (string, error) {
	out, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		return "", fmt.Errorf("go env GOMOD: %w", err)
	}
	return filepath.Dir(strings.TrimSpace(string(out))), nil
}
