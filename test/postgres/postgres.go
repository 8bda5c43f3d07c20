// Package postgres gives tests databases of a real PostgreSQL: one server for each program of tests, which is started
// when the first of them asks, listens on a socket in a temporary folder alone, and writes nothing to disks in earnest.
package postgres

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// A Server is a running PostgreSQL.
type Server struct {
	bin, dir string
	settings []string

	mu      sync.Mutex
	running *exec.Cmd
	ended   chan struct{}
}

var (
	shared  = sync.OnceValues(func() (*Server, error) { s, err := start(); begun.Store(s); return s, err })
	begun   atomic.Pointer[Server]
	counted atomic.Int64
)

// New makes an empty database on the server that all tests of this program share, and returns its address. It stays as
// long as the server.
func New(t testing.TB) string {
	t.Helper()
	s, err := shared()
	check(t, err)
	return s.New(t)
}

// Start starts a server for one test, which may stop it. settings are as in postgresql.conf.
func Start(t testing.TB, settings ...string) *Server {
	t.Helper()
	s, err := start(settings...)
	check(t, err)
	t.Cleanup(s.remove)
	return s
}

// StartTLS starts a server for one test that also answers on the loopback interface, encrypted with a certificate of
// its own for 127.0.0.1. root is the file of that certificate, network the host and port.
func StartTLS(t testing.TB) (s *Server, root, network string) {
	t.Helper()
	cert, key, err := Certificate()
	check(t, err)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	check(t, err)
	network = listener.Addr().String()
	_, port, _ := net.SplitHostPort(network)
	check(t, listener.Close())
	root = filepath.Join(t.TempDir(), "root.pem")
	check(t, os.WriteFile(root, cert, 0o600))
	s, err = startWith(map[string][]byte{"cert.pem": cert, "key.pem": key}, "ssl=on",
		"listen_addresses=127.0.0.1", "port="+port)
	check(t, err)
	t.Cleanup(s.remove)
	return s, root, network
}

// Certificate makes a certificate that nobody but itself has signed.
func Certificate() (cert, key []byte, err error) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "postgres"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true,
		BasicConstraintsValid: true,
		IPAddresses:           []net.IP{net.IPv4(127, 0, 0, 1)}}
	der, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	if err != nil {
		return nil, nil, err
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}), err
}

// Stop ends the shared server; to be called when all tests of the program have run.
func Stop() {
	if s := begun.Load(); s != nil {
		s.remove()
	}
}

func check(t testing.TB, err error) {
	t.Helper()
	if errors.Is(err, errNone) && os.Getenv("CI") == "" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
}

var errNone = errors.New("there is no PostgreSQL here: .ci/tools installs it")

// folder finds the programs of PostgreSQL, which Debian keeps out of PATH.
func folder() (string, error) {
	if path, err := exec.LookPath("initdb"); err == nil {
		if path, err = filepath.EvalSymlinks(path); err == nil {
			return filepath.Dir(path), nil
		}
	}
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	slices.SortFunc(found, func(a, b string) int { return major(b) - major(a) })
	if len(found) == 0 {
		return "", errNone
	}
	return filepath.Dir(found[0]), nil
}

func major(path string) int {
	n, _ := strconv.Atoi(filepath.Base(filepath.Dir(filepath.Dir(path))))
	return n
}

func start(settings ...string) (*Server, error) { return startWith(nil, settings...) }

// startWith is start with files for ssl_cert_file and ssl_key_file, which PostgreSQL alone may read.
func startWith(files map[string][]byte, settings ...string) (*Server, error) {
	bin, err := folder()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "tianti-pg-")
	if err != nil {
		return nil, err
	}
	s := &Server{bin: bin, dir: dir, settings: settings}
	if err := s.initialise(); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	for name, content := range files {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.WriteFile(path, content, 0o600), giveAway(path)); err != nil {
			return nil, errors.Join(err, os.RemoveAll(dir))
		}
		name, _, _ = strings.Cut(name, ".")
		s.settings = append(s.settings, "ssl_"+name+"_file="+path)
	}
	if err := s.Up(); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return s, nil
}

func (s *Server) initialise() error {
	if err := giveAway(s.dir); err != nil {
		return err
	}
	cmd := exec.Command(filepath.Join(s.bin, "initdb"), "--pgdata", filepath.Join(s.dir, "data"),
		"--username", "tianti",
		"--auth", "trust", "--no-sync", "--no-instructions", "--encoding", "UTF8", "--locale", "C.UTF-8")
	cmd.Dir, cmd.Env = s.dir, []string{"PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8"}
	asAnother(cmd)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w\n%s", err, out)
	}
	return nil
}

// Up starts the server and returns once it answers.
func (s *Server) Up() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	log, err := os.OpenFile(filepath.Join(s.dir, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	args := []string{"-D", filepath.Join(s.dir, "data"), "-k", s.dir, "-h", ""}
	for _, setting := range slices.Concat([]string{"fsync=off", "full_page_writes=off", "synchronous_commit=off",
		"shared_buffers=32MB", "max_connections=200", "wal_level=minimal", "max_wal_senders=0", "autovacuum=off",
		"jit=off", "datestyle=German"}, s.settings) {
		args = append(args, "-c", setting)
	}
	cmd := exec.Command(filepath.Join(s.bin, "postgres"), args...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = s.dir, []string{"LC_ALL=C.UTF-8"}, log, log
	asAnother(cmd)
	ended, err := startBound(cmd)
	if err != nil {
		return err
	}
	s.running, s.ended = cmd, ended
	for {
		err := run(s.Address("tianti", "postgres"), "SELECT 1")
		if err == nil {
			return nil
		}
		select {
		case <-ended:
			out, _ := os.ReadFile(filepath.Join(s.dir, "log"))
			return fmt.Errorf("postgres ended: %w\n%s", err, out)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// Down ends the server: at once and with open transactions thrown back, or as if the machine had lost power.
func (s *Server) Down(crash bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running == nil {
		return
	}
	signal := fastShutdown
	if crash {
		signal = immediateShutdown
	}
	_ = s.running.Process.Signal(signal)
	<-s.ended
	s.running = nil
}

func (s *Server) remove() {
	s.Down(true)
	_ = os.RemoveAll(s.dir)
}

// Address is that of a database of the server, for a user.
func (s *Server) Address(user, database string) string {
	u := url.URL{Scheme: "postgres", User: url.User(user), Path: "/" + database,
		RawQuery: url.Values{"host": {s.dir}, "port": {s.port()}}.Encode()}
	return u.String()
}

// New makes an empty database, and returns its address.
func (s *Server) New(t testing.TB) string {
	t.Helper()
	name := fmt.Sprintf("test%d", counted.Add(1))
	check(t, run(s.Address("tianti", "postgres"), "CREATE DATABASE "+name))
	return s.Address("tianti", name)
}

// port is that of the server, which is also a part of the name of its socket.
func (s *Server) port() string {
	for _, setting := range s.settings {
		if port, ok := strings.CutPrefix(setting, "port="); ok {
			return port
		}
	}
	return "5432"
}

// Run runs statements in a database.
func Run(t testing.TB, address string, statements ...string) {
	t.Helper()
	for _, statement := range statements {
		if err := run(address, statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
}

func run(address, statement string) error {
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, address)
	if err != nil {
		return err
	}
	_, err = conn.Exec(ctx, statement)
	return errors.Join(err, conn.Close(ctx))
}
