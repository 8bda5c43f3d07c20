package nvidiasmi

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"tianti/live"
	"tianti/live/recording"
)

// convert writes a log as a recording; see [logFrames] for the log and the error. The frames before an error are
// written.
func convert(w io.Writer, log io.Reader, zone *time.Location) error {
	out := bufio.NewWriter(w)
	for f, err := range logFrames(log, zone) {
		if err == nil {
			err = recording.WriteFrame(out, f)
		}
		if err != nil {
			return errors.Join(err, out.Flush())
		}
	}
	return out.Flush()
}

// logReplay plays a temporary recording, which it removes at the end.
type logReplay struct {
	*recording.Replay
	path string
}

// OpenLog opens a log of nvidia-smi, CSV, as [recording.Open] opens a recording. It writes a temporary file. The error
// of a log that is incomplete or something else has its name and the line. Times in the log are those of zone; nil is
// UTC.
func OpenLog(path string, zone *time.Location) (live.Source, error) {
	log, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	file, err := os.CreateTemp("", "tianti-*.ndjson")
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	replay, err := play(path, file, log, zone)
	if err != nil {
		return nil, errors.Join(err, file.Close(), os.Remove(file.Name()))
	}
	return &logReplay{replay, file.Name()}, nil
}

// play converts a log to a recording in file, which it plays.
func play(path string, file *os.File, log io.Reader, zone *time.Location) (*recording.Replay, error) {
	if err := convert(file, log, zone); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	return recording.NewReplay(path, file)
}

// Close ends the replay and removes the temporary recording.
func (r *logReplay) Close() error {
	err := r.Replay.Close()
	if removed := os.Remove(r.path); !errors.Is(removed, os.ErrNotExist) {
		err = errors.Join(err, removed)
	}
	return err
}
