// Tianti is a catalogue of accelerator cards: figures with their sources, comparisons, and readings of devices, as web
// pages in English and Chinese and as a JSON API.
//
// The manual is the help text: tianti --help, and --help after each command.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // the second signal ends the process at once
	os.Exit(status(run(ctx, os.Args[1:], os.Getenv, os.Stdout, os.Stderr), os.Stderr))
}

// Exit statuses, as the help text lists them.
const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2
)

// usageError is an error of the command line.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// status reports err in one line on stderr and returns the exit status.
func status(err error, stderr io.Writer) int {
	if err == nil {
		return exitOK
	}
	fmt.Fprintln(stderr, "tianti: "+strings.ReplaceAll(err.Error(), "\n", "; "))
	if _, ok := errors.AsType[usageError](err); ok {
		return exitUsage
	}
	if e, ok := errors.AsType[interface {
		error
		ExitStatus() int
	}](err); ok {
		return e.ExitStatus()
	}
	return exitFailed
}

// run is the program: it parses the command line, with defaults from getenv, and runs the command until it is done or
// ctx ends.
func run(ctx context.Context, args []string, getenv func(string) string, stdout, stderr io.Writer) error {
	cmd, err := parse(args, getenv, stdout)
	if err != nil || cmd == nil {
		return err
	}
	return cmd.Run(&env{ctx: ctx, getenv: getenv, stdout: stdout, stderr: stderr})
}

// env is the environment of a command.
type env struct {
	ctx            context.Context
	getenv         func(string) string
	stdout, stderr io.Writer
}
