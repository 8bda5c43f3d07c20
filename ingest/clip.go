package ingest

import (
	"strings"

	"tianti/catalog"
)

// clip shortens what a file says, to be quoted.
func clip(s string) string { return strings.TrimSpace(catalog.Clip(s)) }
