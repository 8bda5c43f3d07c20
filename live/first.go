package live

import (
	"context"
	"errors"
	"strings"
)

// choice is one source of several ways to read the same devices.
type choice struct {
	sources []Source
	current int // the one that had devices last; the way it is until it has none
}

// FirstOf is the first of several sources that has devices: ways to read the same
// host, the best first. Where none has any, the first says why.
func FirstOf(sources ...Source) Source { return &choice{sources: sources} }

// Name implements [Source].
func (f *choice) Name() string {
	var names []string
	for _, s := range f.sources {
		names = append(names, s.Name())
	}
	return strings.Join(names, "|")
}

// Read reads the source that had devices last, and when that has none, all others.
func (f *choice) Read(ctx context.Context) (Frame, error) {
	best, err := f.sources[f.current].Read(ctx)
	if err == nil && best.settles() {
		return best, nil
	}
	for i, s := range f.sources {
		if i == f.current || best.Reason == ReasonStarting {
			continue
		}
		if other, failed := s.Read(ctx); failed == nil && other.settles() {
			f.current = i
			return other, nil
		} else if i < f.current {
			best, err = other, failed
		}
	}
	f.current = 0
	return best, err
}

// settles reports whether other ways need not be tried: they would wake devices that
// sleep.
func (f *Frame) settles() bool { return f.Devices() > 0 || f.Reason == ReasonAsleep }

// Close closes all sources.
func (f *choice) Close() error {
	var errs []error
	for _, s := range f.sources {
		errs = append(errs, s.Close())
	}
	return errors.Join(errs...)
}
