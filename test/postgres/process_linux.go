package postgres

import (
	"os"
	"os/exec"
	"os/user"
	"runtime"
	"strconv"
	"syscall"
)

const (
	fastShutdown      = syscall.SIGINT
	immediateShutdown = syscall.SIGQUIT
)

// other is a user for PostgreSQL, which does not run as root; nil when we are none.
func other() *syscall.Credential {
	if os.Getuid() != 0 {
		return nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		if u, err := user.Lookup(name); err == nil {
			uid, _ := strconv.Atoi(u.Uid)
			gid, _ := strconv.Atoi(u.Gid)
			return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
		}
	}
	return &syscall.Credential{Uid: 65534, Gid: 65534}
}

func giveAway(dir string) error {
	if c := other(); c != nil {
		return os.Chown(dir, int(c.Uid), int(c.Gid))
	}
	return nil
}

func asAnother(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Credential: other()} }

// startBound starts a process that ends with this one, however this one ends. ended is closed when it has.
func startBound(cmd *exec.Cmd) (ended chan struct{}, err error) {
	cmd.SysProcAttr.Pdeathsig = immediateShutdown
	ended = make(chan struct{})
	begun := make(chan error)
	go func() {
		runtime.LockOSThread() // the signal comes when the thread ends that has started the process
		err := cmd.Start()
		begun <- err
		if err == nil {
			_ = cmd.Wait()
		}
		close(ended)
		runtime.UnlockOSThread()
	}()
	return ended, <-begun
}
