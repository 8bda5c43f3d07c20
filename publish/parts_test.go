package publish

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"tianti/catalog"
	"tianti/pricefile"
	"tianti/publish/bucket"
)

// priceFile is a file of one card, whose prices are from an amount on.
func priceFile(t testing.TB, card string, from, n int) (pricefile.Part, []byte) {
	t.Helper()
	var out bytes.Buffer
	w := pricefile.NewWriter(&out)
	var list []catalog.PlacedPrice
	for i := range n {
		list = append(list, catalog.PlacedPrice{Price: catalog.Price{Card: card, Kind: catalog.StreetPrice,
			Date:   "2026-01-02",
			Amount: catalog.Money{Micros: int64(from + i), Currency: "USD"}, Unit: "card", Cards: 1, Source: "s"},
			Place: i})
	}
	if err := errors.Join(w.Write(card, list), w.Close()); err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(out.Bytes())
	return pricefile.Part{Dataset: "d", SHA256: hex.EncodeToString(sum[:]), Size: int64(out.Len()), Prices: n,
		FirstCard: card, LastCard: card, From: "2026-01-02", To: "2026-01-02",
		MadeOf: "of " + hex.EncodeToString(sum[:])}, out.Bytes()
}

// newParts has files in a store and none in its folder.
func newParts(t testing.TB, m *memory, most int64, files ...[]byte) *Parts {
	t.Helper()
	for _, data := range files {
		sum := sha256.Sum256(data)
		m.objects[partKey(hex.EncodeToString(sum[:]))] = data
	}
	p := &Parts{From: m, Dir: filepath.Join(t.TempDir(), "history"), Most: most,
		Log: slog.New(slog.NewTextHandler(io.Discard, nil))}
	if err := p.prepare(); err != nil {
		t.Fatal(err)
	}
	return p
}

// amounts are those that a file has, read by way of a history.
func amounts(ctx context.Context, p *Parts, part pricefile.Part) (out []int64, err error) {
	h := pricefile.History{Parts: []pricefile.Part{part}}
	err = h.Of("d", p.Open).Each(ctx, part.FirstCard, catalog.Days{}, func(q *catalog.PlacedPrice) error {
		out = append(out, q.Amount.Micros)
		return nil
	})
	return out, err
}

