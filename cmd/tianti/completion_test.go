package main

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"tianti/test/slow"
)

// completing are what shells are asked, after they have read the code: how each of them tells what it would offer.
var completing = map[string]struct {
	name, script string
}{
	"bash": {"bash", `source <(tianti completion bash)
ask() { COMP_LINE=$1 COMP_POINT=${#1}; _tianti 2>/dev/null; echo "${COMPREPLY[*]}"; }
ask "tianti expo"; ask "tianti export --format js"; ask "tianti completion "; complete -p tianti`},
	"zsh": {"zsh", `source <(tianti completion zsh)
compadd() { shift; [[ $1 == -- ]] && shift; print -rn -- "$* " }
ask() { words=("$@"); CURRENT=$#words; PREFIX=$words[-1]; _tianti; print }
ask tianti expo; ask tianti export --format js; ask tianti completion ""; print -r -- $_comps[tianti]`},
	"fish": {"fish", `tianti completion fish | source
for line in "tianti expo" "tianti export --format js" "tianti completion "
    echo (complete -C "$line")
end
complete -c tianti`},
}

// TestShellsCompleteCommandsFlagsAndValues runs each shell that is there.
func TestShellsCompleteCommandsFlagsAndValues(t *testing.T) {
	for shell, c := range completing {
		t.Run(shell, func(t *testing.T) {
			path, err := exec.LookPath(c.name)
			if err != nil {
				t.Skip("no " + c.name + " here")
			}
			args := []string{"-c", c.script}
			if shell == "zsh" {
				args = append([]string{"-f"}, args...)
			}
			cmd := exec.Command(path, args...)
			cmd.Env = append(cmd.Environ(), "HOME="+t.TempDir(), "TERM=dumb")
			out, err := cmd.CombinedOutput()
			lines := strings.Split(string(out), "\n")
			if err != nil || len(lines) < 4 {
				t.Fatalf("%v: %s", err, out)
			}
			for i, want := range []string{"export", "json jsonl", "bash fish zsh"} {
				got := strings.Fields(lines[i])
				for _, w := range strings.Fields(want) {
					if !strings.Contains(" "+strings.Join(got, " ")+" ", " "+w+" ") {
						t.Errorf("line %d: got %q, want %q in it", i, lines[i], w)
					}
				}
			}
			if !strings.Contains(strings.Join(lines[3:], "\n"), "tianti") {
				t.Errorf("nothing is registered: %s", out)
			}
		})
	}
}

// TestFullTheLinkerLeavesOutMethodsThatNobodyCalls links the program: a call of a method by a name that only the
// running program knows, in what it reaches of any library, makes it a fifth larger.
func TestFullTheLinkerLeavesOutMethodsThatNobodyCalls(t *testing.T) {
	slow.Only(t)
	cmd := exec.Command("go", "build", "-ldflags=-dumpdep", "-o", filepath.Join(t.TempDir(), "tianti"), ".")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %.2000s", err, out)
	}
	if !strings.Contains(string(out), " -> main.main") {
		t.Fatal("got no graph of what is linked")
	}
	for line := range strings.Lines(string(out)) {
		if strings.Contains(line, "<ReflectMethod>") {
			t.Errorf("methods are called by name: %s", line)
		}
	}
}
