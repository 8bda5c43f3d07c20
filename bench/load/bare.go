//go:build linux

package main

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"strconv"
)

// recorded is an answer of Tianti that the bare handler gives as well.
type recorded struct {
	ContentType, ContentEncoding, ETag string
	Body                               []byte
}

// serveBare is the other side of the comparison, in a process of its own: net/http
// and a handler that writes one body, as little as a server can do.
func serveBare(file string) error {
	raw, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var a recorded
	if err := json.Unmarshal(raw, &a); err != nil {
		return err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Printf("http://%s\n", l.Addr())
	return (&http.Server{Handler: a.handler()}).Serve(l)
}

func (a recorded) handler() http.HandlerFunc {
	etag, contentType, length := []string{a.ETag}, []string{a.ContentType}, []string{strconv.Itoa(len(a.Body))}
	var encoding []string
	if a.ContentEncoding != "" {
		encoding = []string{a.ContentEncoding}
	}
	return func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		if r.Header.Get("If-None-Match") == a.ETag {
			h["Etag"] = etag
			w.WriteHeader(http.StatusNotModified)
			return
		}
		h["Content-Type"], h["Content-Length"] = contentType, length
		if encoding != nil {
			h["Content-Encoding"] = encoding
		}
		_, _ = w.Write(a.Body) // the generator may be gone
	}
}