// TestFilesOfPricesAreCheckedBeforeTheyAreUsed breaks what the store gives, and what is in the folder.
func TestFilesOfPricesAreCheckedBeforeTheyAreUsed(t *testing.T) {
	part, data := priceFile(t, "a", 100, 3)
	_, other := priceFile(t, "a", 900, 3)
	changed := slices.Clone(data)
	changed[len(changed)/2] ^= 1
	for name, gives := range map[string]func() (*bucket.Object, error){
		"gone":           func() (*bucket.Object, error) { return nil, fs.ErrNotExist },
		"away":           func() (*bucket.Object, error) { return nil, errors.New("no route") },
		"cut off":        object(data[:len(data)-9], -1),
		"cut off, known": object(data[:len(data)-9], int64(len(data)-9)),
		"longer":         object(append(slices.Clone(data), 0), -1),
		"a bit flipped":  object(changed, int64(len(data))),
		"another file":   object(other, int64(len(other))),
		"a page":         object([]byte("<html>"), -1),
		"empty":          object(nil, -1),
		"breaks off": func() (*bucket.Object, error) {
			return &bucket.Object{ReadCloser: io.NopCloser(io.MultiReader(bytes.NewReader(data[:9]), failing{})),
				Size: -1}, nil
		},
		"stands still": func() (*bucket.Object, error) {
			r, w := io.Pipe()
			go func() { _, _ = w.Write(data[:9]) }()
			return &bucket.Object{ReadCloser: r, Size: int64(len(data))}, nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := newMemory()
				p := newParts(t, m, 1<<20, data)
				m.get = func(string) (*bucket.Object, error) { return gives() }
				var away pricefile.AwayError
				ctx, cancel := context.WithTimeout(t.Context(), fetchWithin)
				defer cancel()
				if got, err := p.data(ctx, &part); !errors.As(err, &away) || len(got) > 0 {
					t.Errorf("got %d bytes, %v", len(got), err)
				}
				asked := m.gets
				if _, err := p.data(ctx, &part); !errors.As(err, &away) || m.gets != asked {
					t.Errorf("got %v: the store is asked again at once", err)
				}
				if left, err := os.ReadDir(p.Dir); err != nil || len(left) != 0 {
					t.Errorf("%v is kept, %v", left, err)
				}
				m.get = nil
				time.Sleep(againAfter)
				if got, err := p.data(t.Context(), &part); !bytes.Equal(got, data) {
					t.Errorf("got %d bytes, %v after the fault", len(got), err)
				}
				m.set(func(m *memory) { m.fail = errors.New("away") })
				p = &Parts{From: m, Dir: p.Dir, Most: 1 << 20, Log: p.Log} // started again
				if err := p.prepare(); err != nil {
					t.Fatal(err)
				}
				if got, err := p.data(t.Context(), &part); !bytes.Equal(got, data) {
					t.Errorf("got %d bytes, %v of the file that is kept", len(got), err)
				}
				synctest.Wait()
			})
		})
	}
	for name, text := range map[string][]byte{"changed": changed, "cut off": data[:50], "another": other} {
		m := newMemory()
		p := newParts(t, m, 1<<20, data)
		if err := os.WriteFile(p.path(part.SHA256), text, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p.path(part.SHA256)+half, text, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := p.prepare(); err != nil {
			t.Fatal(err)
		}
		if got, err := amounts(t.Context(), p, part); !slices.Equal(got, []int64{100, 101, 102}) {
			t.Errorf("%s in the folder: got %d, %v", name, got, err)
		}
		if kept, err := os.ReadFile(p.path(part.SHA256)); err != nil || !bytes.Equal(kept, data) {
			t.Errorf("%s in the folder: %d bytes are kept, %v", name, len(kept), err)
		}
	}
	wrong := part
	wrong.Prices++
	if _, err := amounts(t.Context(), newParts(t, newMemory(), 1<<20, data), wrong); err == nil {
		t.Error("a file with other than the listed number of prices is taken")
	}
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errors.New("connection reset") }

func object(text []byte, size int64) func() (*bucket.Object, error) {
	return func() (*bucket.Object, error) {
		return &bucket.Object{ReadCloser: io.NopCloser(bytes.NewReader(text)), Size: size}, nil
	}
}

func TestFolderOfFilesIsBounded(t *testing.T) {
	m := newMemory()
	var parts []pricefile.Part
	var files [][]byte
	for i := range 6 {
		part, data := priceFile(t, fmt.Sprint("card", i), i, 1)
		parts, files = append(parts, part), append(files, data)
	}
	most := parts[0].Size * 7 / 2
	p := newParts(t, m, most, files...)
	if p.fits(&pricefile.History{Parts: parts}) || !p.fits(&pricefile.History{Parts: parts[:3]}) {
		t.Error("of six files three fit")
	}
	for round := range 3 {
		for i, part := range parts {
			if got, err := amounts(t.Context(), p, part); !slices.Equal(got, []int64{int64(i)}) {
				t.Fatalf("round %d: got %d, %v", round, got, err)
			}
			if s := p.Status(); s.Bytes > most || s.Files > 3 {
				t.Fatalf("%+v are kept, want at most %d bytes", s, most)
			}
		}
	}
	if got := kept(t, p); len(got) != 3 || !slices.Contains(got, parts[5].SHA256) {
		t.Errorf("%d files are kept, want the last three", len(got))
	}
	if err := p.only(&pricefile.History{Parts: parts[5:]}, nil); err != nil {
		t.Fatal(err)
	}
	if got := kept(t, p); !slices.Equal(got, []string{parts[5].SHA256}) || p.Status().Bytes != parts[5].Size {
		t.Errorf("%v are kept, %+v, want the one that is named", got, p.Status())
	}
	large := newParts(t, m, parts[0].Size-9, files...)
	if got, err := amounts(t.Context(), large, parts[0]); len(got) != 1 || len(kept(t, large)) != 0 {
		t.Errorf("got %d, %v: one that is larger than the folder may be is read all the same, and not kept", got, err)
	}
}

