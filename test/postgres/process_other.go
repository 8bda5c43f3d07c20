//go:build !linux

package postgres

import (
	"os/exec"
	"syscall"
)

const (
	fastShutdown      = syscall.SIGINT
	immediateShutdown = syscall.SIGQUIT
)

func giveAway(string) error { return nil }

func asAnother(*exec.Cmd) {}

func startBound(cmd *exec.Cmd) (ended chan struct{}, err error) {
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	ended = make(chan struct{})
	go func() { _ = cmd.Wait(); close(ended) }()
	return ended, nil
}
