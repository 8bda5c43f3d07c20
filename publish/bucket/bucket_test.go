package bucket

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
)

// fakeS3 is a store with the interface of S3 and the bucket "cards", and the variables to reach it.
func fakeS3(t testing.TB) (server *httptest.Server, getenv func(string) string) {
	t.Helper()
	backend := s3mem.New()
	if err := backend.CreateBucket("cards"); err != nil {
		t.Fatal(err)
	}
	server = httptest.NewServer(gofakes3.New(backend, gofakes3.WithIntegrityCheck(true)).Server())
	t.Cleanup(server.Close)
	return server, env(map[string]string{"AWS_ENDPOINT_URL_S3": server.URL, "AWS_ACCESS_KEY_ID": "key",
		"AWS_SECRET_ACCESS_KEY": "secret", "AWS_REGION": "eu-central-1"})
}

func env(m map[string]string) func(string) string { return func(name string) string { return m[name] } }

// buckets are both kinds that can be written to, empty.
func buckets(t *testing.T) map[string]Bucket {
	t.Helper()
	_, getenv := fakeS3(t)
	store, err := Open("s3://cards/live/tianti", getenv)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "a folder", "b")
	if err := os.MkdirAll(path, 0o755); err != nil {
		t.Fatal(err)
	}
	folder, err := Open("file://"+filepath.ToSlash(path), env(nil))
	if err != nil {
		t.Fatal(err)
	}
	return map[string]Bucket{"s3": store, "file": folder}
}

func put(t *testing.T, b Bucket, key, text string, change func(*Put)) error {
	t.Helper()
	sum := sha256.Sum256([]byte(text))
	p := Put{Body: strings.NewReader(text), Size: int64(len(text)), SHA256: hex.EncodeToString(sum[:])}
	if change != nil {
		change(&p)
	}
	return b.Put(context.Background(), key, p)
}

// text reads an object, and returns its tag too.
func text(t *testing.T, b Reader, key, known string) (content, tag string, err error) {
	t.Helper()
	o, err := b.Get(context.Background(), key, known)
	if err != nil {
		return "", "", err
	}
	defer o.Close()
	all, err := io.ReadAll(o)
	if o.Size >= 0 && o.Size != int64(len(all)) {
		t.Errorf("%s: the size is %d, got %d bytes", key, o.Size, len(all))
	}
	return string(all), o.Tag, err
}

func TestObjectsAreWrittenReadListedAndDeleted(t *testing.T) {
	for name, b := range buckets(t) {
		t.Run(name, func(t *testing.T) {
			ctx := context.Background()
			if _, _, err := text(t, b, "current.json", ""); !errors.Is(err, fs.ErrNotExist) {
				t.Fatalf("got %v, want %v", err, fs.ErrNotExist)
			}
			if list, err := b.List(ctx, "snapshots/"); err != nil || len(list) != 0 {
				t.Fatalf("got %v, %v, want nothing", list, err)
			}
			for _, key := range []string{"current.json", "snapshots/b", "snapshots/a", "snapshots/ä +%"} {
				if err := put(t, b, key, "content of "+key, nil); err != nil {
					t.Fatal(err)
				}
				if got, _, err := text(t, b, key, ""); err != nil || got != "content of "+key {
					t.Errorf("%s: got %q, %v", key, got, err)
				}
			}
			list, err := b.List(ctx, "snapshots/")
			var keys []string
			for _, e := range list {
				keys = append(keys, e.Key)
				if e.Size != int64(len("content of "+e.Key)) || time.Since(e.Modified).Abs() > time.Hour {
					t.Errorf("got %+v, want its size and the time of now", e)
				}
			}
			if diff := cmp.Diff([]string{"snapshots/a", "snapshots/b", "snapshots/ä +%"}, keys); err != nil ||
				diff != "" {
				t.Errorf("%v, -want +got:\n%s", err, diff)
			}
			for range 2 { // the second time there is nothing
				if err := b.Delete(ctx, "snapshots/a"); err != nil {
					t.Error(err)
				}
			}
			if _, _, err := text(t, b, "snapshots/a", ""); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("got %v after it was deleted, want %v", err, fs.ErrNotExist)
			}
		})
	}
}

