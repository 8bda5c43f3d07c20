package main

import (
	"compress/gzip"
	"encoding/gob"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"tianti/bench/answers/list"
)

// A recording is the answers of one server, in the file NAME.gob.gz of a folder.
type recording struct {
	Day     string // in UTC: pages say what day it is
	Answers map[string]answer

	mu   sync.Mutex
	seen map[string]int
}

// key tells requests apart: one that is repeated may be answered otherwise each time.
func (r *recording) key(to list.Request) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	text := to.String()
	r.seen[text]++
	return fmt.Sprintf("%s #%d", text, r.seen[text])
}

func today() string { return time.Now().UTC().Format(time.DateOnly) }

func recordFile(folder, server string) string { return filepath.Join(folder, server+".gob.gz") }

// recordAll asks one program everything and keeps its answers.
func recordAll(o options, requests []list.Request) error {
	if err := os.MkdirAll(o.record, 0o755); err != nil {
		return err
	}
	for _, group := range byServer(requests) {
		s, err := run(o.before, group[0].Server)
		if err != nil {
			return err
		}
		pairs := askBoth(o, group, s, silent{})
		r := &recording{Day: today(), Answers: map[string]answer{}, seen: map[string]int{}}
		_, err = s.close()
		for _, p := range pairs {
			r.Answers[r.key(p.request)] = p.before
			if bad := unexpected(p); bad != "" {
				err = errors.Join(err, errors.New(bad))
			}
		}
		if err == nil {
			err = r.write(recordFile(o.record, group[0].Server))
		}
		if err != nil {
			return err
		}
		fmt.Printf("[%s] %d answers recorded\n", group[0].Server, len(pairs))
	}
	return nil
}

// silent is the other side when there is none.
type silent struct{}

func (silent) ask(list.Request) (answer, error) { return answer{}, nil }
func (silent) close() ([]reached, error)        { return nil, nil }

func (r *recording) write(name string) (err error) {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	z := gzip.NewWriter(f)
	if err := gob.NewEncoder(z).Encode(r); err != nil {
		return err
	}
	return z.Close()
}

// openRecord reads what was recorded, on the same day.
func openRecord(folder, server string) (*recording, error) {
	f, err := os.Open(recordFile(folder, server))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	r := &recording{seen: map[string]int{}}
	if err := gob.NewDecoder(z).Decode(r); err != nil {
		return nil, err
	}
	if r.Day != today() {
		fmt.Printf("[%s] the answers were recorded on %s: pages that depend on the day differ\n", server, r.Day)
	}
	return r, nil
}

// ask implements side.
func (r *recording) ask(to list.Request) (answer, error) {
	a, known := r.Answers[r.key(to)]
	if !known {
		return a, errors.New("it was not recorded")
	}
	return a, nil
}

func (r *recording) close() ([]reached, error) { return nil, nil }
