// Package exportcontrol says what dated export-control rules mean for an
// accelerator: which of them it meets, by which figures, on which day, for which
// destination.
//
// The rules are data (see [Rules]): each has its dates, its scope in country groups,
// conditions on a few quantities, and the document that it was read in, with a mark
// of how well it was read. [Evaluate] compares an [Item] with every rule in force and
// writes each comparison down. A quantity that is not known never counts in the
// item's favour: where it may decide, the status is [Unknown] and the result says
// what is missing.
//
// It is an engineer's reading of the rules, not legal advice.
package exportcontrol
