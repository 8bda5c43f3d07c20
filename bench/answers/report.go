package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A report prints what differs, and counts.
type report struct {
	options
	out       io.Writer
	asked     int
	different int            // answers
	differ    map[string]int // answers by what differs in them, such as "status" and "header Vary"
	wrong     []string       // answers that are not what the list expects
}

// server reports what was asked of one server.
func (r *report) server(name string, pairs []pair) error {
	found := 0
	for _, p := range pairs {
		r.asked++
		if bad := unexpected(p); bad != "" {
			r.wrong = append(r.wrong, bad)
		}
		says := r.rules.compare(p.request, p.before, p.after)
		if p.failed[1] != nil {
			says = []string{"no answer: " + p.failed[1].Error()}
		}
		if len(says) == 0 {
			continue
		}
		found++
		r.different++
		for _, s := range says {
			what, _, _ := strings.Cut(s, ":")
			r.differ[what]++
		}
		if r.different <= r.show {
			fmt.Fprintf(r.out, "%s (line %d)\n  %s\n", p.request, p.request.Line, strings.Join(says, "\n  "))
		}
		if err := keep(r.keep, r.different, p); err != nil {
			return err
		}
	}
	fmt.Fprintf(r.out, "[%s] %d requests, %d answers differ\n", name, len(pairs), found)
	return nil
}

// summary prints the numbers of all servers.
func (r *report) summary(took time.Duration) {
	if more := r.different - r.show; more > 0 {
		fmt.Fprintf(r.out, "%d more answers that differ are not shown (-show)\n", more)
	}
	for _, what := range slices.Sorted(maps.Keys(r.differ)) {
		fmt.Fprintf(r.out, "  %-40s differs in %d answers\n", what, r.differ[what])
	}
	fmt.Fprintf(r.out, "%d requests, %d answers differ, %s\n", r.asked, r.different, took.Round(time.Second))
}

// unexpected says that the first side did not answer with the status of the list: then
// the list is wrong, and compares pages of errors.
func unexpected(p pair) string {
	if p.failed[0] != nil {
		return fmt.Sprintf("line %d: %s: no answer: %v", p.request.Line, p.request, p.failed[0])
	}
	want := "below 400"
	switch got := p.before.Status; {
	case p.request.Status == got, p.request.Status == 0 && got < 400:
		return ""
	case p.request.Status > 0:
		want = fmt.Sprint(p.request.Status)
	}
	return fmt.Sprintf("line %d: %s: got status %d, want %s", p.request.Line, p.request, p.before.Status, want)
}

// keep writes both bodies to a folder.
func keep(folder string, n int, p pair) error {
	if folder == "" {
		return nil
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	name := filepath.Join(folder, fmt.Sprintf("%04d-line-%d", n, p.request.Line))
	return errors.Join(
		os.WriteFile(name+".before", p.before.Body, 0o600),
		os.WriteFile(name+".after", p.after.Body, 0o600))
}
