//go:build !linux

package live

import "syscall"

// diesWithParent leaves it to the process to notice that its standard input ends.
func diesWithParent() *syscall.SysProcAttr { return nil }
