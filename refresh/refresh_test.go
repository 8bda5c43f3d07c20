package refresh_test

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"tianti/audit"
	"tianti/catalog"
	"tianti/importer"
	"tianti/outbound"
	"tianti/refresh"
	"tianti/store"
)

var builtin = catalog.Dataset{
	ID: "builtin", Title: catalog.Text{En: "Built-in data", Zh: "内置数据"}, Rank: 100,
	Sources: []catalog.Source{{ID: "sheet", Publisher: "Acme", Title: "Sheet", URL: "https://example.com/1",
		Kind: "datasheet"}},
	Cards: []catalog.Card{card("acme-x1", "X1"), card("acme-x2", "X2"), card("acme-x3", "X3")},
}

func card(id, name string) catalog.Card {
	return catalog.Card{ID: id, Name: name, Vendor: "Acme", Kind: "gpu", Segment: "datacenter",
		Facts: []catalog.Fact{{Quantity: "memory_gb", Number: 80, Source: "sheet"}}}
}

// A world is a database, a server that serves a feed, and a refresher that reads it.
type world struct {
	t      *testing.T
	db     *store.Store
	server *httptest.Server
	serve  atomic.Pointer[http.HandlerFunc]
	asked  atomic.Int64 // requests
	addrs  func() []netip.Addr
	config string
}

const public = "93.184.215.14"

func newWorld(t *testing.T) *world {
	t.Helper()
	db, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "t.db"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Import(t.Context(), builtin, importer.FileInfo{}, "test"); err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, db: db, addrs: func() []netip.Addr { return []netip.Addr{netip.MustParseAddr(public)} },
		config: "hosts: [example.com]\napply: true\nfeeds:\n" +
			"- {id: shop, url: 'https://example.com/x.csv', kind: street}\n"}
	w.server = httptest.NewTLSServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		w.asked.Add(1)
		(*w.serve.Load())(rw, r)
	}))
	w.server.Config.ErrorLog = nil
	t.Cleanup(func() {
		w.server.Close()
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return w
}

// refresher is one as a process makes it at its start.
func (w *world) refresher() *refresh.Refresher {
	w.t.Helper()
	feeds, err := refresh.Parse([]byte(w.config), "/srv")
	if err != nil {
		w.t.Fatal(err)
	}
	snapshot := func() *catalog.Snapshot {
		snap, err := w.db.Load(context.Background(), nil)
		if err != nil {
			w.t.Error(err)
		}
		return snap
	}
	roots := x509.NewCertPool()
	roots.AddCert(w.server.Certificate())
	return refresh.NewWith(refresh.Config{
		Feeds: feeds, Store: w.db, Snapshot: snapshot,
		Importer: importer.New(importer.Config{Store: w.db, Snapshot: snapshot}),
	}, func(context.Context, string, string) ([]netip.Addr, error) { return w.addrs(), nil },
		func(ctx context.Context, network, address string) (net.Conn, error) {
			if !strings.HasPrefix(address, public+":") {
				return nil, fmt.Errorf("the dialer was asked for %s", address)
			}
			return new(net.Dialer).DialContext(ctx, network, w.server.Listener.Addr().String())
		}, roots)
}

// look serves a feed in one way and refreshes it.
func (w *world) look(serve http.HandlerFunc) refresh.Record {
	w.t.Helper()
	w.serve.Store(&serve)
	feeds, err := refresh.Parse([]byte(w.config), "/srv")
	if err != nil {
		w.t.Fatal(err)
	}
	rec, err := w.refresher().One(w.t.Context(), &feeds.Feeds[0])
	if err != nil {
		w.t.Fatal(err)
	}
	return rec
}

func text(s string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, s) }
}

