package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"tianti/live"
	"tianti/live/nvidiasmi"
	"tianti/live/probe"
	"tianti/live/prometheus"
	"tianti/live/recording"
)

// sources are the flags for the sources of readings.
type sources struct {
	Live                   string `placeholder:"SOURCE" default:"auto" help:"${live_help}"`
	Prometheus             string `placeholder:"URL" help:"${prometheus_help}"`
	PrometheusUser         string `placeholder:"NAME" help:"User for the Prometheus server."`
	PrometheusPasswordFile string `placeholder:"FILE" predictor:"file" help:"File with that user's password."`
	PrometheusBearerFile   string `placeholder:"FILE" predictor:"file" help:"${prometheus_bearer_file_help}"`
	PrometheusCA           string `name:"prometheus-ca" placeholder:"FILE" predictor:"file" help:"${ca_help}"`
	PrometheusSelector     string `placeholder:"MATCHERS" help:"${prometheus_selector_help}"`
	PrometheusTenant       string `placeholder:"NAME" help:"${prometheus_tenant_help}"`

	// Values contain commas, so a list in the environment is separated by newlines.
	PrometheusHeader []string `placeholder:"HEADER" sep:"none" help:"${prometheus_header_help}"`
}

// sourcesHelp is the help of flags that is too long for their tags.
var sourcesHelp = kong.Vars{
	"live_help": "Readings of this host's devices: nvml, nvidia-smi, replay:FILE (a recording, or a log of " +
		"nvidia-smi as CSV), off, or auto, the default: the first that works. auto lets cards sleep that do, as in " +
		"laptops; nvml and nvidia-smi wake them.",
	"prometheus_help": "Prometheus server that knows the readings of a fleet, with its base path, such as " +
		"http://prometheus:9090.",
	"prometheus_bearer_file_help": "File with a token for the Prometheus server, read anew for each query.",
	"ca_help":                     "Certificates (PEM) to trust besides the system's.",
	"prometheus_selector_help":    `Which series to read, such as cluster="a",job=~"dcgm.*".`,
	"prometheus_tenant_help":      "Tenant of a Mimir, Cortex or Thanos server (X-Scope-OrgID).",
	"prometheus_header_help": `A header, "Name: value", for the requests to the Prometheus server, as gateways want ` +
		"it. May be repeated; lines of the environment variable are several.",
}

// validate checks what the types of the flags do not.
func (s *sources) validate() error {
	file, replay := strings.CutPrefix(s.Live, "replay:")
	switch {
	case replay && file == "":
		return errors.New("--live is \"replay:\": name the file of the recording after it")
	case replay, s.Live == "auto", s.Live == "nvml", s.Live == "nvidia-smi", s.Live == "off":
	default:
		return fmt.Errorf("--live is %q: want auto, nvml, nvidia-smi, replay:FILE or off", s.Live)
	}
	for _, f := range []struct{ flag, value string }{
		{"user", s.PrometheusUser}, {"password-file", s.PrometheusPasswordFile},
		{"bearer-file", s.PrometheusBearerFile}, {"ca", s.PrometheusCA}, {"selector", s.PrometheusSelector},
		{"tenant", s.PrometheusTenant},
	} {
		if f.value != "" && s.Prometheus == "" {
			return fmt.Errorf("--prometheus-%s needs --prometheus URL", f.flag)
		}
	}
	headers, err := prometheus.ParseHeaders(s.PrometheusHeader)
	if err != nil {
		return fmt.Errorf("--prometheus-header: %w", err)
	}
	switch {
	case len(headers) > 0 && s.Prometheus == "":
		return errors.New("--prometheus-header needs --prometheus URL")
	case headers.Get("Authorization") != "" && (s.PrometheusUser != "" || s.PrometheusBearerFile != ""):
		return errors.New("--prometheus-header Authorization excludes --prometheus-user and --prometheus-bearer-file")
	case headers.Get("X-Scope-OrgID") != "" && s.PrometheusTenant != "":
		return errors.New("--prometheus-header X-Scope-OrgID and --prometheus-tenant exclude each other")
	case (s.PrometheusUser == "") != (s.PrometheusPasswordFile == ""):
		return errors.New("--prometheus-user and --prometheus-password-file need each other")
	case s.PrometheusUser != "" && s.PrometheusBearerFile != "":
		return errors.New("--prometheus-user and --prometheus-bearer-file exclude each other")
	}
	return nil
}

