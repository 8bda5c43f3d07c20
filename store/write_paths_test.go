package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"tianti/account"
	"tianti/audit"
	"tianti/catalog"
	"tianti/format"
	"tianti/importer"
	"tianti/refresh"
	"tianti/webhook"
)

// A writePath is a cycle of changes, each whole or not there, that leaves as many rows behind each time.
type writePath func(ctx context.Context, s *Store, owner account.Account) []func() error

// unique is a number that no other process has.
func unique() [32]byte {
	var out [32]byte
	for i := range out {
		out[i] = byte(rand.Uint32())
	}
	return out
}

// writePaths are all ways in which a database is written to, but for copying and migrating, which are on their own.
var writePaths = map[string]writePath{
	"import": func(ctx context.Context, s *Store, _ account.Account) []func() error {
		return []func() error{func() error {
			_, err := s.Import(ctx, one("data", 1, 2), importer.FileInfo{}, "")
			return err
		}}
	},
	"draft, applied": func(ctx context.Context, s *Store, _ account.Account) []func() error {
		var d importer.Draft
		return []func() error{
			func() (err error) { d, err = makeDraft(s, importer.Options{Dataset: "prices"}, 60); return err },
			func() error { _, err := s.Apply(ctx, d.ID, "", ann); return err },
		}
	},
	"cards, applied": func(ctx context.Context, s *Store, _ account.Account) []func() error {
		var d importer.Draft
		return []func() error{
			func() (err error) { d, err = draftOfAll(ctx, s, importer.Options{Dataset: "rich"}, 0); return err },
			func() error { _, err := s.Apply(ctx, d.ID, "", ann); return err },
		}
	},
	"correction": func(ctx context.Context, s *Store, _ account.Account) []func() error {
		var d importer.Draft
		return []func() error{
			func() error { // the prices of before stay, as package importer does it
				base, err := activeOf(ctx, s, catalog.Local)
				if err == nil {
					d, err = draftOfAll(ctx, s, importer.Options{Dataset: catalog.Local}, base)
				}
				return err
			},
			func() error { _, err := s.Apply(ctx, d.ID, "", ann); return err },
		}
	},
	"more prices, and undone": func(ctx context.Context, s *Store, _ account.Account) []func() error {
		var before int64
		var d importer.Draft
		return []func() error{
			func() (err error) {
				if before, err = activeOf(ctx, s, "history"); err == nil {
					d, err = makeDraft(s, importer.Options{Dataset: "history", Mode: importer.Add}, 60)
				}
				return err
			},
			func() error { _, err := s.Apply(ctx, d.ID, "", ann); return err },
			func() error { return s.Activate(ctx, "history", before, ann) },
		}
	},
	"draft, discarded": func(ctx context.Context, s *Store, _ account.Account) []func() error {
		var d importer.Draft
		return []func() error{
			func() (err error) { d, err = makeDraft(s, importer.Options{Dataset: "other"}, 60); return err },
			func() error { return s.Discard(ctx, d.ID, ann) },
		}
	},
	"file": func(ctx context.Context, s *Store, _ account.Account) []func() error {
		return []func() error{func() error {
			name := unique()
			_, err := s.StoreFile(ctx, "f", bytes.NewReader(name[:]))
			return err
		}}
	},
	"undo and rank": func(ctx context.Context, s *Store, _ account.Account) []func() error {
		return []func() error{
			func() error { return s.Activate(ctx, "data", 0, ann) },
			func() error { return s.SetRank(ctx, "data", rand.IntN(1<<30), ann) },
			func() error { return s.Activate(ctx, "data", 1, ann) },
		}
	},
	"account": func(ctx context.Context, s *Store, _ account.Account) []func() error {
		var a account.Account
		return []func() error{
			func() (err error) {
				a, err = s.CreateAccount(ctx, fmt.Sprintf("n%x", unique())[:30], account.Reader, passwordHash, false)
				return err
			},
			func() error { return s.SetPassword(ctx, a.Key, passwordHash) },
			func() error { return s.Rehash(ctx, a.Key, passwordHash, passwordHash) },
			func() error { return s.SetAccount(ctx, a.Key, account.Reader, true) },
		}
	},
	"token": func(ctx context.Context, s *Store, owner account.Account) []func() error {
		var token account.Token
		return []func() error{
			func() (err error) {
				token, err = s.CreateToken(ctx, account.Token{Name: "t", Scope: account.ScopeRead}, owner.Key, unique())
				return err
			},
			func() error { return s.TouchToken(ctx, token.Key, clock) },
			func() error { return s.RevokeToken(ctx, token.Key, clock) },
		}
	},
	"session": func(ctx context.Context, s *Store, owner account.Account) []func() error {
		var hash [32]byte
		return []func() error{
			func() error {
				hash = unique()
				return s.CommitSession(ctx, hash, owner.Key, nil, clock.Add(time.Hour))
			},
			func() error { return s.DeleteSession(ctx, hash) },
			func() error { return s.CommitSession(ctx, unique(), owner.Key, nil, clock.Add(-time.Hour)) },
			func() error { return s.DeleteExpiredSessions(ctx, clock) },
			func() error { return s.CommitSession(ctx, unique(), owner.Key, nil, clock.Add(time.Hour)) },
			func() error { return s.EndSessions(ctx, owner.Key) },
		}
	},
	"second factor": func(ctx context.Context, s *Store, owner account.Account) []func() error {
		var codes [][32]byte
		step := int64(1)
		return []func() error{
			func() error {
				codes = [][32]byte{unique(), unique()}
				return s.SetFactor(ctx, owner.Key, make([]byte, 20), 1, codes)
			},
			func() error { step++; _, err := s.UseStep(ctx, owner.Key, step); return err },
			func() error { _, err := s.UseRecoveryCode(ctx, owner.Key, codes[0]); return err },
			func() error { return s.AddDevice(ctx, owner.Key, unique(), 1<<20) },
			func() error { return s.SetRecoveryCodes(ctx, owner.Key, [][32]byte{unique(), unique(), unique()}) },
			func() error { return s.RemoveFactor(ctx, owner.Key) },
		}
	},
	"run": func(ctx context.Context, s *Store, _ account.Account) []func() error {
		var run importer.Run
		return []func() error{
			func() (err error) { run, err = s.KeepRun(ctx, importer.Run{Query: "model=x"}); return err },
			func() error { return s.DeleteRun(ctx, run.Key) },
		}
	},
	"feed": func(ctx context.Context, s *Store, _ account.Account) []func() error {
		return []func() error{func() error {
			return s.SetFeed(ctx, refresh.Record{Feed: fmt.Sprintf("n%x", unique())[:30]},
				&audit.Entry{Actor: ann, Action: "feed.test"})
		}}
	},
	"webhook": func(ctx context.Context, s *Store, _ account.Account) []func() error {
		var e webhook.Endpoint
		var leased []webhook.Leased
		return []func() error{
			func() (err error) {
				e, err = s.AddWebhook(ctx, webhook.Endpoint{URL: "https://ops.example/",
					Events: []webhook.Event{webhook.PricesChanged},
					Secret: webhook.NewSecret()})
				return err
			},
			func() error { return s.RotateWebhook(ctx, e.Key, webhook.NewSecret(), clock.Add(time.Hour)) },
			func() error {
				return s.Spread(ctx, &e, e.Seen+1, []webhook.Delivery{webhook.NewTest(e.Key, clock),
					webhook.NewTest(e.Key, clock)})
			},
			func() error { return s.AddDelivery(ctx, webhook.NewTest(e.Key, clock)) },
			func() (err error) {
				leased, err = s.Lease(ctx, clock, clock.Add(time.Minute), 1)
				if err == nil && len(leased) != 1 {
					err = fmt.Errorf("%d messages are leased", len(leased))
				}
				return err
			},
			func() error {
				leased[0].State = webhook.Delivered
				return s.Finish(ctx, &leased[0].Delivery, &leased[0].To)
			},
			func() error { return s.SetWebhook(ctx, e.Key, []webhook.Event{webhook.PricesChanged}, webhook.Off) },
			func() error { return s.RemoveWebhook(ctx, e.Key) },
		}
	},
	"line of the audit log": func(ctx context.Context, s *Store, _ account.Account) []func() error {
		return []func() error{
			func() error { return s.Record(ctx, audit.Entry{Actor: ann, Action: "test"}) },
		}
	},
	"sums of prices": func(ctx context.Context, s *Store, _ account.Account) []func() error {
		return []func() error{
			func() error { return changed(s.writer.ExecContext(ctx, "DELETE FROM price_sums")) },
			func() error { return s.KeepSums(ctx) },
		}
	},
}

