package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"sync"
	"time"

	"tianti/catalog"
	"tianti/importer"
	"tianti/seed"
	"tianti/sizing"
)

// mostRuns is the size of a file of measured runs at most, as of any table of cases.
const mostRuns = 16 << 20

// readRuns reads the file of --runs; nil without one.
func readRuns(path string) ([]byte, error) {
	if path == "" {
		return nil, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, readError(path, err)
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, mostRuns+1))
	switch {
	case err != nil:
		return nil, readError(path, err)
	case len(b) > mostRuns:
		return nil, fmt.Errorf("--runs: %s has more than %d MiB", path, mostRuns>>20)
	}
	return b, nil
}

// mostTold are the rows of a file of runs that the log names, when they cannot be read.
const mostTold = 20

// keptRuns has the measured runs that administrators kept.
type keptRuns interface {
	Runs(ctx context.Context) ([]importer.Run, error)
}

// A learner makes estimators that have the runs of --runs and those that were kept beside those of the program. As long
// as cards and runs stay the same, one is made of the one before. It is safe for concurrent use.
type learner struct {
	runs []byte // of --runs
	kept keptRuns
	log  *slog.Logger

	mu    sync.Mutex
	last  *sizing.Estimator
	of    *catalog.Snapshot // whose cards last has; without prices
	known []importer.Run    // that last has learnt
}

// estimator is that of a catalogue.
func (l *learner) estimator(ctx context.Context, s *catalog.Snapshot) (*sizing.Estimator, error) {
	list, err := l.kept.Runs(ctx)
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.last == nil || !l.of.SharesCards(s) || !slices.Equal(l.known, list) {
		a, err := learned(s, l.runs, list, l.log)
		if err != nil || s.Partial() { // the cards of a part are soon replaced
			return a, err
		}
		l.last, l.of, l.known = a.With(s.Bare()), s.Bare(), list
	}
	return l.last.With(s), nil
}

// learned is an estimator that knows runs of --runs and such that were kept.
func learned(s *catalog.Snapshot, runs []byte, list []importer.Run, log *slog.Logger) (*sizing.Estimator, error) {
	a, err := sizing.New(seed.Sizing(), s)
	if err != nil {
		return nil, err
	}
	tell := func(of string, before int, problems []sizing.Problem) {
		for _, p := range problems[:min(mostTold, len(problems))] {
			log.Warn("a measured run is left out", "of", of, "problem", p.Error())
		}
		log.Info("measured runs", "of", of, "used", len(a.Cases)-before, "left_out", len(problems))
	}
	if runs != nil {
		before := len(a.Cases)
		tell("--runs", before, a.Learn(bytes.NewReader(runs)))
	}
	if len(list) > 0 {
		before := len(a.Cases)
		tell("the database", before, a.LearnKept(runsToLearn(list)))
	}
	return a, nil
}

// runsToLearn are kept runs as the estimator takes them.
func runsToLearn(list []importer.Run) []sizing.KeptRun {
	out := make([]sizing.KeptRun, len(list))
	for i, k := range list {
		by := ""
		if k.By != "" { // a published snapshot does not say
			by = " by " + k.By
		}
		out[i] = sizing.KeptRun{ID: fmt.Sprintf("kept-%d", k.Key), Query: k.Query, Note: k.Note,
			Source: fmt.Sprintf("kept here%s, %s", by, k.At.Format(time.DateOnly))}
	}
	return out
}
