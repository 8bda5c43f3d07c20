package nvidiasmi

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"tianti/live"
	"tianti/live/internal/normalize"
	"tianti/sorting"
)

// A csvReader reads the output of nvidia-smi --format=csv, which quotes nothing.
type csvReader struct {
	lines   *bufio.Reader
	line    int
	columns []column
	timed   bool // the column timestamp is required
}

// maxLine is the longest line, in bytes: some hundred columns.
const maxLine = 16 << 10

func newCSVReader(r io.Reader) *csvReader {
	return &csvReader{lines: bufio.NewReaderSize(r, maxLine)}
}

// next returns the next row, or io.EOF.
func (s *csvReader) next() (*csvRow, error) {
	for {
		cells, err := s.cells()
		if err != nil {
			return nil, err
		}
		if columns, ok := parseHeader(cells); ok {
			if s.timed && !slices.ContainsFunc(columns, func(c column) bool { return c.name == "timestamp" }) {
				return nil, fmt.Errorf("line %d: there is no column timestamp", s.line)
			}
			s.columns = columns
			continue
		}
		return s.row(cells)
	}
}

func (s *csvReader) row(cells []string) (*csvRow, error) {
	said := live.OneLine(strings.Join(cells, ", "))
	if s.columns == nil {
		return nil, fmt.Errorf("line %d: %q is no header of nvidia-smi --query-gpu --format=csv", s.line, said)
	}
	if len(cells) != len(s.columns) {
		return nil, fmt.Errorf("line %d: %d columns instead of %d: %q", s.line, len(cells), len(s.columns), said)
	}
	row := &csvRow{line: s.line, device: live.Device{Vendor: "NVIDIA", Readings: map[live.Metric]live.Reading{}}}
	for i, c := range s.columns {
		if err := c.readCell(row, cells[i]); err != nil {
			return nil, fmt.Errorf("line %d: %w", s.line, err)
		}
	}
	row.finish()
	return row, nil
}

// finish completes the device.
func (r *csvRow) finish() {
	normalize.Device(&r.device)
	if r.device.Problem == "lost" {
		r.device.Readings = nil
	}
}

// cells are the cells of the next line that is not empty.
func (s *csvReader) cells() ([]string, error) {
	for {
		line, err := s.lines.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			return nil, fmt.Errorf("line %d: it is longer than %d bytes", s.line+1, maxLine)
		}
		if errors.Is(err, io.EOF) && len(line) == 0 {
			if s.line == 0 {
				return nil, errors.New("line 1: the log is empty")
			}
			return nil, io.EOF
		}
		s.line++
		switch {
		case s.line == 1 && isUTF16(line):
			return nil, errors.New("line 1: the text is UTF-16; save it as UTF-8")
		case errors.Is(err, io.EOF):
			return nil, fmt.Errorf("line %d: it is cut off: %q has no end of line", s.line, live.OneLine(string(line)))
		case err != nil:
			return nil, fmt.Errorf("line %d: %w", s.line, err)
		}
		if s.line == 1 {
			line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
		}
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		cells := strings.Split(string(line), ",")
		for i := range cells {
			cells[i] = strings.ToValidUTF8(strings.TrimSpace(cells[i]), "?")
		}
		return cells, nil
	}
}

// isUTF16 reports whether a text is UTF-16, as PowerShell writes it, with or without a byte order mark.
func isUTF16(line []byte) bool {
	return bytes.HasPrefix(line, []byte("\xff\xfe")) || bytes.HasPrefix(line, []byte("\xfe\xff")) ||
		bytes.IndexByte(line, 0) >= 0
}

// frameOf makes a frame of the rows of one host.
func frameOf(host string, taken time.Time, rows []*csvRow) live.Frame {
	h := live.Host{Name: host, Devices: []live.Device{}}
	for _, row := range rows {
		h.Driver = max(h.Driver, row.driver)
		row.device.UUID, _ = row.key()
		h.Devices = append(h.Devices, row.device)
	}
	sorting.Func(h.Devices, func(a, b live.Device) int { return a.Index - b.Index })
	return live.Frame{Source: "nvidia-smi", Taken: taken, Hosts: []live.Host{h}}
}
