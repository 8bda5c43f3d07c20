package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"tianti/bench/history"
	"tianti/bench/process"
)

const (
	offers    = 10_000 // of the history, with a price a day
	perImport = 1000
	// between two imports, and between two visits of an administrator
	betweenImports = 2 * time.Second
	betweenVisits  = time.Second
)

// writers are an administrator's program, which imports prices and takes every third file back, and an administrator,
// who signs in and out and forgets the password now and then.
type writers struct {
	dir, token string
	history    *history.History
	next       int // price to import
	c          *counts
	p          *process.Process
}

// run writes until the context ends.
func (w *writers) run(ctx context.Context) {
	var running sync.WaitGroup
	running.Go(func() { w.repeat(ctx, betweenImports, w.importPrices) })
	running.Go(func() { w.repeat(ctx, betweenVisits, w.signIn) })
	running.Wait()
}

func (w *writers) repeat(ctx context.Context, every time.Duration, do func(i int) error) {
	for i := 0; ctx.Err() == nil; i++ {
		began := time.Now()
		if err := do(i); err != nil {
			w.c.failed(good("writer"), fmt.Errorf("after %s: %w", time.Since(began).Round(time.Millisecond), err))
		}
		select {
		case <-ctx.Done():
		case <-time.After(every):
		}
	}
}

// importPrices has a file of prices applied, and each third time the revision before it comes back.
func (w *writers) importPrices(i int) error {
	file := filepath.Join(w.dir, "more.csv")
	if err := w.history.Write(file, w.next, perImport); err != nil {
		return err
	}
	w.next += perImport
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	q := url.Values{"file": {"prices.csv"}, "dataset": {"soak"}, "dry_run": {"false"},
		"source_url": {"https://example.org/list"}, "source_title": {"A list"}}
	if err := w.call("/api/v1/imports?"+q.Encode(), string(text), http.StatusCreated); err != nil || i%3 != 2 {
		return err
	}
	return w.call("/api/v1/datasets/soak/revert", "", http.StatusOK)
}

func (w *writers) call(path, body string, want int) error {
	req, err := http.NewRequest(http.MethodPost, w.p.URL(path), strings.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+w.token)
	_, err = w.expect(http.DefaultClient, req, path, want)
	return err
}

// signIn goes in, looks at the accounts and out again; each fifth time somebody guesses a name. All come from one
// address, so that guesses may keep the administrator out for a while, too.
func (w *writers) signIn(i int) error {
	jar, err := cookiejar.New(nil)
	if err != nil {
		return err
	}
	client := &http.Client{Jar: jar, Transport: &http.Transport{DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	form := url.Values{"name": {process.Account}, "password": {process.Password}}
	if i%5 == 4 {
		form.Set("name", fmt.Sprintf("nobody%d", i))
		_, err := w.form(client, "/admin/sign-in", form, http.StatusUnprocessableEntity, http.StatusTooManyRequests)
		return err
	}
	status, err := w.form(client, "/admin/sign-in", form, http.StatusSeeOther, http.StatusTooManyRequests)
	if err != nil || status == http.StatusTooManyRequests {
		return err
	}
	req, err := http.NewRequest(http.MethodGet, w.p.URL("/admin/accounts"), nil)
	if err != nil {
		return err
	}
	if _, err := w.expect(client, req, "/admin/accounts", http.StatusOK); err != nil {
		return err
	}
	_, err = w.form(client, "/admin/sign-out", nil, http.StatusSeeOther)
	return err
}

func (w *writers) form(client *http.Client, path string, form url.Values, want ...int) (status int, err error) {
	req, err := http.NewRequest(http.MethodPost, w.p.URL(path), strings.NewReader(form.Encode()))
	if err != nil {
		return 0, err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return w.expect(client, req, path, want...)
}

// expect counts an answer and returns what it says when it has another status than those.
func (w *writers) expect(client *http.Client, req *http.Request, path string, want ...int) (status int, err error) {
	res, err := client.Do(req)
	if err != nil {
		return 0, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		return 0, err
	}
	w.c.add(request{path, slices.Min(want), slices.Max(want)}, res.StatusCode)
	if !slices.Contains(want, res.StatusCode) {
		return res.StatusCode, fmt.Errorf("%s: %s\n%.500s", path, res.Status, body)
	}
	return res.StatusCode, nil
}
