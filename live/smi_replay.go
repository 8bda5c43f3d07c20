package live

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

// RecordSMILog writes a log of nvidia-smi as a recording, a frame a line, and returns
// how many they are; see [SMIFrames] for the log and the error. What came before an
// error is written.
func RecordSMILog(w io.Writer, log io.Reader, zone *time.Location) (frames int, err error) {
	out := bufio.NewWriter(w)
	for f, err := range SMIFrames(log, zone) {
		if err == nil {
			err = WriteFrame(out, f)
		}
		if err != nil {
			return frames, errors.Join(err, out.Flush())
		}
		frames++
	}
	return frames, out.Flush()
}

// An smiReplay plays a log by way of a recording that is there for as long.
type smiReplay struct {
	*Replay
	recording string
}

// OpenSMILog opens a log of nvidia-smi as [OpenReplay] opens a recording. It needs
// a folder for temporary files. A log that is cut off or anything else is refused
// with its name and the line.
func OpenSMILog(path string, zone *time.Location) (Source, error) {
	log, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	recording, err := os.CreateTemp("", "tianti-*.ndjson")
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	r := &smiReplay{&Replay{path: path, file: recording}, recording.Name()}
	if _, err = RecordSMILog(recording, log, zone); err != nil {
		err = fmt.Errorf("%s: %w", path, err)
	} else if _, err = recording.Seek(0, io.SeekStart); err == nil {
		err = r.index()
	}
	if err != nil {
		return nil, errors.Join(err, recording.Close(), os.Remove(r.recording))
	}
	return r, nil
}

// Close ends the replay and removes the recording.
func (r *smiReplay) Close() error {
	err := r.Replay.Close()
	if gone := os.Remove(r.recording); !errors.Is(gone, os.ErrNotExist) {
		err = errors.Join(err, gone)
	}
	return err
}
