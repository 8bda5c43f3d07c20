package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/alecthomas/kong"
)

// completionCmd is tianti completion.
type completionCmd struct {
	Shell string `arg:"" optional:"" enum:"bash,zsh,fish," default:"" help:"bash, zsh or fish; that of $SHELL unless given."`
}

// Help is the manual of tianti completion.
func (completionCmd) Help() string {
	return `Prints code for your shell, to be read by it:

    source <(tianti completion bash)
    source <(tianti completion zsh)
    tianti completion fish | source

In the file that the shell reads when it begins, the line turns it on for good.`
}

// completions ask the program itself, which knows its commands and flags: it answers to COMP_LINE and COMP_POINT, as
// bash sets them. After all but the name of a folder a space is added.
var completions = map[string]string{
	"bash": `_tianti() {
    local IFS=$'\n'
    COMPREPLY=($(COMP_LINE="$COMP_LINE" COMP_POINT="$COMP_POINT" tianti 2>/dev/null))
    case "${COMPREPLY[0]}" in */) compopt -o nospace ;; esac
}
complete -o default -F _tianti tianti
`,
	"zsh": `(( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
_tianti() {
    local line="${(j: :)words[1,CURRENT-1]} $PREFIX"
    local -a found folders
    found=("${(@f)$(COMP_LINE="$line" COMP_POINT="${#line}" tianti 2>/dev/null)}")
    found=(${found:#})
    folders=(${(M)found:#*/})
    found=(${found:#*/})
    (( $#found + $#folders )) || { _files; return }
    (( $#folders )) && compadd -S '' -- $folders
    (( $#found )) && compadd -- $found
}
compdef _tianti tianti
`,
	"fish": `function __tianti_complete
    set -lx COMP_LINE (commandline -cp)
    set -lx COMP_POINT (string length -- "$COMP_LINE")
    tianti 2>/dev/null
end
complete -f -c tianti -a "(__tianti_complete)"
`,
}

// Run prints it.
func (c *completionCmd) Run(e *env) error {
	shell := c.Shell
	if shell == "" {
		shell = filepath.Base(os.Getenv("SHELL"))
	}
	code, ok := completions[shell]
	if !ok {
		return usageError{fmt.Errorf("there is no completion for the shell %q; want bash, zsh or fish", shell)}
	}
	_, err := fmt.Fprint(e.stdout, code)
	return err
}

// manCmd is tianti man: what --help says, as a page for man.
type manCmd struct{ commands []*kong.Node }

// Run prints the page.
func (c *manCmd) Run(e *env) error {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH TIANTI 1 \"\" \"tianti %s\" \"User Commands\"\n.SH NAME\ntianti \\- %s\n", roff(version),
		"catalogue of accelerator cards: figures with their sources, comparisons, readings of devices")
	b.WriteString(".SH SYNOPSIS\n.B tianti\n[\\fIcommand\\fR] [\\fIflags\\fR]\n.SH DESCRIPTION\n")
	verbatim(&b, description)
	b.WriteString(".SH COMMANDS\n")
	for _, n := range c.commands {
		if !n.Hidden {
			manCommand(&b, n, "")
		}
	}
	_, err := fmt.Fprint(e.stdout, b.String())
	return err
}

func manCommand(b *strings.Builder, n *kong.Node, before string) {
	name := before + n.Name
	fmt.Fprintf(b, ".SS \"tianti %s\"\n%s\n", roff(name), roff(n.Help))
	if n.Detail != "" {
		verbatim(b, n.Detail)
	}
	for _, f := range n.Flags {
		if f.Hidden || f.Name == "help" {
			continue
		}
		fmt.Fprintf(b, ".TP\n\\fB\\-\\-%s\\fR\n%s\n", roff(f.Name), roff(f.Help))
	}
	for _, child := range n.Children {
		if !child.Hidden {
			manCommand(b, child, name+" ")
		}
	}
}

// verbatim writes text whose lines stay as they are.
func verbatim(b *strings.Builder, text string) {
	b.WriteString(".nf\n")
	for line := range strings.Lines(text) {
		b.WriteString(roff(strings.TrimRight(line, "\n")) + "\n")
	}
	b.WriteString(".fi\n")
}

// roff is text without what roff takes for its own: backslashes, hyphens, and a point or quote that begins a line.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		text = `\&` + text
	}
	return text
}
