package list

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAListIsReadLineByLine(t *testing.T) {
	const text = `
# nothing
[public]
/cards?q=a
/plot.{svg,png} | Accept: */* | If-None-Match: {etag}
404 HEAD /nope
/api/v1/{cards,imports/{draft}}
{static:app.js}

[accounts]
303 POST /zh/admin/import | as anna | upload format=&file=a.csv
/api/v1/live/stream | events 2
`
	got, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	get := func(server string, line int, path string) Request {
		return Request{Server: server, Line: line, Method: http.MethodGet, Path: path}
	}
	plot := func(path string) Request {
		r := get("public", 5, path)
		r.Header = []Header{{"Accept", "*/*"}, {"If-None-Match", "{etag}"}}
		return r
	}
	head := func(path string) Request {
		return Request{Server: "public", Line: 6, Method: http.MethodHead, Path: path, Status: 404}
	}
	want := []Request{
		get("public", 4, "/cards?q=a"), get("public", 4, "/zh/cards?q=a"),
		plot("/plot.svg"), plot("/zh/plot.svg"), plot("/plot.png"), plot("/zh/plot.png"),
		head("/nope"), head("/zh/nope"),
		get("public", 7, "/api/v1/cards"), get("public", 7, "/api/v1/imports/{draft}"),
		get("public", 8, "{static:app.js}"),
		{Server: "accounts", Line: 11, Method: http.MethodPost, Path: "/zh/admin/import", As: "anna", Status: 303,
			Body: Body{"upload", "format=&file=a.csv"}},
		{Server: "accounts", Line: 12, Method: http.MethodGet, Path: "/api/v1/live/stream", Events: 2},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestARequestIsNamedAsItIsWritten(t *testing.T) {
	list, err := Parse("[accounts]\n303 POST /admin | as bob | Accept: x | form a=b&c=d")
	if err != nil {
		t.Fatal(err)
	}
	const want = "[accounts] POST /admin | Accept: x | as bob | form a=b&c=d"
	if got := list[0].String(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestLinesThatMeanNothingAreRefused(t *testing.T) {
	for text, want := range map[string]string{
		"/cards":                        "line 1: it stands under no heading",
		"[public":                       "want a heading",
		"[public] more":                 "want a heading",
		"[]":                            "want a heading",
		"[public]\ncards":               "line 2: got \"cards\", want an address",
		"[public]\nFETCH /cards":        "want an address",
		"[public]\n99 /cards":           "got status 99",
		"[public]\n/cards /prices":      "want an address",
		"[public]\n/cards | as":         "got \"as\"",
		"[public]\n/cards | events two": "invalid syntax",
		"[public]\n404":                 "want an address",
	} {
		if got, err := Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v and %v, want an error with %q", text, got, err, want)
		}
	}
}
