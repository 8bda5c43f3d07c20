// Package process runs the programs that the benchmarks measure, and reads what
// Linux says of them.
package process

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// A Process is a server that was started and has said where it listens.
type Process struct {
	Addr    string // host:port
	Started time.Time
	pid     int
	cmd     *exec.Cmd
	exited  chan error
}

// Of returns what can be read of a process that somebody else started.
func Of(pid int) *Process { return &Process{pid: pid} }

// announced is what a server prints on standard output once it answers.
var announced = regexp.MustCompile(`http://(\S+:\d+)`)

// patience is how long a server may take to answer: adding 100,000 cards to a new
// database takes some seconds.
const patience = 2 * time.Minute

// Start runs a program with its standard error going to log, and returns when it
// has printed its address.
func Start(log io.Writer, program string, args ...string) (*Process, error) {
	p := &Process{cmd: exec.Command(program, args...), exited: make(chan error, 1)}
	p.cmd.Stderr = log
	p.cmd.Env = append(os.Environ(), "TIANTI_RATE_LIMIT=0", "TIANTI_STREAM_LIMIT=0") // they ask for more than people do
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.Started = time.Now()
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	p.pid = p.cmd.Process.Pid
	addr := make(chan string, 1)
	go func() {
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if m := announced.FindStringSubmatch(lines.Text()); m != nil {
				select {
				case addr <- m[1]:
				default: // it says it again
				}
			}
		}
		p.exited <- p.cmd.Wait()
	}()
	select {
	case p.Addr = <-addr:
		return p, nil
	case err := <-p.exited:
		return nil, fmt.Errorf("%s ended before it served: %w", filepath.Base(program), err)
	case <-time.After(patience):
		_ = p.cmd.Process.Kill()
		return nil, fmt.Errorf("%s printed no address within %s", filepath.Base(program), patience)
	}
}

// URL is the address of a path on the server.
func (p *Process) URL(path string) string { return "http://" + p.Addr + path }

// Stop ends the server in good order.
func (p *Process) Stop() error { return p.end(syscall.SIGTERM) }

// Abort ends a Go program with SIGQUIT: it writes the stacks of all goroutines to
// its standard error.
func (p *Process) Abort() {
	_ = p.end(syscall.SIGQUIT) // the program says that it was aborted
}

func (p *Process) end(s syscall.Signal) error {
	if err := p.cmd.Process.Signal(s); err != nil {
		return err
	}
	select {
	case err := <-p.exited:
		return err
	case <-time.After(20 * time.Second):
		_ = p.cmd.Process.Kill()
		return fmt.Errorf("%s did not end", filepath.Base(p.cmd.Path))
	}
}

// clockTick is the unit of times in /proc: USER_HZ is 100 on every architecture
// that Go runs on.
const clockTick = 10 * time.Millisecond

// CPU is the time that the process has computed so far, in user and kernel mode.
func (p *Process) CPU() (time.Duration, error) {
	stat, err := os.ReadFile(p.proc("stat"))
	if err != nil {
		return 0, err
	}
	// The second field is the name in brackets, and may hold anything.
	_, rest, _ := strings.Cut(string(stat), ") ")
	fields := strings.Fields(rest)
	if len(fields) < 13 {
		return 0, fmt.Errorf("%s has %d fields", p.proc("stat"), len(fields))
	}
	user, err := strconv.Atoi(fields[11])
	if err != nil {
		return 0, err
	}
	system, err := strconv.Atoi(fields[12])
	return time.Duration(user+system) * clockTick, err
}

// Status returns a number of /proc/PID/status: VmRSS and VmHWM in kB, Threads.
func (p *Process) Status(field string) (int, error) {
	status, err := os.ReadFile(p.proc("status"))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(status)) {
		if value, ok := strings.CutPrefix(line, field+":"); ok {
			return strconv.Atoi(strings.Fields(value)[0])
		}
	}
	return 0, fmt.Errorf("%s has no %s", p.proc("status"), field)
}

// ForgetPeak has VmHWM begin again with what is resident now.
func (p *Process) ForgetPeak() error { return os.WriteFile(p.proc("clear_refs"), []byte("5"), 0) }

// OpenFiles counts what the process has open, sockets among it, but for those whose names begin so: readers of a
// database that a busy moment opened stay open.
func (p *Process) OpenFiles(but string) (n int, err error) {
	open, err := os.ReadDir(p.proc("fd"))
	for _, file := range open {
		name, gone := os.Readlink(p.proc("fd/" + file.Name()))
		if gone == nil && !strings.HasPrefix(name, but) {
			n++
		}
	}
	return n, err
}

func (p *Process) proc(file string) string {
	return "/proc/" + strconv.Itoa(p.pid) + "/" + file
}

// InFolder calls do with a new folder, which it removes afterwards, and with the program
// to measure: ours, built into the folder, unless one is given.
func InFolder(program string, do func(dir, program string) error) error {
	dir, err := os.MkdirTemp("", "tianti-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if program == "" {
		if program, err = Build(dir, "./cmd/tianti"); err != nil {
			return err
		}
	}
	return do(dir, program)
}

// ForTests is a flag of the linker for programs that tests start often: servers compute nothing before it is asked for.
const ForTests = "-X=main.computesAhead=no"

// Build compiles a command of this module into dir, without symbols, as it is released, and returns the file. flags are
// more flags of the linker.
func Build(dir, command string, flags ...string) (string, error) {
	file := filepath.Join(dir, filepath.Base(command))
	cmd := exec.Command("go", "build", "-ldflags=-s -w "+strings.Join(flags, " "), "-o", file, command)
	cmd.Stderr = os.Stderr
	return file, cmd.Run()
}

// Measured is what a run of a program took.
type Measured struct {
	Wall, CPU time.Duration
	PeakMB    float64 // the most memory that was resident
}

// Measure runs a program to its end. Linux says afterwards what it took.
func Measure(stdin, program string, args ...string) (Measured, error) {
	var output bytes.Buffer
	cmd := exec.Command(program, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &output, &output
	start := time.Now()
	if err := cmd.Start(); err != nil {
		return Measured{}, err
	}
	peak, stop := watchPeak(Of(cmd.Process.Pid))
	err := cmd.Wait()
	m := Measured{Wall: time.Since(start)}
	stop()
	if err != nil {
		return m, fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, output.String())
	}
	m.CPU = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	m.PeakMB = float64(<-peak) / 1024
	// Until it is the program a process has the memory of the one that started it, and that counts, too.
	own, known := Of(os.Getpid()).Status("VmHWM")
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok && known == nil && int(usage.Maxrss) > own {
		m.PeakMB = float64(usage.Maxrss) / 1024
	}
	return m, nil
}

// watchPeak looks at the peak of a process until stop, in kB: what it grows by within the last hundredth of a second is
// not seen.
func watchPeak(p *Process) (peak <-chan int, stop func()) {
	out, done := make(chan int, 1), make(chan struct{})
	go func() {
		most := 0
		tick := time.NewTicker(10 * time.Millisecond)
		defer tick.Stop()
		for {
			if now, err := p.Status("VmHWM"); err == nil {
				most = max(most, now)
			}
			select {
			case <-tick.C:
			case <-done:
				out <- most
				return
			}
		}
	}()
	return out, func() { close(done) }
}
