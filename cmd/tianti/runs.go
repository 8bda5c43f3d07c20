package main

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"os"

	"tianti/catalog"
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

// learned is an estimator that has the runs of --runs beside those of the program.
func learned(s *catalog.Snapshot, runs []byte, log *slog.Logger) (*sizing.Estimator, error) {
	a, err := sizing.New(seed.Sizing(), s)
	if err != nil {
		return nil, err
	}
	before := len(a.Cases)
	problems := a.Learn(bytes.NewReader(runs))
	for _, p := range problems[:min(mostTold, len(problems))] {
		log.Warn("a measured run of --runs is left out", "problem", p.Error())
	}
	log.Info("measured runs of --runs", "used", len(a.Cases)-before, "left_out", len(problems))
	return a, nil
}
