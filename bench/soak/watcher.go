package main

import "bytes"

// watcher reads the server's standard error: its log, and at last the stacks.
type watcher struct {
	rest       []byte // of a line
	errorLines int
	firstError string
	goroutines int
}

// Write implements io.Writer.
func (w *watcher) Write(p []byte) (int, error) {
	w.rest = append(w.rest, p...)
	for {
		line, rest, whole := bytes.Cut(w.rest, []byte("\n"))
		if !whole {
			return len(p), nil
		}
		switch {
		case bytes.Contains(line, []byte(`"level":"ERROR"`)):
			if w.errorLines++; w.errorLines == 1 {
				w.firstError = string(line)
			}
		case bytes.HasPrefix(line, []byte("goroutine ")) && bytes.HasSuffix(line, []byte("]:")):
			w.goroutines++
		}
		w.rest = rest
	}
}
