package main

import (
	"runtime/debug"
	"strings"
	"testing"
)

func TestVersionComesFromTheLinkerOrTheTag(t *testing.T) {
	for _, c := range []struct{ release, tag, want string }{
		{"", "v0.2.0", "0.2.0"},
		{"", "v0.2.1-0.20261123074423-0123456789ab+dirty", "0.2.1-0.20261123074423-0123456789ab+dirty"},
		{"", "(devel)", "devel"},
		{"", "", "devel"},
		{"0.3.0", "(devel)", "0.3.0"},
		{"v0.3.0", "", "0.3.0"},
		{"0.3.0", "v0.2.1-0.20261123074423-0123456789ab", "0.3.0"},
	} {
		info := debug.BuildInfo{Main: debug.Module{Version: c.tag}}
		if got := versionOf(c.release, info); got != c.want {
			t.Errorf("linker %q, Go %q: got %q, want %q", c.release, c.tag, got, c.want)
		}
	}
}

func TestVersionNamesTheCommitWhenTheBuildKnowsIt(t *testing.T) {
	known := debug.BuildInfo{Settings: []debug.BuildSetting{
		{Key: "vcs.revision", Value: "0123456789abcdef"},
		{Key: "vcs.modified", Value: "true"},
	}}
	if got, want := versionLine("1.2.3", known), "tianti 1.2.3 (0123456789ab, with changes) go1."; !strings.HasPrefix(
		got, want) {
		t.Errorf("got %q, want %q…", got, want)
	}
	if got, want := versionLine("1.2.3", debug.BuildInfo{}), "tianti 1.2.3 go1."; !strings.HasPrefix(got, want) {
		t.Errorf("got %q, want %q…", got, want)
	}
}
