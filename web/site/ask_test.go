package site_test

import (
	"context"
	"log/slog"
	"net/http"
	"testing"

	"tianti/web/site"
)

func TestAnAnswerThatBreaksOffIsAnErrorWithinTheProcess(t *testing.T) {
	s := &site.Site{Config: site.Config{Log: slog.New(slog.DiscardHandler)}}
	s.Answer = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/half" {
			_, _ = w.Write([]byte("half"))
			panic(http.ErrAbortHandler)
		}
		_, _ = w.Write([]byte("whole"))
	})
	a, err := s.Ask(context.Background(), nil, "/whole")
	if err != nil || a.Status != 200 || string(a.Body) != "whole" {
		t.Errorf("got %d %q, %v", a.Status, a.Body, err)
	}
	if a, err := s.Ask(context.Background(), nil, "/half"); err == nil {
		t.Errorf("got %d %q for an answer that broke off, want an error", a.Status, a.Body)
	}
}
