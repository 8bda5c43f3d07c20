package nvidiasmi

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"time"

	"tianti/live"
)

// logFrames yields the frames of a log that a command such as this one has written:
//
//	nvidia-smi -l 1 --format=csv --filename=report.csv --query-gpu=timestamp,name,index,utilization.gpu,power.draw
//
// The columns may be any, in any order, with or without units; the header may be repeated. Times are those of zone, as
// the log has none; nil is UTC. An error has the line and is the last element.
func logFrames(r io.Reader, zone *time.Location) iter.Seq2[live.Frame, error] {
	if zone == nil {
		zone = time.UTC
	}
	return func(yield func(live.Frame, error) bool) {
		reader := newCSVReader(r)
		reader.timed = true
		pass := pass{zone: zone}
		for {
			row, err := reader.next()
			if err != nil && !errors.Is(err, io.EOF) {
				if len(pass.rows) > 0 && !yield(pass.frame(), nil) {
					return
				}
				yield(live.Frame{}, err)
				return
			}
			if err != nil {
				break
			}
			done, err := pass.add(row)
			if done != nil && !yield(*done, nil) {
				return
			}
			if err != nil {
				yield(live.Frame{}, err)
				return
			}
		}
		if len(pass.rows) > 0 {
			yield(pass.frame(), nil)
			return
		}
		yield(live.Frame{}, fmt.Errorf("line %d: the log ends without a reading", reader.line))
	}
}

// A pass has the rows of one query of all cards, which are one frame.
type pass struct {
	zone  *time.Location
	taken time.Time
	rows  []*csvRow
}

// samePass is the time below which two rows are of one pass.
const samePass = 20 * time.Millisecond

// add adds a row. When it is of a card that the pass has already, it begins the next one, and add returns the frame of
// the last.
func (g *pass) add(row *csvRow) (*live.Frame, error) {
	taken, err := parseTime(row.timestamp, g.zone)
	if err != nil {
		return nil, fmt.Errorf("line %d: %w", row.line, err)
	}
	key, unique := row.key()
	again := slices.ContainsFunc(g.rows, func(r *csvRow) bool { k, _ := r.key(); return k == key })
	if again && !unique && taken.Sub(g.taken).Abs() < samePass {
		return nil, fmt.Errorf("line %d: nothing tells the cards apart; query index or uuid too", row.line)
	}
	var done *live.Frame
	if again {
		f := g.frame()
		done = &f
		g.rows = nil
		if taken.Before(g.taken) {
			above := g.taken.Format(timeLayout)
			return done, fmt.Errorf("line %d: timestamp: %q is before %q above it", row.line, row.timestamp, above)
		}
	}
	if len(g.rows) == 0 {
		g.taken = taken
	}
	g.rows = append(g.rows, row)
	return done, nil
}

func (g *pass) frame() live.Frame { return frameOf("nvidia-smi", g.taken, g.rows) }

const timeLayout = "2006/01/02 15:04:05.999"

// parseTime parses "2026/03/01 08:00:00.123".
func parseTime(s string, zone *time.Location) (time.Time, error) {
	for _, layout := range []string{timeLayout, "2006-01-02 15:04:05.999"} {
		if t, err := time.ParseInLocation(layout, s, zone); err == nil {
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf("timestamp: %q is no time like 2026/03/01 08:00:00.123", live.OneLine(s))
}
