package prometheus

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"tianti/live"
)

var errNotPrometheus = errors.New("unexpected JSON")

// readAnswer decodes {"status":"success","data":{"resultType":…,"result":[…]}} as a stream, series by series.
func readAnswer(r io.Reader) (answer, error) {
	var a answer
	var status, failure string
	found := false
	d := json.NewDecoder(r)
	err := eachField(d, func(name string) error {
		switch name {
		case "status":
			return d.Decode(&status)
		case "error":
			return d.Decode(&failure)
		case "warnings":
			return d.Decode(&a.warnings)
		case "data":
			return eachField(d, func(name string) error {
				if name != "result" {
					return skipValue(d)
				}
				found = true
				return readSeries(d, &a)
			})
		}
		return skipValue(d)
	})
	switch {
	case err != nil && isSyntax(err):
		return a, fmt.Errorf("%w: %w", errNotPrometheus, err)
	case err != nil:
		return a, err
	case status == "error":
		return a, errors.New(live.OneLine(failure))
	case status != "success" || !found:
		return a, fmt.Errorf("%w: no status and result", errNotPrometheus)
	}
	return a, nil
}

func isSyntax(err error) bool {
	var syntax *json.SyntaxError
	var shape *json.UnmarshalTypeError
	return errors.As(err, &syntax) || errors.As(err, &shape)
}

// eachField calls f for each field of the next object; f decodes the value.
func eachField(d *json.Decoder, f func(name string) error) error {
	if err := wantDelim(d, '{'); err != nil {
		return err
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		if err := f(name.(string)); err != nil {
			return err
		}
	}
	return wantDelim(d, '}')
}

func wantDelim(d *json.Decoder, want json.Delim) error {
	token, err := d.Token()
	if err != nil {
		return err
	}
	if token != want {
		return fmt.Errorf("%w: %v instead of %v", errNotPrometheus, live.OneLine(fmt.Sprint(token)), want)
	}
	return nil
}

func skipValue(d *json.Decoder) error {
	var skipped json.RawMessage
	return d.Decode(&skipped)
}

func readSeries(d *json.Decoder, a *answer) error {
	if err := wantDelim(d, '['); err != nil {
		return err
	}
	for n := 0; d.More(); n++ {
		if n == maxSeries {
			return fmt.Errorf("more than %d series: narrow them with a selector", maxSeries)
		}
		var s struct {
			Metric map[string]string `json:"metric"`
			Value  sample            `json:"value"`
			Values samples           `json:"values"`
		}
		if err := d.Decode(&s); err != nil {
			return err
		}
		newest := s.Values.last
		if newest.at.IsZero() {
			newest = s.Value
		}
		if newest.at.IsZero() {
			continue // a histogram
		}
		a.series = append(a.series, series{s.Metric, newest.value, newest.at, s.Values.every})
	}
	return wantDelim(d, ']')
}

// sample is [1700000000.123,"45.5"].
type sample struct {
	at    time.Time
	value float64
}

// UnmarshalJSON also decodes "NaN" and "+Inf".
func (s *sample) UnmarshalJSON(b []byte) error {
	var pair []json.RawMessage
	if err := json.Unmarshal(b, &pair); err != nil {
		return err
	}
	if len(pair) != 2 {
		return fmt.Errorf("%w: a sample of %d values", errNotPrometheus, len(pair))
	}
	seconds, err := strconv.ParseFloat(string(pair[0]), 64)
	if err != nil || !(math.Abs(seconds) < 1e11) {
		return fmt.Errorf("%w: the time of a sample is %s", errNotPrometheus, live.OneLine(string(pair[0])))
	}
	text := strings.Trim(string(pair[1]), `"`)
	if s.value, err = strconv.ParseFloat(text, 64); err != nil && !errors.Is(err, strconv.ErrRange) {
		return fmt.Errorf("%w: a sample is %s", errNotPrometheus, live.OneLine(text))
	}
	s.at = time.UnixMilli(int64(math.Round(seconds * 1000))).UTC()
	return nil
}

// samples are the last of a list of samples, and the time between it and the one before.
type samples struct {
	last  sample
	every time.Duration
}

// UnmarshalJSON decodes only the last two samples, as they are in the order of time.
func (s *samples) UnmarshalJSON(b []byte) error {
	b = bytes.TrimSuffix(b, []byte("]"))
	start := bytes.LastIndexByte(b, '[')
	if start <= 0 {
		return nil // empty, or null
	}
	if err := s.last.UnmarshalJSON(b[start:]); err != nil {
		return err
	}
	var before sample
	b = bytes.TrimRight(b[:start], ", \t\r\n")
	if start = bytes.LastIndexByte(b, '['); start <= 0 {
		return nil
	}
	if err := before.UnmarshalJSON(b[start:]); err != nil {
		return err
	}
	s.every = max(0, s.last.at.Sub(before.at))
	return nil
}