func TestObjectThatHasNotChangedIsNotReadAgain(t *testing.T) {
	for name, b := range buckets(t) {
		t.Run(name, func(t *testing.T) {
			if err := put(t, b, "current.json", "one", nil); err != nil {
				t.Fatal(err)
			}
			_, tag, err := text(t, b, "current.json", "")
			if err != nil || tag == "" {
				t.Fatalf("got tag %q, %v", tag, err)
			}
			if _, _, err := text(t, b, "current.json", tag); !errors.Is(err, ErrNotModified) {
				t.Errorf("got %v, want %v", err, ErrNotModified)
			}
			if err := put(t, b, "current.json", "two", nil); err != nil {
				t.Fatal(err)
			}
			if got, next, err := text(t, b, "current.json", tag); err != nil || got != "two" || next == tag {
				t.Errorf("got %q with tag %q, %v, want the new one", got, next, err)
			}
		})
	}
}

func TestConditionsOfWritesAreKept(t *testing.T) {
	for name, b := range buckets(t) {
		t.Run(name, func(t *testing.T) {
			isNew := func(p *Put) { p.New = true }
			if err := put(t, b, "current.json", "x", func(p *Put) {
				p.Match = `"5d41402abc4b2a76b9719d911017c592"`
			}); err == nil {
				t.Error("what is not there was replaced")
			}
			if err := put(t, b, "current.json", "one", isNew); err != nil {
				t.Fatal(err)
			}
			if err := put(t, b, "current.json", "two", isNew); !errors.Is(err, ErrConflict) {
				t.Errorf("got %v, want %v", err, ErrConflict)
			}
			_, tag, err := text(t, b, "current.json", "")
			if err != nil {
				t.Fatal(err)
			}
			match := func(p *Put) { p.Match = tag }
			if err := put(t, b, "current.json", "two", match); err != nil {
				t.Errorf("got %v with the right tag", err)
			}
			if err := put(t, b, "current.json", "three", match); !errors.Is(err, ErrConflict) {
				t.Errorf("got %v, want %v", err, ErrConflict)
			}
			if got, _, err := text(t, b, "current.json", ""); err != nil || got != "two" {
				t.Errorf("got %q, %v, want what was written under the right condition", got, err)
			}
		})
	}
}

// TestOfSeveralWritersOneWins has eight writers count in one object, each 5 times: nothing is lost.
func TestOfSeveralWritersOneWins(t *testing.T) {
	for name, b := range buckets(t) {
		t.Run(name, func(t *testing.T) {
			if err := put(t, b, "n", "0", nil); err != nil {
				t.Fatal(err)
			}
			var writers sync.WaitGroup
			for range 8 {
				writers.Go(func() {
					for done := 0; done < 5; {
						now, tag, err := text(t, b, "n", "")
						var n int
						if _, scanErr := fmt.Sscan(now, &n); err != nil || scanErr != nil {
							t.Error(err, scanErr)
							return
						}
						err = put(t, b, "n", fmt.Sprint(n+1), func(p *Put) { p.Match = tag })
						switch {
						case err == nil:
							done++
						case !errors.Is(err, ErrConflict):
							t.Error(err)
							return
						}
					}
				})
			}
			writers.Wait()
			if got, _, err := text(t, b, "n", ""); err != nil || got != "40" {
				t.Errorf("got %q, %v, want 40", got, err)
			}
		})
	}
}

func TestListHasAllPages(t *testing.T) {
	_, getenv := fakeS3(t)
	b, err := Open("s3://cards", getenv)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 1005 { // a page has 1000
		if err := put(t, b, fmt.Sprintf("snapshots/%04d", i), "x", nil); err != nil {
			t.Fatal(err)
		}
	}
	list, err := b.List(context.Background(), "snapshots/")
	if err != nil || len(list) != 1005 || list[1004].Key != "snapshots/1004" {
		t.Errorf("got %d entries, %v, want 1005", len(list), err)
	}
}

