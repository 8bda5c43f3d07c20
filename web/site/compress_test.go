package site

import (
	"strings"
	"testing"
)

func TestParseAccept(t *testing.T) {
	for header, want := range map[string]string{
		"":                      "",
		"gzip":                  "gzip",
		"GZIP":                  "gzip",
		"br;q=1.0, gzip;q=0.5":  "br gzip",
		"gzip;q=0":              "",
		"zstd, gzip; q=0.0, br": "br zstd",
		"*":                     "gzip",
		"*, gzip;q=0":           "",
		"identity;q=1, *;q=0":   "",
		"deflate":               "",
		"gzip;q=nonsense":       "gzip",
		"gzipped":               "",
		"br ; q=0.1 ,zstd":      "br zstd",
	} {
		a := parseAccept(header)
		var got []string
		for _, c := range []coding{brotliBest, gzipBest, zstdBest} {
			if a.has(c) {
				got = append(got, codingNames[c])
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: got %q, want %q", header, got, want)
		}
	}
}

func FuzzParseAccept(f *testing.F) {
	for _, s := range []string{"gzip, deflate, br, zstd", "*;q=0", ";;q=,", "gzip;q=0, *"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, header string) {
		a := parseAccept(header)
		if a.has(identity) {
			t.Errorf("%q: identity is always there and not a coding to choose", header)
		}
		if !strings.Contains(header, "*") && !strings.Contains(strings.ToLower(header), "zstd") && a.has(zstdFast) {
			t.Errorf("%q: zstd was not named", header)
		}
	})
}
