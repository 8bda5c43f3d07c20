//go:build linux

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"tianti/bench/process"
)

const pocketbaseName = "PocketBase"

// pocketbase measures PocketBase's list route on the same rows with the same
// questions, alternating with Tianti's, neither of them compressed.
func (b *bench) pocketbase() error {
	if !strings.Contains(pocketbaseName, b.only) {
		return nil
	}
	program := filepath.Join(b.dir, "pocketbase")
	build := exec.Command("go", "build", "-o", program, ".")
	build.Dir = filepath.Join("bench", "pocketbase")
	if out, err := build.CombinedOutput(); err != nil {
		first, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
		fmt.Printf("\nPocketBase: left out, it cannot be built here: %s\n", first)
		return nil
	}
	tianti, err := b.startTianti(500, io.Discard)
	if err != nil {
		return err
	}
	defer tianti.Stop()
	other, err := b.startPocketbase(program, tianti)
	if err != nil {
		return err
	}
	defer other.Stop()
	k := kase{name: pocketbaseName, accept: none, fresh: true}
	sides := []side{{name: pocketbaseName, server: other}, {name: "tianti", server: tianti}}
	for i := range b.rounds + 1 {
		b.seed++
		for s := range sides {
			k.translate = nil
			if s == 0 {
				k.translate = pocketbaseQuery
			}
			r, err := b.load(sides[s].server, k, recorded{}, b.round)
			if err != nil {
				return fmt.Errorf("%s: %w", sides[s].name, err)
			}
			if i > 0 {
				sides[s].rounds = append(sides[s].rounds, r)
			}
		}
	}
	fmt.Print("\nlists of 50 cards at new addresses, PocketBase and Tianti\n")
	printSides(os.Stdout, sides)
	ratios := ratiosOf(sides[0], sides[1])
	fmt.Printf("  Tianti answers %.1f times as many (%.1f … %.1f)\n", median(ratios), ratios[0], ratios[len(ratios)-1])
	return nil
}

// startPocketbase gives it the rows of a Tianti.
func (b *bench) startPocketbase(program string, tianti *process.Process) (*process.Process, error) {
	a, err := fetch(tianti.URL(list+"?limit=1000"), none)
	if err != nil {
		return nil, err
	}
	var cards struct{ Items json.RawMessage }
	if err := json.Unmarshal(a.Body, &cards); err != nil {
		return nil, err
	}
	file := filepath.Join(b.dir, "rows.json")
	if err := os.WriteFile(file, cards.Items, 0o600); err != nil {
		return nil, err
	}
	p, err := process.Start(io.Discard, program, file, filepath.Join(b.dir, "pb_data"))
	if err != nil {
		return nil, err
	}
	for range 100 { // it says where before it listens
		if _, err = fetch(p.URL("/api/collections/cards/records?perPage=1"), none); err == nil {
			return p, nil
		}
		time.Sleep(50 * time.Millisecond)
	}
	return nil, errors.Join(err, p.Stop())
}

// pocketbaseQuery asks PocketBase what a query asks Tianti.
func pocketbaseQuery(query string) string {
	values, err := url.ParseQuery(query)
	if err != nil {
		panic(err) // address.Filter wrote it
	}
	var filters []string
	out := url.Values{"perPage": values["limit"], "sort": values["sort"]}
	for key := range values {
		lo, hi, isRange := strings.Cut(values.Get(key), "..")
		switch {
		case isRange:
			filters = append(filters, key+">="+lo+"&&"+key+"<="+hi)
		case key == "vendor":
			filters = append(filters, `(vendor="`+strings.Join(strings.Split(values.Get(key), ","), `"||vendor="`)+`")`)
		}
	}
	out.Set("filter", strings.Join(filters, "&&"))
	return "/api/collections/cards/records?" + out.Encode()
}
