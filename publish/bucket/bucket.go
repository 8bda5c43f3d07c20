// Package bucket keeps objects by key where several machines reach them: in a folder, behind an HTTP server (only to be
// read), or in a store with the interface of S3.
//
// An object is there as a whole or not at all. A conditional write ([Put.Match], [Put.New]) happens only when the
// object is still the one that was read, so that of several writers one wins and the others are told.
package bucket

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"time"
)

// What Get and Put say besides fs.ErrNotExist, which an object has that is not there.
var (
	ErrNotModified = errors.New("the object has not changed")
	ErrConflict    = errors.New("somebody else has written the object meanwhile")
)

// A Reader reads objects. It is safe for concurrent use.
type Reader interface {
	// Get opens an object. It is ErrNotModified when the tag of the object is still known; an empty one is none.
	Get(ctx context.Context, key, known string) (*Object, error)
	// String is the address without anything secret.
	String() string
}

// A Bucket can also be written to.
type Bucket interface {
	Reader
	// Put writes an object as a whole.
	Put(ctx context.Context, key string, p Put) error
	// List returns the objects whose keys begin with prefix, in the order of their keys.
	List(ctx context.Context, prefix string) ([]Entry, error)
	// Delete deletes an object; one that is not there is no error.
	Delete(ctx context.Context, key string) error
}

// An Object is being read. Its reader has to close it.
type Object struct {
	io.ReadCloser
	Tag  string // changes with the content
	Size int64  // in bytes; -1 when the store does not say
}

// Put is what is to be written, and when.
type Put struct {
	Body   io.ReadSeeker
	Size   int64  // of Body, in bytes
	SHA256 string // of Body, in hex
	New    bool   // only when there is no such object: ErrConflict otherwise
	Match  string // only when the object has this tag: ErrConflict otherwise; empty: whatever there is
}

// An Entry is an object of a list.
type Entry struct {
	Key      string
	Size     int64     // in bytes
	Modified time.Time // when it was written
}

// OpenReader returns the bucket at an address, to read: s3://bucket/prefix, https://…, http://… or file:///folder. What
// is needed to reach it is taken from getenv. Nothing is asked yet.
func OpenReader(address string, getenv func(string) string) (Reader, error) {
	u, err := parse(address)
	if err != nil {
		return nil, err
	}
	if u.Scheme == "https" || u.Scheme == "http" {
		return newWeb(u), nil
	}
	return open(u, getenv)
}

// Open is [OpenReader] for a bucket that can be written to: https://… and http://… cannot.
func Open(address string, getenv func(string) string) (Bucket, error) {
	u, err := parse(address)
	if err != nil {
		return nil, err
	}
	return open(u, getenv)
}

func open(u *url.URL, getenv func(string) string) (Bucket, error) {
	switch u.Scheme {
	case "file":
		return newFolder(u)
	case "s3":
		return newS3(u, getenv)
	}
	return nil, fmt.Errorf("%s can only be read: write to s3://bucket/prefix or file:///folder", redacted(u))
}

func parse(address string) (*url.URL, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, errors.New("the address of a store cannot be read: want s3://bucket/prefix, https://host/path or " +
			"file:///folder") // err would repeat what may be secret in it
	}
	switch u.Scheme {
	case "file", "s3":
		if u.User != nil || u.RawQuery != "" || u.Fragment != "" {
			return nil, fmt.Errorf("%s has more than a place: leave out user, query and fragment", redacted(u))
		}
	case "https", "http":
		if u.Host == "" {
			return nil, fmt.Errorf("%s names no host", redacted(u))
		}
	default:
		return nil, fmt.Errorf("%q is no address of a store: want s3://bucket/prefix, https://host/path or "+
			"file:///folder", redacted(u))
	}
	return u, nil
}

// redacted is an address without user, password, query and fragment.
func redacted(u *url.URL) string {
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path, Opaque: u.Opaque}).String()
}
