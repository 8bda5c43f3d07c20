package main

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"tianti/licenses"
)

// licensesCmd is tianti licenses.
type licensesCmd struct {
	Texts  bool     `help:"Print the licences and notices themselves, word by word."`
	Module []string `arg:"" optional:"" help:"Modules whose texts are printed; all are listed unless given."`
}

// Help is the manual of tianti licenses.
func (licensesCmd) Help() string {
	return `Lists what the program is linked from, with versions and licences by their SPDX
identifiers: the program itself, Go (std), and the modules of others, as of builds
for Linux, macOS and Windows.

  tianti licenses                      the list
  tianti licenses --texts              the texts, of everything
  tianti licenses golang.org/x/text    the texts of one module`
}

// Run prints the list or the texts.
func (c licensesCmd) Run(e *env) error {
	modules := licenses.Modules()
	for _, path := range c.Module {
		if !slices.ContainsFunc(modules, func(m licenses.Module) bool { return m.Path == path }) {
			return fmt.Errorf("%s is no part of the program (tianti licenses lists them)", path)
		}
	}
	if len(c.Module) > 0 {
		modules = slices.DeleteFunc(slices.Clone(modules), func(m licenses.Module) bool {
			return !slices.Contains(c.Module, m.Path)
		})
	}
	if c.Texts || len(c.Module) > 0 {
		return printLicenseTexts(e.stdout, modules)
	}
	return listLicenses(e.stdout, modules)
}

func listLicenses(w io.Writer, modules []licenses.Module) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "MODULE\tVERSION\tLICENCES")
	for _, m := range modules {
		v := m.Version
		if m.Path == licenses.Own {
			v = version
		}
		fmt.Fprintf(t, "%s\t%s\t%s\n", m.Path, v, strings.Join(m.Licenses, ", "))
	}
	return t.Flush()
}

func printLicenseTexts(w io.Writer, modules []licenses.Module) error {
	b := bufio.NewWriter(w)
	for i, m := range modules {
		for j, text := range m.Texts {
			if i+j > 0 {
				fmt.Fprintln(b)
			}
			title := strings.TrimSpace(m.Path + " " + m.Version)
			line := fmt.Sprintf("%s: %s (%s)", title, text.Name, cmp.Or(strings.Join(text.Licenses, ", "), "notice"))
			fmt.Fprintf(b, "%s\n%s\n\n%s", line, strings.Repeat("=", len(line)), text.Body)
		}
	}
	return b.Flush()
}
