package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"tianti/bench/answers/list"
	"tianti/bench/process"
)

func TestTheListIsReadAndItsFilesAreThere(t *testing.T) {
	requests, err := chosen(options{only: regexp.MustCompile("")})
	if err != nil {
		t.Fatal(err)
	}
	if len(requests) < 600 {
		t.Errorf("got %d requests, want 600 at least", len(requests))
	}
	asked := map[string]bool{}
	for _, r := range requests {
		asked[r.Server] = true
		if kinds[r.Server].flags == nil {
			t.Errorf("line %d: there is no server %q", r.Line, r.Server)
		}
		safe := r.Method == "GET" || r.Method == "HEAD" || r.Method == "OPTIONS" || r.Status >= 400
		if !safe && !kinds[r.Server].inOrder {
			t.Errorf("line %d: %s may change what others find, and [%s] is asked out of order", r.Line, r, r.Server)
		}
		if _, _, err := bodyOf(r.Body); err != nil {
			t.Errorf("line %d: %s: %v", r.Line, r, err)
		}
	}
	for name := range kinds {
		if !asked[name] {
			t.Errorf("nothing is asked of [%s]", name)
		}
	}
}

func TestOfServersThatChangeAllOrNothingIsAsked(t *testing.T) {
	only := regexp.MustCompile(`\[(public|setup)\] GET /zh/(admin/setup|plot\.svg)`)
	requests, err := chosen(options{only: only})
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for _, r := range requests {
		if count[r.Server]++; r.Server == "public" && !strings.HasPrefix(r.Path, "/zh/plot.svg") {
			t.Errorf("got %s", r)
		}
	}
	if count["setup"] < 10 || count["public"] == 0 || len(count) != 2 {
		t.Errorf("got %v, want some of [public] and all of [setup]", count)
	}
}

// few is a list for each of the ways to be served that are quick to start.
const few = `
[public]
/glossary
/cards?vendor=Huawei | Accept-Encoding: br, gzip
/plot.svg | If-None-Match: {etag}
404 /cards/nope
405 POST /cards | form a=b
{static:app.js}
[live]
/live
/live/stream | events 2
[accounts]
/admin | as anna
303 POST /admin/import | as anna | upload format=&file=prices.csv
/admin/import/{draft} | as anna
/api/v1/imports/{draft} | Authorization: Bearer {token:import}
POST /api/v1/imports?dry_run=false&dataset=shop | Authorization: Bearer {token:import} | body prices.csv
/prices/nvidia-geforce-rtx-4090
/admin/log | as anna
`

// TestABuildAnswersLikeItself asks two servers of one program, and then compares with
// what is recorded of a third.
func TestABuildAnswersLikeItself(t *testing.T) {
	dir := t.TempDir()
	t.Chdir("../..")
	program, err := process.Build(dir, "./cmd/tianti", process.ForTests)
	if err != nil {
		t.Fatal(err)
	}
	o := options{before: program, after: program, list: filepath.Join(dir, "few.txt"), workers: 2, show: 10}
	o.rules.etags = true
	if err := os.WriteFile(o.list, []byte(few), 0o600); err != nil {
		t.Fatal(err)
	}
	if differ, err := compareAll(o, ""); differ || err != nil {
		t.Errorf("with itself: got %v and error %v, want no difference", differ, err)
	}
	recording := options{before: program, list: o.list, workers: 2, record: filepath.Join(dir, "recorded")}
	if _, err := compareAll(recording, "public"); err != nil {
		t.Fatal(err)
	}
	o.before, o.against, o.keep = "", recording.record, filepath.Join(dir, "kept")
	if differ, err := compareAll(o, "public"); differ || err != nil {
		t.Errorf("with its record: got %v and error %v, want no difference", differ, err)
	}

	tamper(t, recording.record)
	if differ, err := compareAll(o, "public"); !differ || err != nil {
		t.Errorf("with another record: got %v and error %v, want a difference", differ, err)
	}
	kept, err := filepath.Glob(filepath.Join(o.keep, "0001-line-*"))
	if err != nil || len(kept) != 2 {
		t.Errorf("kept: got %q and error %v, want the bodies of one answer", kept, err)
	}
}

// tamper changes one recorded answer by one byte.
func tamper(t *testing.T, folder string) {
	t.Helper()
	r, err := openRecord(folder, "public")
	if err != nil {
		t.Fatal(err)
	}
	key := r.key(list.Request{Server: "public", Method: "GET", Path: "/glossary"})
	a, known := r.Answers[key]
	if !known {
		t.Fatalf("%s was not recorded", key)
	}
	a.Body[len(a.Body)/2] ^= 1
	if err := r.write(recordFile(folder, "public")); err != nil {
		t.Fatal(err)
	}
}

func TestCommandLinesThatContradictThemselvesAreRefused(t *testing.T) {
	for name, o := range map[string]options{
		"nothing to compare with": {},
		"two to compare with":     {before: "a", against: "b"},
		"a record of two":         {before: "a", after: "b", record: "c"},
		"a record of a record":    {against: "a", record: "c"},
		"a list that is not":      {before: "a", list: filepath.Join(t.TempDir(), "none")},
	} {
		if _, err := compareAll(o, ""); err == nil {
			t.Errorf("%s: got no error", name)
		}
	}
	if _, err := compareAll(options{before: "a"}, "nothing at all like this"); err == nil {
		t.Error("a choice that leaves nothing: got no error")
	}
}

// A server reads the first of two types, so that a line that names one would be refused.
func TestALineSaysOfWhatTypeItsFileIs(t *testing.T) {
	s := &running{server: &server{Process: &process.Process{Addr: "127.0.0.1:1"}}}
	for want, header := range map[string][]list.Header{
		"application/json":         {{Name: contentType, Value: "application/json"}},
		"application/octet-stream": nil,
	} {
		r := list.Request{Method: "POST", Path: "/mcp", Header: header, Body: list.Body{Kind: "body", Text: "mcp.json"}}
		req, err := s.request(t.Context(), nil, r)
		if err != nil {
			t.Fatal(err)
		}
		if got := req.Header.Values(contentType); len(got) != 1 || got[0] != want {
			t.Errorf("got %q, want %q alone", got, want)
		}
	}
}
