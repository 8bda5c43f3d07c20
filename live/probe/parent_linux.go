package probe

import "syscall"

// diesWithParent kills the process when the thread that started it ends, for whatever cause.
func diesWithParent() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