func TestAddresses(t *testing.T) {
	for address, want := range map[string]struct{ reads, writes, mistake string }{
		"s3://cards/live/":          {"s3://cards/live", "s3://cards/live", ""},
		"s3://cards":                {"s3://cards", "s3://cards", ""},
		"file:///srv/a%20b":         {"file:///srv/a%20b", "file:///srv/a%20b", ""},
		"https://u:pw@x.org/p?k=v":  {"https://x.org/p", "", "https://x.org/p can only be read"},
		"http://127.0.0.1:1/p":      {"http://127.0.0.1:1/p", "", "http://127.0.0.1:1/p can only be read"},
		"s3://u:pw@cards/p":         {"", "", "s3://cards/p has more than a place"},
		"s3://cards/p?k=v":          {"", "", "s3://cards/p has more than a place"},
		"s3://Cards":                {"", "", "s3://Cards names no bucket"},
		"s3:///p":                   {"", "", "s3:///p names no bucket"},
		"file://host/p":             {"", "", "file://host/p is no folder"},
		"file:p":                    {"", "", "file:p is no folder"},
		"https:///p":                {"", "", "https:///p names no host"},
		"ftp://u:pw@host/p?k=v":     {"", "", `"ftp://host/p" is no address of a store`},
		"cards":                     {"", "", `"cards" is no address of a store`},
		"https://u:pw%zz@x.org/?pw": {"", "", "the address of a store cannot be read"},
	} {
		getenv := env(map[string]string{"AWS_ENDPOINT_URL": "http://127.0.0.1:1"})
		r, err := OpenReader(address, getenv)
		if want.reads != "" {
			if err != nil || r.String() != want.reads {
				t.Errorf("%s: got %v, %v to read, want %s", address, r, err, want.reads)
			}
		} else if err == nil || !strings.HasPrefix(err.Error(), want.mistake) {
			t.Errorf("%s: got %v, want %s", address, err, want.mistake)
		}
		w, err := Open(address, getenv)
		if want.writes != "" {
			if err != nil || w.String() != want.writes {
				t.Errorf("%s: got %v, %v to write, want %s", address, w, err, want.writes)
			}
		} else if err == nil || !strings.HasPrefix(err.Error(), want.mistake) {
			t.Errorf("%s: got %v, want %s", address, err, want.mistake)
		}
		if err != nil && strings.Contains(err.Error(), "pw") {
			t.Errorf("%s: the error tells the password: %v", address, err)
		}
	}
}

func TestHostOfBucket(t *testing.T) {
	for name, tc := range map[string]struct {
		address string
		env     map[string]string
		want    string
	}{
		"amazon": {"s3://cards/p", map[string]string{"AWS_REGION": "eu-central-1"},
			"https://cards.s3.eu-central-1.amazonaws.com"},
		"default": {"s3://cards/p", nil, "https://cards.s3.us-east-1.amazonaws.com"},
		"china": {"s3://cards", map[string]string{"AWS_DEFAULT_REGION": "cn-north-1"},
			"https://cards.s3.cn-north-1.amazonaws.com.cn"},
		"dots": {"s3://cards.example", nil, "https://s3.us-east-1.amazonaws.com/cards.example"},
		"other": {"s3://cards", map[string]string{"AWS_ENDPOINT_URL": "https://s3.example/x"},
			"https://s3.example/x/cards"},
		"of s3 wins": {"s3://cards", map[string]string{"AWS_ENDPOINT_URL": "https://a",
			"AWS_ENDPOINT_URL_S3": "https://b"}, "https://b/cards"},
	} {
		b, err := Open(tc.address, env(tc.env))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := b.(*s3).base.String(); got != tc.want {
			t.Errorf("%s: got %s, want %s", name, got, tc.want)
		}
	}
	if _, err := Open("s3://cards", env(map[string]string{"AWS_ENDPOINT_URL": "s3.example"})); err == nil {
		t.Error("want an error for an endpoint that is no address")
	}
}

