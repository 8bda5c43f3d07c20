package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"tianti/audit"
	"tianti/catalog/sample"
	"tianti/importer"
	"tianti/store"
	"tianti/test/slow"
)

func TestServeSeedsServesAndDrains(t *testing.T) {
	t.Parallel()
	p := start(t, func(cmd *exec.Cmd) { cmd.Env = append(cmd.Env, "TIANTI_TEST_AHEAD=yes") })
	if p.url == "" {
		t.Fatalf("not ready: %s", p.stderr)
	}
	for path, want := range map[string]int{"/readyz": 200, "/": 200, "/zh/cards": 200, "/api/v1/cards": 200,
		"/nowhere": 404} {
		if got, _ := p.get(t, path); got != want {
			t.Errorf("%s: got status %d, want %d", path, got, want)
		}
	}
	if err := p.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := p.Wait(); err != nil {
		t.Errorf("after SIGTERM: %v\n%s", err, p.stderr)
	}
	logged := map[string]int{}
	for line := range strings.Lines(p.stderr.String()) {
		var l struct {
			Msg, Path string
			Status    int
		}
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		if l.Msg == "request" {
			logged[l.Path] = l.Status
		}
	}
	if len(logged) != 5 || logged["/zh/cards"] != 200 || logged["/nowhere"] != 404 {
		t.Errorf("got the requests %v in the log, want all five", logged)
	}
	if entries, err := os.ReadDir(p.Dir); err != nil || len(entries) != 1 {
		t.Errorf("got %v, %v, want only tianti.db: the log of the database is put back", entries, err)
	}
}

func TestBuiltinDataAreImportedOnce(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "tianti.db")
	serveOnce := func() {
		p := start(t, nil, "--db", path)
		if p.url == "" {
			t.Fatalf("not ready: %s", p.stderr)
		}
		_ = p.Process.Signal(os.Interrupt)
		_ = p.Wait()
	}
	serveOnce()
	db, err := store.Open(ctx, path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	// A person switches the built-in data off: they are not to come back.
	if err := errors.Join(db.Activate(ctx, "builtin", 0, audit.Program), db.Close()); err != nil {
		t.Fatal(err)
	}
	serveOnce()
	db, err = store.Open(ctx, path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	revisions, err := db.Revisions(ctx, "builtin")
	if err != nil || len(revisions) != 1 || revisions[0].Active {
		t.Errorf("got %+v, %v, want one revision that is not active", revisions, err)
	}
}

func TestImportsOfAnotherProcessAreShown(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "tianti.db")
	p := start(t, nil, "--db", path)
	if got, _ := p.get(t, "/api/v1/cards/synthetic-000003"); got != 404 {
		t.Fatalf("got status %d before the import, want 404", got)
	}
	db, err := store.Open(ctx, path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Import(ctx, sample.Dataset("other", 10), importer.FileInfo{}, ""); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(10 * time.Second); ; {
		if got, _ := p.get(t, "/api/v1/cards/synthetic-000003"); got == 200 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("the import is not shown\n%s", p.stderr)
		}
	}
}

func TestSyntheticCardsAreAddedOnce(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "load.db")
	for range 2 {
		p := start(t, nil, "--db", path, "--synthetic", "60")
		if got, _ := p.get(t, "/readyz"); got != 200 {
			t.Errorf("got status %d when it said that it was ready, want 200", got)
		}
		_ = p.Process.Signal(os.Interrupt)
		if err := p.Wait(); err != nil {
			t.Errorf("%v\n%s", err, p.stderr)
		}
	}
	db, err := store.OpenReadOnly(context.Background(), path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	revisions, err := db.Revisions(context.Background(), "synthetic")
	if err != nil || len(revisions) != 1 || revisions[0].Cards != 60 {
		t.Errorf("got %+v, %v, want one revision of 60 cards", revisions, err)
	}
}

func TestPortTakenIsReportedAndNoDatabaseIsMade(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	p := start(t, nil, "--listen", l.Addr().String())
	wantFailure(t, p, "tianti: listen on "+l.Addr().String()+": bind: address already in use\n")
	if entries, err := os.ReadDir(p.Dir); err != nil || len(entries) != 0 {
		t.Errorf("got %v, %v, want an empty folder", entries, err)
	}
}

// wantFailure checks that a process ended with status 1 and said one line.
func wantFailure(t *testing.T, p *process, want string) {
	t.Helper()
	if p.url != "" {
		t.Fatalf("it is ready at %s", p.url)
	}
	_ = p.Wait()
	if got := p.ProcessState.ExitCode(); got != exitFailed {
		t.Errorf("got exit status %d, want %d", got, exitFailed)
	}
	if got := p.stderr.String(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestUnwritableDatabaseIsReported(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ file, folder os.FileMode }{
		"file":   {0o444, 0o777},
		"folder": {0, 0o555},
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			path := filepath.Join(folder, "tianti.db")
			if tc.file != 0 {
				if _, _, err := store.Migrate(context.Background(), path, nil); err != nil {
					t.Fatal(err)
				}
				if err := os.Chmod(path, tc.file); err != nil {
					t.Fatal(err)
				}
			}
			if err := errors.Join(os.Chmod(filepath.Dir(folder), 0o755), os.Chmod(folder, tc.folder)); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = os.Chmod(folder, 0o755) })
			p := start(t, func(c *exec.Cmd) { c.Env = append(c.Env, "TIANTI_TEST_UID=65534") }, "--db", path)
			wantFailure(t, p, "tianti: open: database "+path+" cannot be written: make the file and its folder "+
				"writable for the user that runs this program\n")
		})
	}
}