// kept lists the hashes of the files in the folder.
func kept(t *testing.T, p *Parts) (out []string) {
	t.Helper()
	files, err := os.ReadDir(p.Dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if sum := historyOf(historyDir+f.Name(), partSuffix); sum != "" {
			out = append(out, sum)
		}
	}
	return out
}

// TestManyAskForAFileAtOnce: it is fetched once, and whoever goes away meanwhile takes it from nobody.
func TestManyAskForAFileAtOnce(t *testing.T) {
	part, data := priceFile(t, "a", 7, 1)
	m := newMemory()
	p := newParts(t, m, 1<<20, data)
	release := make(chan struct{})
	m.get = func(string) (*bucket.Object, error) { <-release; return nil, nil }
	gone, leave := context.WithCancel(t.Context())
	var left, all sync.WaitGroup
	for range 25 {
		left.Go(func() {
			if got, err := amounts(gone, p, part); !errors.Is(err, context.Canceled) {
				t.Errorf("who has left got %d, %v", got, err)
			}
		})
		all.Go(func() {
			if got, err := amounts(t.Context(), p, part); !slices.Equal(got, []int64{7}) {
				t.Errorf("got %d, %v", got, err)
			}
		})
	}
	leave()
	left.Wait()
	close(release)
	all.Wait()
	if m.gets != 1 {
		t.Errorf("the store is asked %d times", m.gets)
	}
}

// A monthFile is a file that stands for the prices of a month.
type monthFile struct {
	part pricefile.Part
	data []byte
}

// monthFiles are made before a test's own time begins: encoders are shared by all tests.
func monthFiles(t testing.TB) map[string]map[int]monthFile {
	out := map[string]map[int]monthFile{}
	for _, month := range []string{"january", "february"} {
		out[month] = map[int]monthFile{}
		for _, from := range []int{10, 20, 21, 22, 30, 31, 32} {
			part, data := priceFile(t, month, from, 2)
			out[month][from] = monthFile{part, data}
		}
	}
	return out
}

// apart has a publisher publish files of prices that are not in its snapshots: those of a month each.
func apart(p *Publisher, files map[string]map[int]monthFile, months map[string]int) {
	p.ApartFrom, p.Apart = 1, func(context.Context, string) (bool, error) { return true, nil }
	p.History = func(_ context.Context, _, dir string, known func(string) (pricefile.Part, bool)) (*pricefile.History,
		error) {
		h := &pricefile.History{Format: pricefile.Format}
		for _, month := range []string{"january", "february"} {
			file := files[month][months[month]]
			if _, ok := known(file.part.MadeOf); !ok {
				if err := os.WriteFile(filepath.Join(dir, file.part.SHA256), file.data, 0o600); err != nil {
					return nil, err
				}
			}
			h.Parts = append(h.Parts, file.part)
		}
		return h, nil
	}
}

// TestSnapshotIsShownOnceItsPricesAreThere follows a writer whose prices are apart: while one of the files or the list
// is not right, the last state stays, with all of its prices.
func TestSnapshotIsShownOnceItsPricesAreThere(t *testing.T) {
	ofKind := func(suffix string) func(m *memory, change func([]byte) []byte) {
		return func(m *memory, change func([]byte) []byte) {
			m.get = func(key string) (*bucket.Object, error) {
				if historyOf(key, suffix) == "" {
					return nil, nil
				}
				m.mu.Lock()
				defer m.mu.Unlock()
				text := change(bytes.Clone(m.objects[key]))
				if text == nil {
					return nil, fs.ErrNotExist
				}
				return &bucket.Object{ReadCloser: io.NopCloser(bytes.NewReader(text)), Size: -1}, nil
			}
		}
	}
	files := monthFiles(t)
	for of, breaks := range map[string]func(*memory, func([]byte) []byte){"file": ofKind(partSuffix),
		"list": ofKind(listSuffix)} {
		for name, change := range map[string]func([]byte) []byte{
			"gone": func([]byte) []byte { return nil }, "cut off": func(b []byte) []byte { return b[:len(b)/2] },
			"a bit flipped": func(b []byte) []byte { b[len(b)/2] ^= 1; return b },
		} {
			t.Run(of+" "+name, func(t *testing.T) {
				following(t, func(t *testing.T, p *Publisher, m *memory, f *Follower, s *screen) {
					prices := map[string]int{"january": 10, "february": 20}
					apart(p, files, prices)
					publishes(t, p, 2)
					time.Sleep(2 * time.Second)
					shows(t, f, s, "", 1, 2)
					s.reads(t, f, files, 10, 20)
					m.set(func(m *memory) { breaks(m, change) })
					prices["february"] = 30
					publishes(t, p, 3)
					time.Sleep(20 * time.Second)
					shows(t, f, s, Damaged, 1, 2)
					s.reads(t, f, files, 10, 20)
					m.set(func(m *memory) { m.get = nil })
					time.Sleep(lastAgain * 5 / 4)
					shows(t, f, s, "", 1, 2, 3)
					s.reads(t, f, files, 10, 30)
					m.set(func(m *memory) { m.fail = errors.New("away") })
					time.Sleep(time.Minute)
					s.reads(t, f, files, 10, 30)
				})
			})
		}
	}
}

