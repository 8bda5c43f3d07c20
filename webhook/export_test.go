package webhook

import (
	"testing"
	"time"
)

// SetTimeout bounds an attempt for a test.
func SetTimeout(t *testing.T, d time.Duration) {
	before := attemptTimeout
	attemptTimeout = d
	t.Cleanup(func() { attemptTimeout = before })
}
