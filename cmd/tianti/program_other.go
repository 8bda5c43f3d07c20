//go:build !linux

package main

// unmapProgram does nothing where it is not known how.
func unmapProgram() error { return nil }
