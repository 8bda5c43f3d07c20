package live

import "syscall"

// diesWithParent makes a process end when the thread that started it does, however
// that comes about.
func diesWithParent() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