// open checks the sources as far as possible before reading: that a recording is complete, nvidia-smi is installed, and
// a Prometheus server answers. It returns a function that opens them; nil when all are off.
func (s *sources) open(ctx context.Context) (func() (live.Source, error), error) {
	var opens []func() (live.Source, error)
	if s.Live != "off" {
		src, err := s.local()
		if err == nil {
			err = src.Close()
		}
		if err != nil {
			return nil, err
		}
		opens = append(opens, s.local)
	}
	if s.Prometheus != "" {
		p, err := s.fleet()
		if err != nil {
			return nil, err
		}
		if err := errors.Join(p.Check(ctx), p.Close()); err != nil {
			return nil, fmt.Errorf("--prometheus: %w", err)
		}
		opens = append(opens, func() (live.Source, error) { return s.fleet() })
	}
	switch len(opens) {
	case 0:
		return nil, nil
	case 1:
		return opens[0], nil
	}
	return func() (live.Source, error) { return openAll(opens) }, nil
}

// openAll opens several sources as one.
func openAll(opens []func() (live.Source, error)) (live.Source, error) {
	var all []live.Source
	for _, open := range opens {
		src, err := open()
		if err != nil {
			for _, s := range all {
				err = errors.Join(err, s.Close())
			}
			return nil, err
		}
		all = append(all, src)
	}
	return live.Several(all...), nil
}

// local reads the devices of this host.
func (s *sources) local() (live.Source, error) {
	if file, ok := strings.CutPrefix(s.Live, "replay:"); ok {
		return replay(file)
	}
	switch s.Live {
	case "nvml":
		return nvmlProbe("--wake")
	case "nvidia-smi":
		return nvidiaSMI()
	}
	library, err := nvmlProbe()
	if err != nil {
		return nil, err
	}
	smi, err := nvidiaSMI()
	if err != nil {
		return library, nil // without the program, the reason is that of the library
	}
	return live.FirstOf(library, live.UnlessAsleep(smi, "/sys")), nil
}

// nvidiaSMI runs nvidia-smi.
func nvidiaSMI() (live.Source, error) {
	smi, err := nvidiasmi.New(nvidiasmi.Config{})
	if err != nil {
		return nil, fmt.Errorf("--live: %w", err)
	}
	return smi, nil
}

// replay plays a file: a log of nvidia-smi when its name ends with .csv, otherwise a recording of tianti live or
// live-probe.
func replay(file string) (live.Source, error) {
	var src live.Source
	var err error
	if strings.EqualFold(filepath.Ext(file), ".csv") {
		src, err = nvidiasmi.OpenLog(file, time.Local)
	} else {
		src, err = recording.Open(file)
	}
	if err != nil {
		return nil, fmt.Errorf("--live: %w", err)
	}
	return src, nil
}

// probeInterval is the sampling interval of the child process that reads NVML.
const probeInterval = time.Second

// nvmlProbe reads NVML in a child process, which is this program with another command. It passes the interval, as the
// child would otherwise use TIANTI_INTERVAL.
func nvmlProbe(flags ...string) (live.Source, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	command := append([]string{program, "live-probe", "--interval=" + probeInterval.String()}, flags...)
	return probe.New(probe.Config{Interval: probeInterval, Command: command}), nil
}

// fleet reads Prometheus.
func (s *sources) fleet() (*prometheus.Source, error) {
	password, err := readPassword(s.PrometheusPasswordFile)
	if err != nil {
		return nil, fmt.Errorf("--prometheus-password-file: %w", err)
	}
	headers, err := prometheus.ParseHeaders(s.PrometheusHeader)
	if err != nil {
		return nil, fmt.Errorf("--prometheus-header: %w", err)
	}
	p, err := prometheus.New(prometheus.Config{
		URL: s.Prometheus, User: s.PrometheusUser, Password: password, BearerFile: s.PrometheusBearerFile,
		CAFile: s.PrometheusCA, Selector: s.PrometheusSelector, Tenant: s.PrometheusTenant, Headers: headers,
	})
	if err != nil {
		return nil, fmt.Errorf("--prometheus: %w", err)
	}
	return p, nil
}

// readPassword is the first line of a file; "" without a file.
func readPassword(file string) (string, error) {
	if file == "" {
		return "", nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	line, _, _ := bytes.Cut(text, []byte("\n"))
	if line = bytes.TrimSuffix(line, []byte("\r")); len(line) == 0 {
		return "", fmt.Errorf("%s has no password in its first line", file)
	}
	return string(line), nil
}
