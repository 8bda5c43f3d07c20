package live

import (
	"context"
	"errors"
	"strings"
)

// fallback reads the first of its sources that works.
type fallback struct {
	sources []Source
	current int // the one that had devices last; it is read first until it has none
}

// FirstOf is the first of several sources that has devices. They are ways to read the same host, the best first. When
// none has a device, the frame or error is that of the first.
func FirstOf(sources ...Source) Source { return &fallback{sources: sources} }

// Name implements [Source].
func (f *fallback) Name() string {
	var names []string
	for _, s := range f.sources {
		names = append(names, s.Name())
	}
	return strings.Join(names, "|")
}

// Read reads the source that had devices last; when that has none, the others in their order.
func (f *fallback) Read(ctx context.Context) (Frame, error) {
	best, err := f.sources[f.current].Read(ctx)
	if err == nil && best.conclusive() {
		return best, nil
	}
	for i, s := range f.sources {
		if i == f.current || best.Reason == ReasonStarting {
			continue
		}
		if other, failed := s.Read(ctx); failed == nil && other.conclusive() {
			f.current = i
			return other, nil
		} else if i < f.current {
			best, err = other, failed
		}
	}
	f.current = 0
	return best, err
}

// conclusive reports whether no other source has to be tried. Suspended devices are conclusive too: another source
// would wake them.
func (f *Frame) conclusive() bool { return f.Devices() > 0 || f.Reason == ReasonAsleep }

// Close closes all sources.
func (f *fallback) Close() error {
	var errs []error
	for _, s := range f.sources {
		errs = append(errs, s.Close())
	}
	return errors.Join(errs...)
}
