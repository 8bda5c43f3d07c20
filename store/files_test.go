package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"tianti/importer"
)

// noise is content that does not become smaller.
func noise(seed uint64, n int) []byte {
	out := make([]byte, n)
	r := rand.NewChaCha8([32]byte{byte(seed)})
	r.Read(out)
	return out
}

func TestKeptFileReadsBackAsItWas(t *testing.T) {
	s := newStore(t)
	ctx := context.Background()
	for name, content := range map[string][]byte{
		"empty.csv": nil, "short.csv": []byte("a,b\n"), "long.csv": bytes.Repeat([]byte("a,b,c\n"), 1_000_000),
		"noise.bin": noise(1, 3*filePart+5),
	} {
		f, err := s.StoreFile(ctx, `C:\data/`+name, iotest.HalfReader(bytes.NewReader(content)))
		sum := sha256.Sum256(content)
		want := importer.FileInfo{Name: name, SHA256: hex.EncodeToString(sum[:]), Size: int64(len(content))}
		if err != nil || f != want {
			t.Fatalf("got %+v, %v, want %+v", f, err, want)
		}
		r, f, err := s.OpenFile(ctx, f.SHA256)
		if err != nil || f != want {
			t.Fatalf("got %+v, %v, want %+v", f, err, want)
		}
		got, err := io.ReadAll(r)
		if err := errors.Join(err, r.Close()); err != nil || !bytes.Equal(got, content) {
			t.Errorf("%s: got %d bytes, %v, want the %d that were kept", name, len(got), err, len(content))
		}
	}
	if n := rowCounts(t, s)["file_parts"]; n < 4+2 {
		t.Errorf("got %d parts, want 4 of the noise alone", n)
	}
}

func TestSameContentIsKeptOnce(t *testing.T) {
	s := newStore(t)
	content := noise(1, 2*filePart)
	for _, name := range []string{"a.csv", "b.csv"} {
		f, err := s.StoreFile(t.Context(), name, bytes.NewReader(content))
		if err != nil || f.Name != name {
			t.Fatal(f, err)
		}
	}
	if n := rowCounts(t, s); n["files"] != 1 || n["uploads"] != 1 || n["file_parts"] != 3 {
		t.Errorf("got %d files, %d uploads, %d parts, want 1, 1, 3", n["files"], n["uploads"], n["file_parts"])
	}
}

func TestFileThatDoesNotEndIsNotKept(t *testing.T) {
	s := newStore(t)
	before := rowCounts(t, s)
	broken := errors.New("the connection broke")
	if _, err := s.StoreFile(t.Context(), "x", io.MultiReader(bytes.NewReader(noise(1, 3*filePart)),
		iotest.ErrReader(broken))); !errors.Is(err, broken) {
		t.Errorf("got %v, want %v", err, broken)
	}
	sameRows(t, s, before)
	ctx, cancel := context.WithCancel(t.Context())
	source := rand.NewChaCha8([32]byte{2})
	endless := readerFunc(func(p []byte) (int, error) {
		if rowCounts(t, s)["file_parts"] > 1 {
			cancel()
		}
		return source.Read(p)
	})
	if _, err := s.StoreFile(ctx, "x", endless); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
	sameRows(t, s, before)
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

func TestFilesThatNothingCameFromGoAfterAWeek(t *testing.T) {
	s := newStore(t)
	keep := func(text string) importer.FileInfo {
		t.Helper()
		f, err := s.StoreFile(t.Context(), "x", strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	used, unused := keep("used"), keep("unused")
	if _, err := s.Import(t.Context(), one("data", 1, 1), used, ""); err != nil {
		t.Fatal(err)
	}
	if r, err := s.Revisions(t.Context(), "data"); err != nil || !r[0].HasFile {
		t.Errorf("got %+v, %v, want one whose file is kept", r, err)
	}
	for _, tc := range []struct {
		after time.Duration
		want  error
	}{{draftLife, nil}, {draftLife + time.Second, fs.ErrNotExist}} {
		s.opt.Now = func() time.Time { return clock.Add(tc.after) }
		if err := s.clean(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, _, err := s.OpenFile(t.Context(), unused.SHA256); !errors.Is(err, tc.want) {
			t.Errorf("unused, after %v: got %v, want %v", tc.after, err, tc.want)
		}
	}
	if r, _, err := s.OpenFile(t.Context(), used.SHA256); err != nil {
		t.Error(err)
	} else {
		r.Close()
	}
	if n := rowCounts(t, s); n["files"] != 1 || n["uploads"] != 1 || n["file_parts"] != 1 {
		t.Errorf("got %v, want one file", n)
	}
}