// shown are the prices of the feed in the catalogue.
func (w *world) shown() (out []string) {
	w.t.Helper()
	snap, err := w.db.Load(w.t.Context(), nil)
	if err != nil {
		w.t.Fatal(err)
	}
	for _, p := range snap.LatestPrices() {
		out = append(out, p.Card+" "+p.Amount.Decimal())
	}
	slices.Sort(out)
	return out
}

func (w *world) want(rec refresh.Record, outcome refresh.Outcome, why refresh.Why, detail string, shown ...string) {
	w.t.Helper()
	if rec.Result.Outcome != outcome || rec.Result.Why != why || !strings.Contains(rec.Result.Detail, detail) {
		w.t.Errorf("got %+v (%s), want %s, %s, %q", rec.Result, rec.Result, outcome, why, detail)
	}
	if got := w.shown(); !slices.Equal(got, shown) {
		w.t.Errorf("the catalogue shows %q, want %q", got, shown)
	}
	kept, err := w.db.Feed(w.t.Context(), "shop")
	if err != nil || kept.Result != rec.Result {
		w.t.Errorf("kept %+v, %v; want %+v", kept.Result, err, rec.Result)
	}
}

func (w *world) apply(id int64) {
	w.t.Helper()
	if _, err := w.db.Apply(w.t.Context(), id, "", audit.Program); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) drafts() int {
	w.t.Helper()
	list, err := w.db.Drafts(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	return len(list)
}

const (
	first  = "GPU,Price (USD),Shop\nX1,1000,A\nX2,2000,A\n"
	second = "GPU,Price (USD),Shop\nX1,1100,A\nX2,1900,A\n"
)

// settled is a world in which the first file has been looked at and applied by a person.
func settled(t *testing.T) *world {
	t.Helper()
	w := newWorld(t)
	rec := w.look(text(first))
	w.want(rec, refresh.Held, refresh.FirstTime, "")
	w.apply(rec.Draft)
	return w
}

func TestTheFirstFileIsForAPersonAndLaterPricesAreApplied(t *testing.T) {
	w := settled(t)
	rec := w.look(text(second))
	w.want(rec, refresh.Applied, "", "", "acme-x1 1100", "acme-x2 1900")
	if rec.Result.Prices != 2 || rec.Result.Revision == 0 || w.drafts() != 0 {
		t.Errorf("got %+v and %d drafts", rec.Result, w.drafts())
	}
	lines, _, err := w.db.Entries(t.Context(), audit.Query{Action: "refresh.", N: 9})
	if err != nil || len(lines) != 2 || lines[0].Action != "refresh.applied" || lines[0].Subject != "shop" ||
		lines[0].Actor != audit.Program || lines[1].Action != "refresh.held" {
		t.Errorf("the audit log has %+v, %v", lines, err)
	}
}

func TestWithoutApplyADraftWaits(t *testing.T) {
	w := settled(t)
	w.config = strings.Replace(w.config, "apply: true", "apply: false", 1)
	rec := w.look(text(second))
	w.want(rec, refresh.Drafted, "", "", "acme-x1 1000", "acme-x2 2000")
	// The next file takes the place of the draft that nobody looked at.
	next := w.look(text(strings.Replace(second, "1100", "1101", 1)))
	w.want(next, refresh.Drafted, "", "", "acme-x1 1000", "acme-x2 2000")
	if w.drafts() != 1 || next.Draft == rec.Draft {
		t.Errorf("%d drafts, %d after %d; want one new", w.drafts(), next.Draft, rec.Draft)
	}
}

func TestABadFeedChangesNothingAndSaysWhy(t *testing.T) {
	endless := func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "GPU,Price (USD)\n")
		line := []byte(strings.Repeat("X1,1000\n", 8192))
		for {
			if _, err := w.Write(line); err != nil {
				return
			}
		}
	}
	to := func(target string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, target, http.StatusFound) }
	}
	hang := func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	halfway := func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "GPU,Price (USD)\nX1,")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}
	large := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", fmt.Sprint(5<<30))
		_, _ = io.WriteString(w, "GPU")
	}
	for name, bad := range map[string]struct {
		serve  http.HandlerFunc
		why    refresh.Why
		detail string
	}{
		"hang":                  {hang, refresh.TooLate, "1s"},
		"hang in the middle":    {halfway, refresh.TooLate, "1s"},
		"5 GB":                  {large, refresh.TooLarge, "1 MB"},
		"5 GB without a length": {endless, refresh.TooLarge, "1 MB"},
		"HTML":                  {text("\n <!DOCTYPE html><title>Sign in</title>"), refresh.IsHTML, ""},
		"nothing":               {text(""), refresh.IsEmpty, ""},
		"error": {func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(503) },
			refresh.BadStatus, "503"},
		"not modified, unasked": {func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(304) },
			refresh.BadStatus, "304"},
		"no table":              {text("just words\n"), refresh.Unreadable, "format"},
		"redirect away":         {to("https://elsewhere.example/x"), refresh.BadRedirect, "elsewhere.example"},
		"redirect without TLS":  {to("http://example.com/x"), refresh.BadRedirect, "http://"},
		"redirect to itself":    {to("https://example.com/x.csv"), refresh.BadRedirect, "x.csv"},
		"redirect to 127.0.0.1": {to("https://127.0.0.1/"), refresh.BadRedirect, "127.0.0.1"},
		"redirect to metadata":  {to("https://169.254.169.254/latest/"), refresh.BadRedirect, "169.254.169.254"},
		"redirect to ::1":       {to("https://[::1]/"), refresh.BadRedirect, "::1"},
		"redirect to a file":    {to("file:///etc/passwd"), refresh.BadRedirect, "file:"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := settled(t)
			w.config = strings.Replace(w.config, "kind: street", "kind: street, timeout: 1s, max_mb: 1", 1)
			rec := w.look(bad.serve)
			w.want(rec, refresh.Failed, bad.why, bad.detail, "acme-x1 1000", "acme-x2 2000")
			if w.drafts() != 0 {
				t.Errorf("%d drafts are left", w.drafts())
			}
			// The feed recovers.
			w.want(w.look(text(second)), refresh.Applied, "", "", "acme-x1 1100", "acme-x2 1900")
		})
	}
}

