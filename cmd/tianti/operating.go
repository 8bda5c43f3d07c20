package main

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/alecthomas/kong"
)

// operating has the flags for those who watch over a server.
type operating struct {
	Drain     time.Duration `placeholder:"TIME" default:"3s" help:"${drain_help} ${default} unless given."`
	LogClient string        `enum:"full,truncated,none" default:"truncated" help:"${log_client_help}"`
}

// operatingHelp is the help of flags that is too long for their tags.
var operatingHelp = kong.Vars{
	"drain_help": "How long the server goes on answering after SIGTERM or SIGINT while /readyz says 503, for load " +
		"balancers to look elsewhere; 0 is not at all;",
	"log_client_help": "Client in the log of requests: full address, truncated (the default) to the /24 of IPv4 and " +
		"the /48 of IPv6, or none.",
}

// mostDrain is how long a drain may last.
const mostDrain = 10 * time.Minute

// Validate checks what the types of the flags do not.
func (o *operating) Validate() error {
	if o.Drain < 0 || o.Drain > mostDrain {
		return fmt.Errorf("--drain is %s: want 0 to %s", o.Drain, mostDrain)
	}
	return nil
}

// A roomProbe says whether the disk of the database takes a little more. It writes at most once each roomEvery.
type roomProbe struct {
	dir string
	log *slog.Logger

	mu    sync.Mutex
	asked time.Time
	err   error
}

const (
	roomEvery = 15 * time.Second
	roomBytes = 256 << 10 // less than an import takes, and more than what is left in a file's last block
)

func newRoomProbe(path dbPath, log *slog.Logger) *roomProbe {
	return &roomProbe{dir: filepath.Dir(string(path)), log: log}
}

// Room returns why nothing can be written, or nil.
func (p *roomProbe) Room() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.asked.IsZero() && time.Since(p.asked) < roomEvery {
		return p.err
	}
	before := p.err
	p.err, p.asked = tryRoom(p.dir), time.Now()
	switch {
	case p.err != nil && before == nil:
		p.log.Error("the disk of the database takes nothing more", "error", p.err)
	case p.err == nil && before != nil:
		p.log.Info("the disk of the database has room again")
	}
	return p.err
}

// tryRoom writes a file of roomBytes into a folder, and takes it away.
func tryRoom(dir string) (err error) {
	f, err := os.CreateTemp(dir, ".tianti-room-*")
	if err == nil {
		_, err = f.Write(make([]byte, roomBytes))
		err = errors.Join(err, f.Close(), os.Remove(f.Name()))
	}
	switch {
	case errors.Is(err, syscall.ENOSPC):
		return errors.New("the disk is full")
	case err != nil:
		return errors.New("the folder of the database cannot be written")
	}
	return nil
}