func TestRequestsAreSignedWithTheHashOfWhatIsSent(t *testing.T) {
	var got *http.Request
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { got = r }))
	defer server.Close()
	b, err := Open("s3://cards/p", env(map[string]string{"AWS_ENDPOINT_URL": server.URL, "AWS_ACCESS_KEY_ID": "AKID",
		"AWS_SECRET_ACCESS_KEY": "secret", "AWS_SESSION_TOKEN": "session", "AWS_REGION": "eu-west-1"}))
	if err != nil {
		t.Fatal(err)
	}
	if err := put(t, b, "snapshots/x.db.zst", "hello", func(p *Put) { p.New = true }); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"X-Amz-Content-Sha256": "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824",
		"X-Amz-Security-Token": "session", "If-None-Match": "*", "Content-Length": "5",
	} {
		if v := got.Header.Get(name); v != want {
			t.Errorf("%s: got %q, want %q", name, v, want)
		}
	}
	auth := got.Header.Get("Authorization")
	if !strings.HasPrefix(auth, "AWS4-HMAC-SHA256 Credential=AKID/") ||
		!strings.Contains(auth, "/eu-west-1/s3/aws4_request") ||
		!strings.Contains(auth, "if-none-match") || strings.Contains(auth, "secret") {
		t.Errorf("got %q", auth)
	}
}

func TestCredentialsAreFound(t *testing.T) {
	file := filepath.Join(t.TempDir(), "credentials")
	if err := os.WriteFile(file, []byte("[default]\naws_access_key_id = F\naws_secret_access_key = S\n"),
		0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", file) // the library reads the process's own
	t.Setenv("AWS_CONFIG_FILE", filepath.Join(t.TempDir(), "none"))
	c := &chain{getenv: env(map[string]string{"AWS_EC2_METADATA_DISABLED": "true"})}
	if v, err := c.Retrieve(); err != nil || v.AccessKeyID != "F" || v.SecretAccessKey != "S" {
		t.Errorf("got %q, %v, want those of the file", v.AccessKeyID, err)
	}
	c.getenv = env(map[string]string{"AWS_ACCESS_KEY_ID": "E", "AWS_SECRET_ACCESS_KEY": "S"})
	if v, err := c.Retrieve(); err != nil || v.AccessKeyID != "E" {
		t.Errorf("got %q, %v, want those of the variables", v.AccessKeyID, err)
	}
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", filepath.Join(t.TempDir(), "none"))
	c.getenv = env(map[string]string{"AWS_EC2_METADATA_DISABLED": "true"})
	if _, err := c.Retrieve(); !errors.Is(err, errNoCredentials) {
		t.Errorf("got %v, want %v", err, errNoCredentials)
	}
}

func TestRefusalsSayWhatTheStoreSays(t *testing.T) {
	for name, tc := range map[string]struct {
		status int
		header http.Header
		body   string
		want   string
		is     error
	}{
		"denied": {403, nil, "<Error><Code>AccessDenied</Code><Message>No\n way</Message></Error>",
			"the store answers 403 Forbidden for k (AccessDenied: No way)", nil},
		"other region": {301, http.Header{"X-Amz-Bucket-Region": {"eu-west-3"}}, "",
			"the store answers 301 Moved Permanently for k (PermanentRedirect: the bucket is in eu-west-3: set " +
				"AWS_REGION)", nil},
		"no bucket": {404, nil, "<Error><Code>NoSuchBucket</Code></Error>",
			"the store answers 404 Not Found for k (NoSuchBucket:)", nil},
		"no object": {404, nil, "<Error><Code>NoSuchKey</Code></Error>", "the store answers 404 Not Found for k " +
			"(NoSuchKey:)",
			fs.ErrNotExist},
		"page": {502, nil, "<html>" + strings.Repeat("x", 1<<20), "the store answers 502 Bad Gateway for k", nil},
		"endless": {500, nil, "<Error><Code>" + strings.Repeat("x", 1<<20), "the store answers 500 Internal Server " +
			"Error for k", nil},
		"partial": {206, nil, "x", "the store answers 206 Partial Content for k", nil},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			for k, v := range tc.header {
				w.Header()[k] = v
			}
			w.WriteHeader(tc.status)
			_, _ = io.WriteString(w, tc.body)
		}))
		b, err := Open("s3://cards", env(map[string]string{"AWS_ENDPOINT_URL": server.URL, "AWS_ACCESS_KEY_ID": "k",
			"AWS_SECRET_ACCESS_KEY": "s"}))
		if err != nil {
			t.Fatal(err)
		}
		_, err = b.Get(context.Background(), "k", "")
		if err == nil || err.Error() != tc.want || tc.is != nil && !errors.Is(err, tc.is) ||
			tc.is == nil && errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: got %v, want %s", name, err, tc.want)
		}
		server.Close()
	}
}

