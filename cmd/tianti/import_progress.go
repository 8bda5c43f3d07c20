package main

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"tianti/importer"
)

// progressBar shows the progress of reading a file, only on a terminal.
type progressBar struct {
	w     io.Writer // nil: there is no terminal
	name  string
	began time.Time // of reading
	last  time.Time
	drawn bool
	reads bool // rows are read; before that, the file is stored
}

// drawEvery is the shortest time between two drawings.
const drawEvery = 100 * time.Millisecond

func newProgressBar(w io.Writer, file string) *progressBar {
	b := &progressBar{name: filepath.Base(file)}
	if isTerminal(w) {
		b.w = w
	}
	return b
}

func (b *progressBar) show(p importer.Progress) {
	now := time.Now()
	if p.Rows > 0 && !b.reads {
		b.reads, b.began = true, now
	}
	if b.w == nil || now.Sub(b.last) < drawEvery {
		return
	}
	b.last, b.drawn = now, true
	fmt.Fprint(b.w, "\r\x1b[K"+b.line(p, now))
}

const barWidth = 24

// line is "vms.csv [#####     ] 42%  3.1 MB  120,000 rows  95,000 rows/s".
func (b *progressBar) line(p importer.Progress, now time.Time) string {
	parts := []string{b.name}
	if p.Size > 0 {
		share := min(1, float64(p.Bytes)/float64(p.Size))
		n := int(share * barWidth)
		bar := strings.Repeat("#", n) + strings.Repeat(" ", barWidth-n)
		parts = append(parts, fmt.Sprintf("[%s] %3.0f%%", bar, 100*share))
	}
	if p.Rows == 0 {
		return strings.Join(append(parts, "keeping", bytesText(p.Bytes)), "  ")
	}
	parts = append(parts, bytesText(p.Bytes), grouped(p.Rows)+" rows")
	if s := now.Sub(b.began).Seconds(); s > 0.2 {
		parts = append(parts, grouped(int(float64(p.Rows)/s))+" rows/s")
	}
	return strings.Join(parts, "  ")
}

// clear erases the line.
func (b *progressBar) clear() {
	if b.drawn {
		fmt.Fprint(b.w, "\r\x1b[K")
	}
}

func bytesText(n int64) string {
	switch {
	case n >= 1<<30:
		return fmt.Sprintf("%.1f GB", float64(n)/(1<<30))
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MB", float64(n)/(1<<20))
	}
	return fmt.Sprintf("%d KB", (n+1023)>>10)
}

// grouped writes 1234567 as 1,234,567.
func grouped(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
