package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"tianti/bench/answers/list"
)

// A pair is both answers to a request.
type pair struct {
	request       list.Request
	before, after answer
	failed        [2]error // there is no answer of a side
}

// runAll asks both sides everything and reports what differs.
func runAll(o options, requests []list.Request) (differ bool, err error) {
	began, r := time.Now(), report{options: o, out: os.Stdout, differ: map[string]int{}}
	reached := map[string]bool{}
	for _, group := range byServer(requests) {
		pairs, routes, err := runServer(o, group)
		for _, x := range routes {
			reached[fmt.Sprintf("%-7s%s %d", x.Method, x.Pattern, x.Status)] = true
		}
		if err := errors.Join(r.server(group[0].Server, pairs), err); err != nil {
			return r.different > 0, fmt.Errorf("[%s]: %w", group[0].Server, err)
		}
	}
	if o.routes {
		for _, x := range slices.Sorted(maps.Keys(reached)) {
			fmt.Println(x)
		}
	}
	r.summary(time.Since(began))
	if len(r.wrong) > 0 {
		err = errors.New("answers are not as the list expects:\n" + strings.Join(r.wrong, "\n"))
	}
	return r.different > 0, err
}

// byServer splits a list where its headings are.
func byServer(requests []list.Request) [][]list.Request {
	var out [][]list.Request
	for _, r := range requests {
		if n := len(out); n > 0 && out[n-1][0].Server == r.Server {
			out[n-1] = append(out[n-1], r)
		} else {
			out = append(out, []list.Request{r})
		}
	}
	return out
}

// runServer asks both sides what stands under one heading. With an error it may have
// answers all the same: a program may have ended in bad order.
func runServer(o options, requests []list.Request) (pairs []pair, routes []reached, err error) {
	name := requests[0].Server
	var before, after side
	var failed [2]error
	both(func() {
		if o.against != "" {
			before, failed[0] = openRecord(o.against, name)
		} else {
			before, failed[0] = run(o.before, name)
		}
	}, func() { after, failed[1] = run(o.after, name) })
	if err = errors.Join(failed[:]...); err == nil {
		pairs = askBoth(o, requests, before, after)
	}
	for i, s := range []side{before, after} {
		if failed[i] != nil {
			continue
		}
		reached, bad := s.close()
		routes, err = reached, errors.Join(err, bad) // of the second
	}
	return pairs, routes, err
}

func both(one, two func()) {
	var wg sync.WaitGroup
	wg.Go(one)
	two()
	wg.Wait()
}

// askBoth asks in the order of the list, both sides at the same time; some requests at
// once where none changes anything.
func askBoth(o options, requests []list.Request, before, after side) []pair {
	workers := max(1, o.workers)
	if kinds[requests[0].Server].inOrder {
		workers = 1
	}
	pairs := make([]pair, len(requests))
	next := make(chan int)
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for i := range next {
				p := &pairs[i]
				p.request = requests[i]
				both(
					func() { p.before, p.failed[0] = before.ask(p.request) },
					func() { p.after, p.failed[1] = after.ask(p.request) })
			}
		})
	}
	for i := range requests {
		next <- i
	}
	close(next)
	wg.Wait()
	return pairs
}