func TestHealthcheckAsksTheServer(t *testing.T) {
	slow.WithoutRace(t)
	t.Parallel()
	p := start(t, nil)
	check := func() (string, error) {
		cmd := exec.Command("tianti", "healthcheck", "--listen", strings.TrimPrefix(p.url, "http://"))
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	if out, err := check(); err != nil || out != "ready\n" {
		t.Errorf("got %q, %v, want ready", out, err)
	}
	_ = p.Process.Kill()
	_ = p.Wait()
	if out, err := check(); err == nil || !strings.HasPrefix(out, "tianti: "+p.url+" does not answer: ") {
		t.Errorf("got %q, %v after the server's end, want an error", out, err)
	}
	loading := serverOf(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(503) }))
	if out, err := exec.Command("tianti", "healthcheck", "--listen", loading).CombinedOutput(); err == nil ||
		!strings.Contains(string(out), "is not ready: 503") {
		t.Errorf("got %q, %v while loading, want an error", out, err)
	}
}

// serverOf serves h and returns its address.
func serverOf(t *testing.T, h http.Handler) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	srv := &http.Server{Handler: h}
	go func() { _ = srv.Serve(l) }()
	t.Cleanup(func() { _ = srv.Close() })
	return l.Addr().String()
}

// pipeListener is a network of its own, for synctest.
type pipeListener struct {
	conns chan net.Conn
	done  chan struct{}
}

func newPipeListener() *pipeListener {
	return &pipeListener{make(chan net.Conn), make(chan struct{})}
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

func (l *pipeListener) Close() error {
	select {
	case <-l.done:
	default:
		close(l.done)
	}
	return nil
}

func (l *pipeListener) Addr() net.Addr { return &net.TCPAddr{} }

// dial sends a request and returns the connection.
func (l *pipeListener) dial(t *testing.T, request string) net.Conn {
	t.Helper()
	client, server := net.Pipe()
	l.conns <- server
	if _, err := client.Write([]byte(request)); err != nil {
		t.Fatal(err)
	}
	return client
}

const plainRequest = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"

func untilDone(ctx context.Context) error { <-ctx.Done(); return nil }

func TestRequestsUnderWayAreAnsweredAfterTheSignal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		release := make(chan struct{})
		l := newPipeListener()
		ended := make(chan error, 1)
		go func() {
			ended <- serve(ctx, l, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { <-release }),
				slog.New(slog.DiscardHandler), 0, untilDone)
		}()
		conn := l.dial(t, plainRequest)
		synctest.Wait()
		cancel()
		time.Sleep(drainTimeout - time.Second)
		close(release)
		res, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil || res.StatusCode != 200 {
			t.Fatalf("got %v, %v, want an answer", res, err)
		}
		conn.Close()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

func TestRequestsThatTakeTooLongAreCutOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		l := newPipeListener()
		ended := make(chan error, 1)
		go func() {
			hang := func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
			ended <- serve(ctx, l, http.HandlerFunc(hang), slog.New(slog.DiscardHandler), 0, untilDone)
		}()
		conn := l.dial(t, plainRequest)
		synctest.Wait()
		begin := time.Now()
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if got := time.Since(begin); got != drainTimeout {
			t.Errorf("ended after %v, want %v", got, drainTimeout)
		}
		if n, err := conn.Read(make([]byte, 1)); err == nil {
			t.Errorf("got %d bytes on a connection that was cut off", n)
		}
		conn.Close()
		synctest.Wait()
	})
}

func TestFailureWhileServingEndsTheServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		broken := errors.New("the data are broken")
		l := newPipeListener()
		err := serve(context.Background(), l, http.NotFoundHandler(), slog.New(slog.DiscardHandler),
			0, func(context.Context) error { return broken })
		if !errors.Is(err, broken) {
			t.Errorf("got %v, want %v", err, broken)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		l := newPipeListener()
		l.Close()
		err := serve(context.Background(), l, http.NotFoundHandler(), slog.New(slog.DiscardHandler), 0, untilDone)
		if !errors.Is(err, net.ErrClosed) {
			t.Errorf("got %v, want %v", err, net.ErrClosed)
		}
	})
}

func TestSlowHeadersAreCutOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		l := newPipeListener()
		ended := make(chan error, 1)
		go func() {
			ended <- serve(ctx, l, http.NotFoundHandler(), slog.New(slog.DiscardHandler), 0, untilDone)
		}()
		begin := time.Now()
		conn := l.dial(t, "GET / HTTP/1.1\r\n")
		_, _ = bufio.NewReader(conn).ReadString(0)
		if got := time.Since(begin); got != readHeaderTimeout {
			t.Errorf("the connection lived for %v, want %v", got, readHeaderTimeout)
		}
		cancel()
		<-ended
		conn.Close()
	})
}

func TestLocalURL(t *testing.T) {
	for listen, want := range map[string]string{
		"127.0.0.1:80": "http://127.0.0.1:80", ":8080": "http://localhost:8080", "0.0.0.0:1": "http://localhost:1",
		"[::]:1": "http://localhost:1", "[::1]:1": "http://[::1]:1", "cards.example:80": "http://cards.example:80",
	} {
		if got := localURL(listen); got != want {
			t.Errorf("%s: got %q, want %q", listen, got, want)
		}
	}
}
