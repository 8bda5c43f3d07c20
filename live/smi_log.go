package live

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"time"
)

// SMIFrames yields what
//
//	nvidia-smi -l 1 --format=csv --filename=report.csv --query-gpu=timestamp,name,index,utilization.gpu,memory.total,memory.used,power.draw
//
// has written, frame by frame: any columns in any order, with units or without, the
// header as often as it comes. Times are those of zone, for the log names none; nil is
// UTC. An error names the line, and nothing follows it.
func SMIFrames(r io.Reader, zone *time.Location) iter.Seq2[Frame, error] {
	if zone == nil {
		zone = time.UTC
	}
	return func(yield func(Frame, error) bool) {
		reader := newSMIReader(r)
		reader.timed = true
		round := smiRound{zone: zone}
		for {
			row, err := reader.next()
			if err != nil && !errors.Is(err, io.EOF) {
				if len(round.rows) > 0 && !yield(round.frame(), nil) {
					return
				}
				yield(Frame{}, err)
				return
			}
			if err != nil {
				break
			}
			done, err := round.add(row)
			if done != nil && !yield(*done, nil) {
				return
			}
			if err != nil {
				yield(Frame{}, err)
				return
			}
		}
		if len(round.rows) > 0 {
			yield(round.frame(), nil)
			return
		}
		yield(Frame{}, fmt.Errorf("line %d: the log ends without a reading", reader.line))
	}
}

// An smiReader reads lines of nvidia-smi --format=csv.
type smiReader struct {
	lines   *bufio.Reader
	line    int
	columns []smiColumn
	timed   bool // a header needs the column timestamp
}

// maxSMILine is the longest line, in bytes: some hundred columns.
const maxSMILine = 16 << 10

func newSMIReader(r io.Reader) *smiReader {
	return &smiReader{lines: bufio.NewReaderSize(r, maxSMILine)}
}

// next is the next row; io.EOF after the last.
func (s *smiReader) next() (*smiRow, error) {
	for {
		cells, err := s.cells()
		if err != nil {
			return nil, err
		}
		if columns, ok := parseHeader(cells); ok {
			if s.timed && !slices.ContainsFunc(columns, func(c smiColumn) bool { return c.name == "timestamp" }) {
				return nil, fmt.Errorf("line %d: there is no column timestamp", s.line)
			}
			s.columns = columns
			continue
		}
		return s.row(cells)
	}
}

func (s *smiReader) row(cells []string) (*smiRow, error) {
	said := oneLine(strings.Join(cells, ", "))
	if s.columns == nil {
		return nil, fmt.Errorf("line %d: %q is no header of nvidia-smi --query-gpu --format=csv", s.line, said)
	}
	if len(cells) != len(s.columns) {
		return nil, fmt.Errorf("line %d: %d columns instead of %d: %q", s.line, len(cells), len(s.columns), said)
	}
	row := &smiRow{line: s.line, device: Device{Vendor: "NVIDIA", Readings: map[Metric]Reading{}}}
	for i, c := range s.columns {
		if err := c.readCell(row, cells[i]); err != nil {
			return nil, fmt.Errorf("line %d: %w", s.line, err)
		}
	}
	row.finish()
	return row, nil
}

// finish turns what is no reading into what it is.
func (r *smiRow) finish() {
	d := draft{identity: identity{Device: r.device}, picks: map[Metric]pick{}}
	for m, reading := range r.device.Readings {
		d.picks[m] = pick{value: reading.Value}
	}
	d.Readings = nil
	r.device = d.device()
	if r.device.Problem == "lost" {
		r.device.Readings = nil
	}
}

// cells are those of the next line that is not empty.
func (s *smiReader) cells() ([]string, error) {
	for {
		line, err := s.lines.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			return nil, fmt.Errorf("line %d: it is longer than %d bytes", s.line+1, maxSMILine)
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
			return nil, fmt.Errorf("line %d: it is cut off: %q has no end of line", s.line, oneLine(string(line)))
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

// isUTF16 reports whether a text begins like one of PowerShell's, with a mark or without.
func isUTF16(line []byte) bool {
	return bytes.HasPrefix(line, []byte("\xff\xfe")) || bytes.HasPrefix(line, []byte("\xfe\xff")) || bytes.IndexByte(line, 0) >= 0
}

// An smiRound is one reading of all cards, which is one frame.
type smiRound struct {
	zone  *time.Location
	taken time.Time
	rows  []*smiRow
}

// samePass is how close two lines are that cannot be of two rounds.
const samePass = 20 * time.Millisecond

// add takes a row, and returns the frame that is finished thereby: one ends where a
// card comes again.
func (g *smiRound) add(row *smiRow) (*Frame, error) {
	taken, err := parseSMITime(row.timestamp, g.zone)
	if err != nil {
		return nil, fmt.Errorf("line %d: %w", row.line, err)
	}
	key, surely := row.key()
	again := slices.ContainsFunc(g.rows, func(r *smiRow) bool { k, _ := r.key(); return k == key })
	if again && !surely && taken.Sub(g.taken).Abs() < samePass {
		return nil, fmt.Errorf("line %d: nothing tells the cards apart; query index or uuid too", row.line)
	}
	var done *Frame
	if again {
		f := g.frame()
		done = &f
		g.rows = nil
		if taken.Before(g.taken) {
			return done, fmt.Errorf("line %d: timestamp: %q is before %q above it", row.line, row.timestamp, g.taken.Format(smiTime))
		}
	}
	if len(g.rows) == 0 {
		g.taken = taken
	}
	g.rows = append(g.rows, row)
	return done, nil
}

func (g *smiRound) frame() Frame { return smiFrame("nvidia-smi", g.taken, g.rows) }

// smiFrame is rows of one host as a frame.
func smiFrame(host string, taken time.Time, rows []*smiRow) Frame {
	h := Host{Name: host, Devices: []Device{}}
	for _, row := range rows {
		h.Driver = max(h.Driver, row.driver)
		row.device.UUID, _ = row.key()
		h.Devices = append(h.Devices, row.device)
	}
	slices.SortStableFunc(h.Devices, func(a, b Device) int { return a.Index - b.Index })
	return Frame{Source: "nvidia-smi", Taken: taken, Hosts: []Host{h}}
}

const smiTime = "2006/01/02 15:04:05.999"

// parseSMITime reads "2026/03/01 08:00:00.123".
func parseSMITime(s string, zone *time.Location) (time.Time, error) {
	for _, layout := range []string{smiTime, "2006-01-02 15:04:05.999"} {
		if t, err := time.ParseInLocation(layout, s, zone); err == nil {
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf("timestamp: %q is no time like 2026/03/01 08:00:00.123", oneLine(s))
}
