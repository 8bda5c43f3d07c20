package main

import (
	"errors"
	"fmt"
	"strings"
)

// An instruction is one of a Dockerfile: its name in capitals, and the rest of its
// lines, joined.
type instruction struct{ name, rest string }

// instructions reads a Dockerfile as far as ours goes: comments, continued lines, no
// here-documents.
func instructions(dockerfile string) ([]instruction, error) {
	var out []instruction
	var open strings.Builder
	for line := range strings.Lines(dockerfile) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		if before, continued := strings.CutSuffix(line, `\`); continued {
			open.WriteString(before)
			continue
		}
		open.WriteString(line)
		name, rest, _ := strings.Cut(open.String(), " ")
		open.Reset()
		i := instruction{strings.ToUpper(name), strings.TrimSpace(rest)}
		if i.name == "RUN" && strings.Contains(i.rest, "<<") {
			return nil, fmt.Errorf("a here-document cannot be read: %s", i.rest)
		}
		out = append(out, i)
	}
	if open.Len() > 0 {
		return nil, fmt.Errorf("the last line is continued: %s", open.String())
	}
	return out, nil
}

// builds returns the shell command that compiles the program in the image, and the
// defaults of the arguments that it may use, as NAME=value.
func builds(dockerfile string) (command string, args []string, err error) {
	all, err := instructions(dockerfile)
	if err != nil {
		return "", nil, err
	}
	for _, i := range all {
		switch {
		case i.name == "ARG":
			if strings.Contains(i.rest, "=") {
				args = append(args, strings.ReplaceAll(i.rest, `"`, ""))
			}
		case i.name == "RUN" && strings.Contains(i.rest, "go build"):
			return withoutFlags(i.rest), args, nil
		}
	}
	return "", nil, errors.New("no RUN with go build")
}

// withoutFlags takes the flags of RUN itself away: mounts, network, security.
func withoutFlags(run string) string {
	for strings.HasPrefix(run, "--") {
		_, rest, _ := strings.Cut(run, " ")
		run = strings.TrimSpace(rest)
	}
	return run
}
