package main

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tianti/catalog"
	"tianti/importer"
	"tianti/seed"
	"tianti/sizing"
)

const ownRuns = `id,model,task,precision,optimizer,batch,seq_len,grad_ckpt,rank,targets,framework,gpu,measured_peak_gb_per_gpu
own-1,Llama-3.1-8B,qlora,bf16 (base nf4-dq),adamw_8bit,4,4096,unsloth,32,"q,k,v,o",Unsloth,RTX 4090,13.9
own-2,Llama-3.1-8B,qlora,bf16,adamw_8bit,4,4096,sometimes,32,"q,k,v,o",Unsloth,RTX 4090,13.9
M0001,Llama-3.1-8B,qlora,bf16 (base nf4-dq),adamw_8bit,4,4096,unsloth,32,"q,k,v,o",Unsloth,RTX 4090,13.9
`

func TestRunsOfOnesOwnCorrectEstimates(t *testing.T) {
	d, err := seed.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	s := catalog.NewSnapshot(1, d)
	plain, err := sizing.New(seed.Sizing(), s)
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	own, err := learned(s, []byte(ownRuns), nil, slog.New(slog.NewTextHandler(&log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"own-2", "sometimes", "M0001", "is a run of the program", "used=1", "left_out=2"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log does not say %q: %s", want, log.String())
		}
	}
	memory := func(a *sizing.Estimator) sizing.Memory {
		model, _ := a.Models.FindModel("Llama-3.1-8B")
		w := sizing.Workload{Model: model, Task: sizing.QLoRA, Framework: "unsloth", Batch: 4, Context: 4096, Rank: 32,
			Targets: "q,k,v,o", Reading: "reserved"}
		return a.Estimate(w, a.FindCards("RTX 4090")[0], sizing.Request{}).Memory
	}
	before, after := memory(plain).PerCard.Expected, memory(own)
	if got := after.PerCard.Expected; (got-13.9e9)*(got-13.9e9) >= (before-13.9e9)*(before-13.9e9) {
		t.Errorf("estimated %g before and %g after a run that took 13.9e9", before, got)
	}
	if len(after.Evidence.Supports) == 0 || after.Evidence.Supports[0].Case.ID != "own-1" {
		t.Errorf("the run is not named: %+v", after.Evidence)
	}
}

type keptOnes []importer.Run

func (k keptOnes) Runs(context.Context) ([]importer.Run, error) { return k, nil }

func TestAKeptRunThatCannotBeReadIsToldAndTheOthersCount(t *testing.T) {
	d, err := seed.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	kept := keptOnes{
		{
			Key:   3,
			Query: "card=nvidia-rtx-4090&model=llama-3.1-8b&batch=1&context=2048&measured_tokens_per_s=51",
			By:    "anna",
		},
		{Key: 4, Query: "card=gone&model=llama-3.1-8b&measured_gb=3"},
	}
	a, err := learned(catalog.NewSnapshot(1, d), nil, kept, slog.New(slog.NewTextHandler(&log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"kept-4", "card", "used=1", "left_out=1"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log does not say %q: %s", want, log.String())
		}
	}
	c := a.Cases[len(a.Cases)-1]
	if c.ID != "kept-3" || c.Quantity != sizing.DecodeSpeed || c.Measured != 51 || !strings.Contains(c.Source, "anna") {
		t.Errorf("learnt %+v", c)
	}
}

func TestWhatWasLearntIsSharedUntilCardsOrRunsChange(t *testing.T) {
	d, err := seed.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	first := catalog.NewSnapshot(1, d)
	dearer := d
	dearer.Revision, dearer.Offers = 2, catalog.SumUpPrices(nil)
	prices := first.WithPrices(2, []catalog.Dataset{dearer}, 1)
	if !prices.SharesCards(first) || first.SharesCards(catalog.NewSnapshot(1, d)) {
		t.Fatal("what shares cards is told wrongly")
	}
	var log bytes.Buffer
	l := &learner{kept: keptOnes{}, log: slog.New(slog.NewTextHandler(&log, nil))}
	of := func(s *catalog.Snapshot) *sizing.Estimator {
		a, err := l.estimator(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	const card = "nvidia-geforce-rtx-4090"
	a, b := of(first), of(prices)
	if a.Card(card) == nil || a.Card(card) != b.Card(card) {
		t.Error("other prices made other cards")
	}
	if a.Accuracy() != b.Accuracy() {
		t.Error("other prices had the accuracy computed again")
	}
	row, _ := first.Find(card)
	if len(first.Latest(row)) == len(prices.Latest(row)) {
		t.Error("the prices are the same")
	}
	l.kept = keptOnes{{Key: 3, Query: "card=" + card +
		"&model=llama-3.1-8b&batch=1&context=2048&measured_tokens_per_s=51"}}
	if c := of(prices); len(c.Cases) != len(b.Cases)+1 {
		t.Errorf("%d cases with a run more, %d before", len(c.Cases), len(b.Cases))
	}
	if of(catalog.NewSnapshot(3, d)).Card(card) == b.Card(card) {
		t.Error("another catalogue has the same cards")
	}
}

func TestAFileOfRunsIsBounded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "runs.csv")
	if _, err := readRuns(path); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("a file that is not there: %v", err)
	}
	if err := os.WriteFile(path, make([]byte, mostRuns+1), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := readRuns(path); err == nil || !strings.Contains(err.Error(), "16 MiB") {
		t.Errorf("a large file: %v", err)
	}
	if b, err := readRuns(""); b != nil || err != nil {
		t.Errorf("without a file: %v, %v", b, err)
	}
}
