package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"time"
)

// healthcheckCmd is tianti healthcheck.
type healthcheckCmd struct {
	Listen string `placeholder:"ADDRESS" default:"${listen}" help:"${server_help} ${default} unless given."`
}

// Help is the manual of tianti healthcheck.
func (healthcheckCmd) Help() string {
	return `Asks the server at that address for /readyz, and succeeds when it is ready: the
catalogue is loaded and the database answers. This is for containers whose image
has no other program that could ask. It takes the same TIANTI_LISTEN as the
server.`
}

// healthcheckTimeout is shorter than what container engines wait.
const healthcheckTimeout = 3 * time.Second

// Run asks.
func (c *healthcheckCmd) Run(e *env) error {
	ctx, cancel := context.WithTimeout(e.ctx, healthcheckTimeout)
	defer cancel()
	url := localURL(c.Listen)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/readyz", nil)
	if err != nil {
		return err
	}
	res, err := (&http.Transport{}).RoundTrip(req) // no proxy, no redirects
	if err != nil {
		return fmt.Errorf("%s does not answer: %w", url, plain(err))
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("%s is not ready: %s", url, res.Status)
	}
	_, err = fmt.Fprintln(e.stdout, "ready")
	return err
}

// localURL is the URL by which this machine reaches a listener.
func localURL(listen string) string {
	host, port, err := net.SplitHostPort(listen)
	if err != nil {
		return "http://" + listen
	}
	if ip, err := netip.ParseAddr(host); host == "" || err == nil && ip.IsUnspecified() {
		host = "localhost"
	}
	return "http://" + net.JoinHostPort(host, port)
}
