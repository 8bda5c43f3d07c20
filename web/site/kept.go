package site

import (
	"slices"
	"strings"
)

// keptPages are the first parts of addresses that a revision answers, see [IsKept].
var keptPages = []string{"", "cards", "compare", "prices", "offers", "ladders", "plot", "export-control", "recommend",
	"serve", "architectures", "ecosystem", "sources", "data-health", "glossary", "methodology", "accuracy", "estimate",
	"metrics", "search", "peak", "models", "og"}

// IsKept reports whether an address is of the catalogue, so that its revision answers it: one of an answer of the API,
// too, and without the language.
func IsKept(path string) bool { return slices.Contains(keptPages, FirstPart(path)) }

// FirstPart is what tells which feature answers a path: "cards" of /zh/cards/x and of /api/v1/cards.
func FirstPart(path string) string {
	if path == "/zh" {
		return ""
	}
	path = strings.TrimPrefix(path, "/zh/")
	path = strings.TrimPrefix(strings.TrimPrefix(path, "/"), "api/v1/")
	first, _, _ := strings.Cut(path, "/")
	first, _, _ = strings.Cut(first, ".")
	return first
}