func TestYesterdaysFileIsNothingToDo(t *testing.T) {
	w := settled(t)
	tagged := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"one"`)
		if r.Header.Get("If-None-Match") == `"one"` {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		_, _ = io.WriteString(w, first)
	}
	w.want(w.look(tagged), refresh.Unchanged, refresh.SameFile, "", "acme-x1 1000", "acme-x2 2000") // by content
	w.want(w.look(tagged), refresh.Unchanged, refresh.SameFile, "", "acme-x1 1000", "acme-x2 2000") // by ETag
	if w.drafts() != 0 {
		t.Errorf("%d drafts", w.drafts())
	}
	lines, _, err := w.db.Entries(t.Context(), audit.Query{Action: "refresh.unchanged", N: 9})
	if err != nil || len(lines) != 1 {
		t.Errorf("the audit log has %d lines of what is unchanged, %v; want one", len(lines), err)
	}
	// Read in another way, the same file is another.
	w.config = strings.Replace(w.config, "kind: street", "kind: used", 1)
	w.want(w.look(tagged), refresh.Held, refresh.NewPrice, "2", "acme-x1 1000", "acme-x2 2000")
}

func TestAPriceFarFromTheLastIsHeld(t *testing.T) {
	for name, c := range map[string]struct {
		file, detail string
		why          refresh.Why
	}{
		"100 times":             {"X1,100000,A\nX2,2000,A\n", "acme-x1: ×100", refresh.Moved},
		"a hundredth":           {"X1,10,A\nX2,2000,A\n", "acme-x1: ÷100", refresh.Moved},
		"more than 30 percent":  {"X1,1301,A\nX2,2000,A\n", "acme-x1: ×1.3", refresh.Moved},
		"from another shop":     {"X1,1000,A\nX2,2000,A\nX1,9000,B\n", "acme-x1: ×9", refresh.Moved},
		"of a card without one": {"X1,1000,A\nX2,2000,A\nX3,9000,B\n", "1, acme-x3", refresh.NewPrice},
	} {
		t.Run(name, func(t *testing.T) {
			w := settled(t)
			rec := w.look(text("GPU,Price (USD),Shop\n" + c.file))
			w.want(rec, refresh.Held, c.why, c.detail, "acme-x1 1000", "acme-x2 2000")
			if w.drafts() != 1 {
				t.Errorf("%d drafts, want one to look at", w.drafts())
			}
		})
	}
}

// TestAFileThatIsPutRightTakesTheDraftOfTheWrongOneBack: nobody is led to a price that the feed no longer says.
func TestAFileThatIsPutRightTakesTheDraftOfTheWrongOneBack(t *testing.T) {
	w := settled(t)
	w.want(w.look(text("GPU,Price (USD),Shop\nX1,100000,A\nX2,2000,A\n")), refresh.Held, refresh.Moved, "acme-x1: ×100",
		"acme-x1 1000", "acme-x2 2000")
	rec := w.look(text(first))
	w.want(rec, refresh.Unchanged, refresh.NothingNew, "", "acme-x1 1000", "acme-x2 2000")
	if rec.Draft != 0 || w.drafts() != 0 {
		t.Errorf("draft %d is left, of %d", rec.Draft, w.drafts())
	}
}

func TestAFeedThatLosesItsPricesIsHeld(t *testing.T) {
	w := newWorld(t)
	rec := w.look(text(first + "X3,3000,A\n"))
	w.apply(rec.Draft)
	w.want(w.look(text("GPU,Price (USD),Shop\nX1,1001,A\n")), refresh.Held, refresh.Vanished, "2 / 3",
		"acme-x1 1000", "acme-x2 2000", "acme-x3 3000")
}

func TestFiguresAreNeverAppliedUnseen(t *testing.T) {
	w := settled(t)
	w.config = strings.Replace(w.config, "kind: street",
		"kind: street, columns: {GPU: card, Price (USD): amount, Shop: seller, VRAM: memory_gb}", 1)
	w.want(w.look(text("GPU,Price (USD),Shop,VRAM\nX1,1000,A,96\nX2,2000,A,80\n")), refresh.Held, refresh.NotPrices, "",
		"acme-x1 1000", "acme-x2 2000")
}

func TestNoPrivateAddressIsAsked(t *testing.T) {
	for _, address := range []string{"127.0.0.1", "127.8.9.1", "10.1.2.3", "172.16.0.1", "192.168.1.1",
		"169.254.169.254",
		"100.64.0.1", "0.0.0.0", "224.0.0.1", "255.255.255.255", "192.0.2.1", "198.18.0.1", "::1", "::",
		"::ffff:127.0.0.1", "::ffff:169.254.169.254", "::ffff:10.0.0.1", "fe80::1", "fe80::1%eth0",
		"fc00::1", "ff02::1",
		"64:ff9b::7f00:1", "::7f00:1", "2002:7f00:1::", "2001::1", "2001:db8::1"} {
		a := netip.MustParseAddr(address)
		if outbound.Public(a) {
			t.Errorf("%s passes as public", a)
		}
	}
	for _, address := range []string{public, "8.8.8.8", "172.32.0.1", "2606:4700::1111", "::ffff:8.8.8.8"} {
		if a := netip.MustParseAddr(address); !outbound.Public(a) {
			t.Errorf("%s does not pass as public", a)
		}
	}
	w := settled(t)
	asked := w.asked.Load()
	for _, address := range []string{"127.0.0.1", "::ffff:169.254.169.254", "::1"} {
		w.addrs = func() []netip.Addr { // of two, one is not public
			return []netip.Addr{netip.MustParseAddr(public), netip.MustParseAddr(address)}
		}
		w.want(
			w.look(text(second)),
			refresh.Failed,
			refresh.BadAddress,
			"example.com →",
			"acme-x1 1000",
			"acme-x2 2000",
		)
	}
	if w.asked.Load() != asked {
		t.Error("the server was asked")
	}
}

// A name that means a public address at first and a private one when it is asked for again.
func TestANameThatChangesLeadsNowhere(t *testing.T) {
	w := settled(t)
	lookups := 0
	w.addrs = func() []netip.Addr {
		if lookups++; lookups > 1 {
			return []netip.Addr{netip.MustParseAddr("127.0.0.1")}
		}
		return []netip.Addr{netip.MustParseAddr(public)}
	}
	hop := func(rw http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/x.csv" {
			http.Redirect(rw, r, "/y.csv", http.StatusFound)
			return
		}
		_, _ = io.WriteString(rw, second)
	}
	w.want(w.look(hop), refresh.Failed, refresh.BadAddress, "127.0.0.1", "acme-x1 1000", "acme-x2 2000")
	lookups = -9 // it stays public: a redirect within the named hosts is followed
	w.want(w.look(hop), refresh.Applied, "", "", "acme-x1 1100", "acme-x2 1900")
}

func TestNetworksThatAreNamedAreAsked(t *testing.T) {
	w := settled(t)
	w.config = "networks: [127.0.0.0/8]\n" + w.config
	w.addrs = func() []netip.Addr { return []netip.Addr{netip.MustParseAddr("127.0.0.1")} }
	w.want(w.look(text(second)), refresh.Failed, refresh.NotReached, "asked for 127.0.0.1:443", "acme-x1 1000",
		"acme-x2 2000")
}

func TestAStrangersCertificateIsRefused(t *testing.T) {
	w := settled(t)
	w.config = strings.ReplaceAll(w.config, "example.com", "example.org")
	w.want(w.look(text(second)), refresh.Failed, refresh.NotReached, "certificate", "acme-x1 1000", "acme-x2 2000")
}

func TestAFileOnADiskIsReadWhenItHasChanged(t *testing.T) {
	w := newWorld(t)
	path := filepath.Join(t.TempDir(), "x.csv")
	w.config = fmt.Sprintf("apply: true\nfeeds:\n- {id: shop, file: %q, kind: street}\n", path)
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	w.want(w.look(nil), refresh.Failed, refresh.NoFile, "no such file")
	write(first)
	rec := w.look(nil)
	w.want(rec, refresh.Held, refresh.FirstTime, "")
	w.apply(rec.Draft)
	w.want(w.look(nil), refresh.Unchanged, refresh.SameFile, "", "acme-x1 1000", "acme-x2 2000")
	write(second + "\n")
	w.want(w.look(nil), refresh.Applied, "", "", "acme-x1 1100", "acme-x2 1900")
	if err := errors.Join(os.Remove(path), os.Mkdir(path, 0o700)); err != nil {
		t.Fatal(err)
	}
	w.want(w.look(nil), refresh.Failed, refresh.NoFile, "not a plain file", "acme-x1 1100", "acme-x2 1900")
}

func TestALateDatabaseErrorIsNoResult(t *testing.T) {
	w := newWorld(t)
	ctx, cancel := context.WithCancel(t.Context())
	feeds, err := refresh.Parse([]byte(w.config), "/srv")
	if err != nil {
		t.Fatal(err)
	}
	serve := http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) { cancel(); <-r.Context().Done() })
	w.serve.Store(&serve)
	if _, err := w.refresher().One(ctx, &feeds.Feeds[0]); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the end of the process", err)
	}
	if _, err := w.db.Feed(t.Context(), "shop"); err == nil {
		t.Error("a result was kept")
	}
}
