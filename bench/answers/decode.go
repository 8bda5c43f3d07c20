package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
)

// decoded undoes a content coding.
func decoded(coding string, body []byte) ([]byte, error) {
	if coding == "" || len(body) == 0 {
		return body, nil
	}
	var from io.Reader
	var err error
	switch coding {
	case "gzip":
		from, err = gzip.NewReader(bytes.NewReader(body))
	case "br":
		from = brotli.NewReader(bytes.NewReader(body))
	case "zstd":
		from, err = zstd.NewReader(bytes.NewReader(body))
	default:
		err = fmt.Errorf("the content coding %q is unknown", coding)
	}
	if err != nil {
		return nil, err
	}
	return io.ReadAll(from)
}