// firstMakesDataset are paths of which the first adds what later ones change: a dataset, and what was chosen for it.
var firstMakesDataset = map[string]bool{"draft, applied": true, "cards, applied": true, "correction": true,
	"more prices, and undone": true}

// draftOfAll is a draft with all that a draft can have, in several parts, and with the prices of a revision unless that
// is 0.
func draftOfAll(
	ctx context.Context, s *Store, opt importer.Options, carried int64,
) (d importer.Draft, err error) {
	ds := sample()
	for i := range 40 {
		c := ds.Cards[0]
		c.ID, c.Aliases, c.PCIIDs = fmt.Sprintf("more-%d", i), nil, nil
		ds.Cards = append(ds.Cards, c)
	}
	w, err := s.BeginDraft(ctx, importer.FileInfo{Name: "cards.yaml"}, opt, ann)
	if err != nil {
		return d, err
	}
	err = w.Sources(ds.Sources)
	if err == nil && carried != 0 {
		ds.Prices = nil
		err = w.CarryPrices(carried)
	}
	if err == nil {
		err = errors.Join(w.Cards(ds.Cards), w.Annotations(ds.Annotations), w.Rates(ds.Rates), w.Prices(ds.Prices),
			w.Skipped([]format.Skipped{{Line: 3, Name: "X1", Reason: format.Unknown}}))
	}
	if err != nil {
		return d, errors.Join(err, w.Abort())
	}
	return w.Finish(ctx, opt, importer.Summary{Rows: 3})
}

