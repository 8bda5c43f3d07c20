package main

import (
	"os"
	"regexp"
	"runtime/debug"
	"strings"
	"testing"
)

func TestVersionIsTheNewestOfTheChangelog(t *testing.T) {
	text, err := os.ReadFile("../../CHANGELOG.md")
	if err != nil {
		t.Fatal(err)
	}
	newest := regexp.MustCompile(`(?m)^## \[(\d+\.\d+\.\d+)\]`).FindSubmatch(text)
	if newest == nil || string(newest[1]) != version {
		t.Errorf("got version %q, want the first of CHANGELOG.md: %q", version, newest)
	}
}

func TestVersionNamesTheCommitWhenTheBuildKnowsIt(t *testing.T) {
	info := &debug.BuildInfo{Settings: []debug.BuildSetting{{Key: "vcs.revision", Value: "0123456789abcdef"}, {Key: "vcs.modified", Value: "true"}}}
	if got, want := versionLine(info), "tianti "+version+" (0123456789ab, with changes) go1."; !strings.HasPrefix(got, want) {
		t.Errorf("got %q, want %q…", got, want)
	}
	if got, want := versionLine(nil), "tianti "+version+" go1."; !strings.HasPrefix(got, want) {
		t.Errorf("got %q, want %q…", got, want)
	}
}
