// Answers compares what two builds of Tianti answer: status, headers and bodies of many
// addresses, which cover every route. It is for changes that must not be seen from
// outside.
//
//	go run ./bench/answers -before /tmp/tianti-old                  against this tree
//	go run ./bench/answers -before /tmp/tianti-old -after /tmp/tianti-new
//	go run ./bench/answers -before /tmp/tianti-old -record /tmp/old  keep the answers of one
//	go run ./bench/answers -against /tmp/old                         and compare later, on the same day
//
// Each heading of the list (addresses.txt) is a server of its own, with a new database.
// It ends with status 1 when answers differ.
package main

import (
	"embed"
	"errors"
	"flag"
	"fmt"
	"os"
	"path"
	"regexp"

	"tianti/bench/answers/list"
	"tianti/bench/process"
)

//go:embed addresses.txt
var addresses string

//go:embed testdata
var files embed.FS

// file is one that requests send, or that servers read.
func file(name string) []byte {
	text, err := files.ReadFile(path.Join("testdata", name))
	if err != nil {
		panic(err) // the list names files that are there, see the tests
	}
	return text
}

// options are what the command line says.
type options struct {
	before, after   string // programs
	record, against string // folders
	keep            string // folder for bodies that differ; empty: they are not kept
	list            string // file; empty: ours
	only            *regexp.Regexp
	workers         int
	show            int // differences that are printed
	routes          bool
	rules           rules
}

func main() {
	o, only := options{}, ""
	flag.StringVar(&o.before, "before", "", "program to compare with")
	flag.StringVar(&o.after, "after", "", "program to compare; built from ./cmd/tianti unless given")
	flag.StringVar(&o.record, "record", "", "folder to write the answers of -before to, instead of comparing")
	flag.StringVar(&o.against, "against", "", "folder with recorded answers, instead of -before")
	flag.StringVar(&o.keep, "keep", "", "folder to write both bodies to where answers differ")
	flag.StringVar(&o.list, "list", "", "file with other addresses")
	flag.StringVar(&only, "only", "", "regular expression of requests to make, such as \"GET /zh/plot\" or \"live\"")
	flag.IntVar(&o.workers, "workers", 3, "requests at once, of servers that nothing changes")
	flag.IntVar(&o.show, "show", 100, "answers that differ to print; the others are counted")
	flag.BoolVar(&o.routes, "routes", false, "print the routes that answered, with the statuses")
	flag.BoolVar(&o.rules.static, "static", false, "files for browsers and their names may differ")
	flag.BoolVar(&o.rules.etags, "etag", true, "compare ETags")
	flag.Parse()
	differ, err := compareAll(o, only)
	if err != nil {
		fmt.Fprintln(os.Stderr, "answers:", err)
		os.Exit(2)
	}
	if differ {
		os.Exit(1)
	}
}

// compareAll does what the command line says; differ reports whether answers do.
func compareAll(o options, only string) (differ bool, err error) {
	switch {
	case o.before == "" && o.against == "":
		return false, errors.New("-before or -against says what to compare with")
	case o.before != "" && o.against != "":
		return false, errors.New("-before and -against are the same side: leave one out")
	case o.record != "" && (o.after != "" || o.before == ""):
		return false, errors.New("-record keeps the answers of -before, and takes no -after")
	}
	if o.only, err = regexp.Compile(only); err != nil {
		return false, err
	}
	requests, err := chosen(o)
	if err != nil {
		return false, err
	}
	if o.record != "" {
		return false, recordAll(o, requests)
	}
	err = process.InFolder(o.after, func(_, program string) error {
		o.after = program
		differ, err = runAll(o, requests)
		return err
	})
	return differ, err
}

// chosen reads the list and leaves out what -only does not name. Of servers where one
// request changes what the next finds, all or nothing is asked.
func chosen(o options) ([]list.Request, error) {
	text := addresses
	if o.list != "" {
		other, err := os.ReadFile(o.list)
		if err != nil {
			return nil, err
		}
		text = string(other)
	}
	all, err := list.Parse(text)
	if err != nil {
		return nil, err
	}
	named := map[string]bool{}
	for _, r := range all {
		if o.only.MatchString(r.String()) {
			named[r.Server] = true
		}
	}
	var out []list.Request
	for _, r := range all {
		if named[r.Server] && (kinds[r.Server].inOrder || o.only.MatchString(r.String())) {
			out = append(out, r)
		}
	}
	if len(out) == 0 {
		return nil, errors.New("no request is left")
	}
	return out, nil
}