// activeOf is the active revision of a dataset, 0 when there is none.
func activeOf(ctx context.Context, s *Store, dataset string) (int64, error) {
	list, err := s.Datasets(ctx)
	for _, d := range list {
		if d.ID == dataset {
			return d.Active, err
		}
	}
	return 0, err
}

// writeNothing are methods that begin a change of what is no database of a server, with what that is.
var writeNothing = map[string]string{
	"WordPrices": "of a new file of an export, which is thrown away unless it is whole",
}

// TestHouseEveryWayToWriteIsKilled: whatever method changes a database is called by a path on which processes are
// killed, and docs/testing.md lists all paths.
func TestHouseEveryWayToWriteIsKilled(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	calls := map[string][]string{} // by function or method
	methods := map[string]bool{}   // of Store, that others can call
	begin := map[string]bool{"write": true, "writeOnce": true, "begin": true}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range parsed.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Body == nil {
				continue
			}
			calls[f.Name.Name] = append(calls[f.Name.Name], called(f.Body)...)
			if f.Recv != nil && f.Name.IsExported() {
				if p, ok := f.Recv.List[0].Type.(*ast.StarExpr); ok && p.X.(*ast.Ident).Name == "Store" {
					methods[f.Name.Name] = true
				}
			}
		}
	}
	var writes func(name string, seen map[string]bool) bool
	writes = func(name string, seen map[string]bool) bool {
		if begin[name] {
			return true
		}
		if seen[name] {
			return false
		}
		seen[name] = true
		return slices.ContainsFunc(calls[name], func(next string) bool { return writes(next, seen) })
	}
	tests, err := parser.ParseFile(token.NewFileSet(), "write_paths_test.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	walked := called(tests)
	n := 0
	for name := range methods {
		changes := writes(name, map[string]bool{})
		_, excepted := writeNothing[name]
		killed := slices.Contains(walked, name)
		if changes {
			n++
		}
		if changes && killed == excepted {
			t.Errorf("%s changes a database: add it to writePaths, or say in writeNothing why not", name)
		}
		if !changes && excepted {
			t.Errorf("%s begins no change: take it out of writeNothing", name)
		}
	}
	if n < 30 {
		t.Errorf("%d methods that change a database were found", n)
	}

	doc, err := os.ReadFile("../docs/testing.md")
	if err != nil {
		t.Fatal(err)
	}
	for name := range writePaths {
		if !bytes.Contains(doc, []byte("| "+name+" |")) {
			t.Errorf("docs/testing.md does not list the path %q", name)
		}
	}
	_, section, _ := strings.Cut(string(doc), "## What is killed\n")
	section, _, _ = strings.Cut(section, "\n## ")
	named := regexp.MustCompile("`(Test\\w+)`").FindAllStringSubmatch(section, -1)
	if len(named) < 10 {
		t.Errorf("docs/testing.md names %d tests", len(named))
	}
	var sources []byte
	for _, pattern := range []string{"*_test.go", "../cmd/tianti/*_test.go", "../publish/*_test.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			sources = append(sources, readFile(t, file)...)
		}
	}
	for _, m := range named {
		if !bytes.Contains(sources, []byte("func "+m[1]+"(t *testing.T)")) {
			t.Errorf("docs/testing.md names %s, which is nowhere", m[1])
		}
	}
}

// called are the names of functions that are called, and of methods of a store, which is s everywhere.
func called(in ast.Node) (out []string) {
	ast.Inspect(in, func(n ast.Node) bool {
		if c, ok := n.(*ast.CallExpr); ok {
			switch f := c.Fun.(type) {
			case *ast.Ident:
				out = append(out, f.Name)
			case *ast.SelectorExpr:
				of, is := f.X.(*ast.Ident)
				field, inside := f.X.(*ast.SelectorExpr)
				if is && of.Name == "s" || inside && field.Sel.Name == "s" {
					out = append(out, f.Sel.Name)
				}
			}
		}
		return true
	})
	return out
}
