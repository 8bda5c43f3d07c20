// Package publish carries snapshots of the catalogue from one writer to any number of readers, through a store of
// objects that both reach.
//
// A snapshot is a database with nothing but what everybody may see, compressed: snapshots/<sha256>.db.zst, named by the
// hash of its bytes, written once and never changed. The object current.json names the one that holds now. A
// [Publisher] writes the snapshot first and then moves current.json, on condition that nobody else has; a [Follower]
// asks for current.json again and again, fetches what it names, and takes it only when size and hash are right. Who
// reads therefore has one state or the next, never a part of one.
package publish

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"time"
)

// currentKey is the object that names the snapshot that holds now.
const currentKey = "current.json"

// Where snapshots are.
const (
	snapshotDir    = "snapshots/"
	snapshotSuffix = ".db.zst"
)

// Versions of what is written: a reader refuses a higher one.
const (
	format      = 1
	formatApart = 2 // the prices are not in the snapshot
)

// Limits, in bytes.
const (
	mostManifest = 64 << 10
	mostPacked   = 4 << 30 // what the interface of S3 takes in one request is 5 GiB
	mostUnpacked = 64 << 30
)

// A Manifest is the content of current.json.
type Manifest struct {
	Format    int       `json:"format"`
	Revision  int64     `json:"revision"` // of the catalogue
	Schema    int64     `json:"schema"`   // of the database
	SHA256    string    `json:"sha256"`   // of the compressed bytes, in hex
	Size      int64     `json:"size"`     // of the compressed bytes
	Unpacked  int64     `json:"unpacked"` // bytes of the database
	Published time.Time `json:"published_at"`
	Program   string    `json:"program"`            // version of the program that wrote it
	Writer    string    `json:"writer,omitempty"`   // where the writer is, for people
	Previous  string    `json:"previous,omitempty"` // hash of the one before
	// The prices as files: the same as in the snapshot, for other programs, or those that it leaves out. nil: none, or
	// a program that wrote none.
	History         *HistoryRef `json:"history,omitempty"`
	PreviousHistory string      `json:"previous_history,omitempty"` // hash of the list before
}

// PricesApart reports whether the snapshot leaves the prices to the files of the history.
func (m *Manifest) PricesApart() bool { return m.Format == formatApart }

// Key is where the snapshot is.
func (m *Manifest) Key() string { return snapshotKey(m.SHA256) }

func snapshotKey(sha256 string) string { return snapshotDir + sha256 + snapshotSuffix }

// snapshotOf is the hash in a key; "" when it is not one of a snapshot.
func snapshotOf(key string) string {
	name, dir := strings.CutPrefix(key, snapshotDir)
	sum, suffix := strings.CutSuffix(name, snapshotSuffix)
	if !dir || !suffix || !isSum.MatchString(sum) {
		return ""
	}
	return sum
}

var isSum = regexp.MustCompile(`^[0-9a-f]{64}$`)

// errFormat is a manifest that a newer program wrote.
var errFormat = errors.New("a newer version of this program wrote it: use that version")

// parseManifest reads what may have been written by anybody.
func parseManifest(text []byte) (m Manifest, err error) {
	if len(text) > mostManifest {
		return m, fmt.Errorf("%s has more than %d bytes", currentKey, mostManifest)
	}
	if err := json.Unmarshal(text, &m); err != nil {
		return Manifest{}, fmt.Errorf("%s cannot be read: %w", currentKey, err)
	}
	switch {
	case m.Format > formatApart:
		err = fmt.Errorf("format is %d, this program knows %d: %w", m.Format, formatApart, errFormat)
	case m.Format < format:
		err = fmt.Errorf("format is %d, want %d or %d", m.Format, format, formatApart)
	case m.Revision < 0:
		err = fmt.Errorf("revision is %d, want 0 or more", m.Revision)
	case m.Schema < 1:
		err = fmt.Errorf("schema is %d, want 1 or more", m.Schema)
	case !isSum.MatchString(m.SHA256):
		err = errors.New("sha256 is no hash, want 64 hexadecimal digits")
	case m.Size < 1 || m.Size > mostPacked:
		err = fmt.Errorf("size is %d, want 1 to %d", m.Size, int64(mostPacked))
	case m.Unpacked < 1 || m.Unpacked > mostUnpacked:
		err = fmt.Errorf("unpacked is %d, want 1 to %d", m.Unpacked, int64(mostUnpacked))
	case m.Published.IsZero() || m.Published.Year() > 9999:
		err = errors.New("published_at is missing")
	case m.Previous != "" && !isSum.MatchString(m.Previous):
		err = errors.New("previous is no hash, want 64 hexadecimal digits")
	case m.PreviousHistory != "" && !isSum.MatchString(m.PreviousHistory):
		err = errors.New("previous_history is no hash, want 64 hexadecimal digits")
	case m.PricesApart() && m.History == nil:
		err = errors.New("history is missing")
	case m.History.check() != nil:
		err = m.History.check()
	case m.Writer != "" && !isOrigin(m.Writer):
		err = errors.New("writer is no address, want one such as https://cards.example")
	}
	if err != nil {
		return Manifest{}, fmt.Errorf("%s: %w", currentKey, err)
	}
	m.Published = m.Published.UTC()
	return m, nil
}

// isOrigin reports whether pages may link to it.
func isOrigin(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && s == u.Scheme+"://"+u.Host
}

func (m *Manifest) encode() []byte {
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		panic(err) // texts, numbers and a time marshal
	}
	return append(text, '\n')
}
