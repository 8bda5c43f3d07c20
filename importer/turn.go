package importer

import "context"

// largeFile is from which size on files are read one at a time: what their format holds in memory at once can be forty
// times as large. A price list of some thousand rows is smaller, and waits for nothing.
const largeFile = 1 << 20

// turns are taken by those who read large files.
type turns chan struct{}

// take waits for a turn to read a file of a size; leave gives it back.
func (t turns) take(ctx context.Context, size int64) (leave func(), err error) {
	if size < largeFile {
		return func() {}, nil
	}
	select {
	case t <- struct{}{}:
		return func() { <-t }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}
