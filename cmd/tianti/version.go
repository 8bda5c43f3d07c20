package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
)

// version is the version of the program: the newest one in CHANGELOG.md.
const version = "0.1.0"

// versionCmd is tianti version.
type versionCmd struct{}

// Run prints the version, the commit where the build knows it, and Go's version;
// then the sources of readings that the build has.
func (versionCmd) Run(e *env) error {
	info, _ := debug.ReadBuildInfo()
	_, err := fmt.Fprintf(e.stdout, "%s\nlive sources: %s\n", versionLine(info), strings.Join(liveSources(), ", "))
	return err
}

func versionLine(info *debug.BuildInfo) string {
	line := "tianti " + version
	var commit, dirty string
	if info != nil {
		for _, s := range info.Settings {
			switch {
			case s.Key == "vcs.revision":
				commit = s.Value[:min(12, len(s.Value))]
			case s.Key == "vcs.modified" && s.Value == "true":
				dirty = ", with changes"
			}
		}
	}
	if commit != "" {
		line += " (" + commit + dirty + ")"
	}
	return fmt.Sprintf("%s %s %s/%s", line, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