func TestWebServersAreReadWithWhatTheAddressHas(t *testing.T) {
	var asked *http.Request
	content := []byte("published")
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = r
		if strings.HasSuffix(r.URL.Path, "/away") {
			http.Redirect(w, r, "/elsewhere", http.StatusFound)
			return
		}
		w.Header().Set("ETag", `"v1"`)
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
	}))
	defer server.Close()
	r, err := OpenReader(strings.Replace(server.URL, "://", "://me:pw@", 1)+"/a/b?sig=x", env(nil))
	if err != nil {
		t.Fatal(err)
	}
	got, tag, err := text(t, r, "snapshots/s", "")
	user, password, _ := asked.BasicAuth()
	if err != nil || got != "published" || asked.URL.String() != "/a/b/snapshots/s?sig=x" || user+password != "mepw" {
		t.Errorf("got %q, %v by %s as %s", got, err, asked.URL, user)
	}
	if _, _, err := text(t, r, "snapshots/s", tag); !errors.Is(err, ErrNotModified) {
		t.Errorf("got %v, want %v", err, ErrNotModified)
	}
	if got, _, err := text(t, r, "away", ""); err != nil || got != "published" {
		t.Errorf("got %q, %v after a redirect", got, err)
	}
	server.Close()
	if _, _, err := text(t, r, "x", ""); err == nil || strings.Contains(err.Error(), "pw") ||
		strings.Contains(err.Error(), "sig") {
		t.Errorf("got %v, want an error without secrets", err)
	}
}

func TestRedirectsDoNotLeaveTLS(t *testing.T) {
	plain := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "x")
	}))
	defer plain.Close()
	secure := httptest.NewTLSServer(http.RedirectHandler(plain.URL, http.StatusFound))
	defer secure.Close()
	r, err := OpenReader(secure.URL, env(nil))
	if err != nil {
		t.Fatal(err)
	}
	r.(*web).client.Transport = secure.Client().Transport
	if got, _, err := text(t, r, "current.json", ""); err == nil ||
		!strings.Contains(err.Error(), "from https to http") {
		t.Errorf("got %q, %v, want an error", got, err)
	}
}

// TestAStoreWithACertificateOfItsOwn is trusted where AWS_CA_BUNDLE names who signed it.
func TestAStoreWithACertificateOfItsOwn(t *testing.T) {
	backend := s3mem.New()
	if err := backend.CreateBucket("cards"); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(gofakes3.New(backend, gofakes3.WithIntegrityCheck(true)).Server())
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	defer server.Close()
	dir := t.TempDir()
	bundle, none := filepath.Join(dir, "ca.pem"), filepath.Join(dir, "none.pem")
	for file, content := range map[string][]byte{none: []byte("no certificate"),
		bundle: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})} {
		if err := os.WriteFile(file, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	open := func(file string) (Bucket, error) {
		return Open("s3://cards/live", env(map[string]string{"AWS_ENDPOINT_URL_S3": server.URL, "AWS_CA_BUNDLE": file,
			"AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret"}))
	}
	for file, want := range map[string]string{none: "AWS_CA_BUNDLE: " + none + " has no certificate in PEM",
		filepath.Join(dir, "missing"): "AWS_CA_BUNDLE: open "} {
		if _, err := open(file); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", file, err, want)
		}
	}
	strange, err := open("")
	if err != nil {
		t.Fatal(err)
	}
	if err := put(t, strange, "a", "text", nil); err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("got %v, want an error of the certificate", err)
	}
	known, err := open(bundle)
	if err != nil {
		t.Fatal(err)
	}
	if err := put(t, known, "a", "text", nil); err != nil {
		t.Fatal(err)
	}
	if got, _, err := text(t, known, "a", ""); err != nil || got != "text" {
		t.Errorf("got %q, %v", got, err)
	}
}