// reads checks the files that belong to what is shown.
func (s *screen) reads(t *testing.T, f *Follower, files map[string]map[int]monthFile, january, february int) {
	t.Helper()
	s.mu.Lock()
	list := s.prices
	s.mu.Unlock()
	for i, want := range []monthFile{files["january"][january], files["february"][february]} {
		if got, err := f.parts.data(t.Context(), &list.Parts[i]); !bytes.Equal(got, want.data) {
			t.Errorf("file %d: got %d bytes, %v", i, len(got), err)
		}
	}
}

// TestReaderStartsWithThePricesThatItKept: also while the store is away; files of before are deleted, those that stay
// are not fetched again.
func TestReaderStartsWithThePricesThatItKept(t *testing.T) {
	files := monthFiles(t)
	m, dir, d := newMemory(), t.TempDir(), &database{revision: 1}
	p := newPublisher(t, m, d, io.Discard)
	prices := map[string]int{"january": 10, "february": 20}
	apart(p, files, prices)
	published(t, p)
	restarted(t, dir, m)
	m.fail = errors.New("away")
	shown, status, log := restarted(t, dir, m)
	if !slices.Equal(shown, []int64{1}) || !status.Cached {
		t.Errorf("got %d, %+v\n%s", shown, status, log)
	}
	m.fail = nil
	var fetched []string
	m.get = func(key string) (*bucket.Object, error) { fetched = append(fetched, key); return nil, nil }
	for i := range 3 {
		prices["february"] = 30 + i
		d.moveTo(int64(2 + i))
		r := published(t, p)
		fetched = nil
		if shown, _, log := restarted(t, dir, m); !slices.Equal(shown, []int64{int64(1 + i), int64(2 + i)}) {
			t.Fatalf("got %d\n%s", shown, log)
		}
		slices.Sort(fetched)
		want := []string{currentKey, r.History.Key(), partKey(files["february"][30+i].part.SHA256), r.Key()}
		slices.Sort(want)
		if diff := cmp.Diff(want, slices.Compact(fetched)); diff != "" {
			t.Errorf("fetched (-want +got):\n%s", diff)
		}
	}
	left, err := filepath.Glob(filepath.Join(dir, "history", "*"))
	if err != nil || len(left) != 4 { // the list, both files, and the one of before
		t.Errorf("got %v, %v", left, err)
	}
}

// TestDamagedFilesInTheStoreAreWrittenAgain: with the next change, also those that it does not change.
func TestDamagedFilesInTheStoreAreWrittenAgain(t *testing.T) {
	files := monthFiles(t)
	m, d := newMemory(), &database{revision: 1}
	p := newPublisher(t, m, d, io.Discard)
	prices := map[string]int{"january": 10, "february": 20}
	apart(p, files, prices)
	published(t, p)
	january, data := files["january"][10].part, files["january"][10].data
	for name, damage := range map[string]func(){
		"gone":    func() { delete(m.objects, partKey(january.SHA256)) },
		"cut off": func() { m.objects[partKey(january.SHA256)] = data[:9] },
	} {
		damage()
		prices["february"]++
		d.moveTo(d.revision + 1)
		published(t, p)
		if !bytes.Equal(m.objects[partKey(january.SHA256)], data) {
			t.Errorf("%s: it is not written again", name)
		}
	}
}
