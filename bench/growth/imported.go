package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"tianti/bench/history"
	"tianti/bench/process"
	"tianti/catalog"
	"tianti/catalog/sample"
)

// cardsOfAFile is how many cards a file may have.
const cardsOfAFile = 20_000

// imports hands cards to a server that is running, as an administrator does, and asks for pages of cards that nobody
// asked for before at the moment when they are shown.
func (b *bench) imports(dir, program string) error {
	db := b.db
	if db == "" {
		db = filepath.Join(dir, "tianti.db")
	}
	p, err := process.Start(io.Discard, program, "serve", "--listen", "127.0.0.1:0", "--db", db, "--rate-limit", "0")
	if err != nil {
		return err
	}
	defer func() { _ = p.Stop() }()
	token, err := process.Token(dir, program, db)
	if err != nil {
		return err
	}
	if _, _, err := ask(p, "/cards"); err != nil {
		return err
	}
	time.Sleep(b.settle)
	all := sample.Dataset("cards", b.cards)
	for from := 0; from < b.cards; from += cardsOfAFile {
		part := all
		part.Annotations = catalog.Annotations{}
		part.Cards = all.Cards[from:min(from+cardsOfAFile, b.cards)]
		if err := b.importPart(p, token, fmt.Sprintf("cards-%d", from/cardsOfAFile+1), part); err != nil {
			return err
		}
	}
	rss, err := p.Status("VmRSS")
	if err != nil {
		return err
	}
	peak, err := p.Status("VmHWM")
	if err != nil {
		return err
	}
	fmt.Printf("memory: %d MB, at most %d\n", rss>>10, peak>>10)
	return nil
}

// importPart imports cards and asks for some of them.
func (b *bench) importPart(p *process.Process, token, dataset string, part catalog.Dataset) error {
	var file bytes.Buffer
	if err := history.WriteCards(&file, part); err != nil {
		return err
	}
	size := file.Len()
	var draft struct{ ID int64 }
	began := time.Now()
	if err := post(p, token, "/api/v1/imports?file=cards.json&dataset="+dataset, &file, &draft); err != nil {
		return err
	}
	read := time.Since(began)
	before, _, err := ask(p, "/readyz")
	if err != nil {
		return err
	}
	applied := make(chan error, 1)
	began = time.Now()
	go func() {
		var revision struct{ Active bool }
		err := post(p, token, fmt.Sprintf("/api/v1/imports/%d/apply", draft.ID), nil, &revision)
		if err == nil && !revision.Active {
			err = errors.New("the import is not active")
		}
		applied <- err
	}()
	var told time.Duration // the longest that /readyz took meanwhile
	for now := before; bytes.Equal(now, before); time.Sleep(2 * time.Millisecond) {
		var took time.Duration
		if now, took, err = ask(p, "/readyz"); err != nil {
			return err
		}
		told = max(told, took)
		if time.Since(began) > patience {
			return fmt.Errorf("%s is not shown after %s", dataset, patience)
		}
	}
	shown := time.Since(began)
	fmt.Printf("%s: %d cards, %.1f MB, read in %s, shown %s after they were applied, /readyz meanwhile at most %s\n",
		dataset, len(part.Cards), float64(size)/1e6, read.Round(time.Millisecond), shown.Round(time.Millisecond),
		told.Round(time.Millisecond))
	for i := range 5 {
		card := part.Cards[(i+1)*len(part.Cards)/6].ID
		cpu, err := p.CPU()
		if err != nil {
			return err
		}
		_, took, err := ask(p, "/cards/"+card)
		if err != nil {
			return err
		}
		after, err := p.CPU()
		if err != nil {
			return err
		}
		fmt.Printf("  card page %d: %.1f ms, CPU of the server meanwhile %.0f ms\n", i+1, ms(took), ms(after-cpu))
	}
	time.Sleep(b.settle)
	return <-applied
}

// post sends a request of an administrator and reads the answer.
func post(p *process.Process, token, path string, body io.Reader, v any) error {
	answer, err := p.Post(context.Background(), token, path, body)
	if err != nil {
		return err
	}
	return json.Unmarshal(answer, v)
}
