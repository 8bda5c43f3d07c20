package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"tianti/account"
)

// newPassword has the flags for a password. The command line does not contain it, as other users can see that.
type newPassword struct {
	PasswordFile string `placeholder:"FILE" predictor:"file" help:"${password_file_help}"`
}

// choose returns a password that is valid for the account.
func (p newPassword) choose(e *env, name string) (string, error) {
	password, err := p.given(e)
	if err == nil {
		err = account.CheckPassword(name, password)
	}
	return password, err
}

func (p newPassword) given(e *env) (string, error) {
	switch {
	case p.PasswordFile == "-":
		return firstLine(os.Stdin)
	case p.PasswordFile != "":
		f, err := os.Open(p.PasswordFile)
		if err != nil {
			return "", err
		}
		defer f.Close()
		return firstLine(f)
	case term.IsTerminal(int(os.Stdin.Fd())):
		return twice(func(prompt string) (string, error) { return ask(e.ctx, e.stderr, prompt) })
	}
	return firstLine(os.Stdin)
}

// firstLine reads a line without its end, at most the length of a password.
func firstLine(r io.Reader) (string, error) {
	line, err := bufio.NewReader(io.LimitReader(r, account.MaxPassword+2)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("read the password: %w", err)
	}
	return strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r"), nil
}

// twice asks for a password and its repetition until they are equal, three times at most.
func twice(ask func(prompt string) (string, error)) (string, error) {
	for range 3 {
		first, err := ask("Password: ")
		if err != nil {
			return "", err
		}
		second, err := ask("Once more: ")
		if err != nil {
			return "", err
		}
		if first == second {
			return first, nil
		}
	}
	return "", errors.New("the two passwords differ")
}

// ask reads a line from the terminal without echo. It restores the terminal when ctx ends first.
func ask(ctx context.Context, to io.Writer, prompt string) (string, error) {
	fd := int(os.Stdin.Fd())
	before, err := term.GetState(fd)
	if err != nil {
		return "", err
	}
	fmt.Fprint(to, prompt)
	type line struct {
		text []byte
		err  error
	}
	read := make(chan line, 1)
	go func() {
		text, err := term.ReadPassword(fd)
		read <- line{text, err}
	}()
	select {
	case l := <-read:
		fmt.Fprintln(to)
		return string(l.text), l.err
	case <-ctx.Done():
		fmt.Fprintln(to)
		return "", errors.Join(context.Cause(ctx), term.Restore(fd, before))
	}
}
