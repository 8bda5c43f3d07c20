// Package catalog is the domain of Tianti: cards, their figures, where each
// figure comes from, and the immutable snapshot that questions are put to.
//
// Facts come in layers. A [Dataset] is a named set of facts from one origin and
// has a rank; a [Builder] merges the active datasets into one [Snapshot] in
// which, for every card and quantity, one figure is shown and every other one
// stays beside it (see [Builder.Build] for the order of preference). A fact
// never exists without a source, and what no source states is absent, never zero.
//
// The package imports nothing else of the project and does no I/O.
package catalog
