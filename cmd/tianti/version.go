package main

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
)

// release is the version that the linker was told, for builds from copies of the sources without their history:
// -ldflags "-X main.release=0.2.0".
var release string

// version is the version of the program, without a v: that of the tag it was built from ("0.2.0"), or of the commit
// between two tags as Go counts it ("0.2.1-0.20261123074423-0123456789ab", with "+dirty" after changes); "devel" when
// the build knows neither.
var version = versionOf(release, readBuildInfo())

// versionCmd is tianti version.
type versionCmd struct{}

// Run prints the version, the commit if the build has it, the version of Go, and the sources of readings.
func (versionCmd) Run(e *env) error {
	line := versionLine(version, readBuildInfo())
	_, err := fmt.Fprintf(e.stdout, "%s\nlive sources: %s\n", line, strings.Join(liveSources(), ", "))
	return err
}

// readBuildInfo returns what Go wrote into the program; its fields are empty when that is nothing.
func readBuildInfo() debug.BuildInfo {
	if info, ok := debug.ReadBuildInfo(); ok {
		return *info
	}
	return debug.BuildInfo{}
}

func versionOf(release string, info debug.BuildInfo) string {
	v := strings.TrimPrefix(cmp.Or(release, info.Main.Version), "v")
	if v == "" || v == "(devel)" {
		return "devel"
	}
	return v
}

func versionLine(version string, info debug.BuildInfo) string {
	line := "tianti " + version
	var commit, dirty string
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			commit = s.Value[:min(12, len(s.Value))]
		case s.Key == "vcs.modified" && s.Value == "true":
			dirty = ", with changes"
		}
	}
	if commit != "" {
		line += " (" + commit + dirty + ")"
	}
	return fmt.Sprintf("%s %s %s/%s", line, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
