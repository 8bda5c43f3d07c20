package store

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	osexec "os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tianti/importer"
	"tianti/test/slow"
)

// copyUntilKilled copies one database into another, says which table is next, and waits at one of them to be killed.
func copyUntilKilled(task string) error {
	ctx := context.Background()
	parts := strings.Split(task, "\n") // from, to, where to wait
	from, err := OpenReadOnly(ctx, parts[0], Options{})
	if err != nil {
		return err
	}
	to, err := Open(ctx, parts[1], Options{})
	if err != nil {
		return err
	}
	onTable = func(step string) {
		if step == parts[2] {
			fmt.Println("inside")
			select {}
		}
	}
	if _, err := Copy(ctx, to, from); err != nil {
		return err
	}
	return errors.New("nobody killed this process")
}

// TestCopyThatIsKilledLeavesNothing kills a process while it copies, and while it reads back what it has copied:
// nothing is there, and the next copy has everything.
func TestCopyThatIsKilledLeavesNothing(t *testing.T) {
	from := newStore(t)
	importTest(t, from, sample())
	importTest(t, from, history(400))
	added(t, from, observations(400, 30))
	if _, err := from.KeepRun(t.Context(), importer.Run{Query: "model=x"}); err != nil {
		t.Fatal(err)
	}
	want := rowCounts(t, from)
	address := newAddress(t)
	empty := rowCounts(t, openTest(t, address))
	for _, step := range []string{"copy facts", "copy catalogue", "read catalogue"} {
		cmd := osexec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "TIANTI_TEST_COPY="+addressOf(from)+"\n"+address+"\n"+step)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		line, err := bufio.NewReader(out).ReadString('\n')
		if killed := cmd.Process.Kill(); killed != nil || line != "inside\n" {
			t.Errorf("%s: %v, the other process said %q, %v", step, killed, line, err)
		}
		_ = cmd.Wait()
		if diff := cmp.Diff(empty, rowCounts(t, openTest(t, address))); diff != "" {
			t.Errorf("%s: rows are left (-before +after):\n%s", step, diff)
		}
	}
	to, err := Open(t.Context(), address, Options{}) // a server may not have noticed yet that the last one is gone
	if err != nil {
		t.Fatal(err)
	}
	defer to.Close()
	if _, err := Copy(t.Context(), to, from); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, rowCounts(t, to)); diff != "" {
		t.Errorf("-from +copied:\n%s", diff)
	}
	sameCatalogue(t, "copied", load(t, to), load(t, from))
}

// TestFullCopyThatIsKilledLeavesNothing kills a process at ten of the steps that it takes to copy a file with many
// prices to a database of either kind.
func TestFullCopyThatIsKilledLeavesNothing(t *testing.T) {
	slow.Only(t)
	source := filepath.Join(t.TempDir(), "from.db")
	from := openTest(t, source)
	importTest(t, from, sample())
	importTest(t, from, synthetic(500, 20))
	importTest(t, from, history(20_000))
	added(t, from, observations(20_000, 30))
	n := stepsOf(t, "copy", source, newAddress(t))
	address := newAddress(t)
	empty := rowCounts(t, openTest(t, address))
	for i := range 10 {
		step := 1 + (i+1)*n/11
		dieAt(t, step, "copy", source, address)
		if diff := cmp.Diff(empty, rowCounts(t, openTest(t, address))); diff != "" {
			t.Errorf("killed at step %d of %d: rows are left (-before +after):\n%s", step, n, diff)
		}
	}
	if err := copyAll(t.Context(), source, address); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(contentOf(t, source), contentOf(t, address)); diff != "" {
		t.Errorf("-from +copied:\n%s", diff)
	}
}
