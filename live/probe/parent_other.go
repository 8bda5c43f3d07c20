//go:build !linux

package probe

import "syscall"

// diesWithParent does nothing: the process ends when its standard input is closed.
func diesWithParent() *syscall.SysProcAttr { return nil }
