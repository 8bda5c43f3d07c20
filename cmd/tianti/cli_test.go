package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// envOf returns a getenv over a map.
func envOf(vars map[string]string) func(string) string {
	return func(name string) string { return vars[name] }
}

func TestServeIsTheDefaultCommand(t *testing.T) {
	for _, args := range [][]string{nil, {"--listen", "127.0.0.1:1"}, {"serve"}} {
		cmd, err := parse(args, envOf(nil), &bytes.Buffer{})
		if err != nil {
			t.Fatalf("%q: %v", args, err)
		}
		if _, ok := cmd.(*serveCmd); !ok {
			t.Errorf("%q: got %T, want *serveCmd", args, cmd)
		}
	}
}

func TestEveryFlagHasAnEnvironmentVariable(t *testing.T) {
	got, err := parse([]string{"--cache-mb", "7"}, envOf(map[string]string{
		"TIANTI_LISTEN":                   ":99",
		"TIANTI_DB":                       "x.db",
		"TIANTI_ORIGIN":                   "https://a.example",
		"TIANTI_TRUSTED_PROXY":            "10.0.0.0/8,::1,192.0.2.77/24",
		"TIANTI_RATE_LIMIT":               "5",
		"TIANTI_STREAM_LIMIT":             "6",
		"TIANTI_CACHE_MB":                 "6",
		"TIANTI_LOG_FORMAT":               "text",
		"TIANTI_SYNTHETIC":                "3",
		"TIANTI_FONT":                     "/fonts/f.ttc",
		"TIANTI_RUNS":                     "/data/runs.csv",
		"TIANTI_LIVE":                     "off",
		"TIANTI_PROMETHEUS":               "https://p.example/prom",
		"TIANTI_PROMETHEUS_USER":          "u",
		"TIANTI_PROMETHEUS_PASSWORD_FILE": "pw",
		"TIANTI_PROMETHEUS_CA":            "ca.pem",
		"TIANTI_PROMETHEUS_SELECTOR":      `job="dcgm"`,
		"TIANTI_PROMETHEUS_TENANT":        "t",
		"TIANTI_PROMETHEUS_HEADER":        "A: b, c\nD: e",
		"TIANTI_PRIVATE":                  "true",
		"TIANTI_SETUP_LINK":               "true",
		"TIANTI_SECOND_FACTOR":            "administrators",
		"TIANTI_REFRESH":                  "/data/feeds.yaml",
		"TIANTI_REFRESH_EVERY":            "6h",
		"TIANTI_PUBLISH":                  "s3://cards/live",
		"TIANTI_KEEP":                     "7",
		"TIANTI_KEEP_FOR":                 "2h",
		"TIANTI_FROM_EVERY":               "3s",
		"TIANTI_FROM_FOLDER":              "/data/kept",
		"TIANTI_FROM_MB":                  "9",
		"TIANTI_FROM_HISTORY_MB":          "11",
		"TIANTI_PRICES_APART":             "12",
		"TIANTI_DRAIN":                    "7s",
		"TIANTI_LOG_CLIENT":               "full",
		"TIANTI_WEBHOOK_ALLOW":            "10.0.0.0/8",
	}), &bytes.Buffer{})
	if err != nil {
		t.Fatal(err)
	}
	want := &serveCmd{
		Listen: ":99", DB: "x.db", Origin: "https://a.example", RateLimit: 5, StreamLimit: 6, CacheMB: 7,
		Font:      "/fonts/f.ttc",
		Runs:      "/data/runs.csv",
		LogFormat: "text", Synthetic: 3,
		sources: sources{
			Live: "off", Prometheus: "https://p.example/prom", PrometheusUser: "u", PrometheusPasswordFile: "pw",
			PrometheusCA: "ca.pem", PrometheusSelector: `job="dcgm"`, PrometheusTenant: "t",
			PrometheusHeader: []string{"A: b, c\nD: e"},
		},
		access:     access{Private: true, SetupLink: true, SecondFactor: "administrators"},
		refreshing: refreshing{Refresh: "/data/feeds.yaml", RefreshEvery: 6 * time.Hour},
		publishing: publishing{Publish: "s3://cards/live", keeping: keeping{Keep: 7, KeepFor: 2 * time.Hour,
			PricesApart: 12}},
		following: following{FromEvery: 3 * time.Second, FromFolder: "/data/kept", FromMB: 9, FromKeepMB: 11},
		operating: operating{Drain: 7 * time.Second, LogClient: "full", Metrics: "everybody", KeptHeads: true},
	}
	want.WebhookAllow = []prefix{{netip.MustParsePrefix("10.0.0.0/8")}}
	for _, p := range []string{"10.0.0.0/8", "::1/128", "192.0.2.0/24"} {
		want.TrustedProxy = append(want.TrustedProxy, prefix{netip.MustParsePrefix(p)})
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateComparable(netip.Prefix{}),
		cmp.AllowUnexported(serveCmd{}, publishing{})); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	fields := reflect.TypeFor[serveCmd]()
	for i := range fields.NumField() {
		if reflect.ValueOf(got).Elem().Field(i).IsZero() {
			t.Errorf("%s was not set by its variable", fields.Field(i).Name)
		}
	}
}

func TestHelpIsAManual(t *testing.T) {
	var help bytes.Buffer
	if err := run(context.Background(), []string{"--help"}, envOf(nil), &help, &help); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"Usual beginnings:", "Environment:", "Files:", "Exit status:", "healthcheck", "tianti.db-wal",
		"tianti.snapshots",
	} {
		if !strings.Contains(help.String(), want) {
			t.Errorf("tianti --help does not say %q", want)
		}
	}
	for _, command := range []string{
		"serve", "check", "export", "migrate", "backup", "publish", "healthcheck", "version", "completion",
	} {
		var own bytes.Buffer
		if err := run(context.Background(), []string{command, "--help"}, envOf(nil), &own, &own); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(own.String(), "Usage: tianti "+command) {
			t.Errorf("%s --help: got %q", command, own.String())
		}
	}
}

func TestHelpNamesTheVariableAndTheDefaultOfEachFlag(t *testing.T) {
	var help bytes.Buffer
	env := envOf(map[string]string{"TIANTI_HELP": "x"})
	if err := run(context.Background(), []string{"serve", "--help"}, env, &help, &help); err != nil {
		t.Fatal(err)
	}
	text := strings.Join(strings.Fields(help.String()), " ")
	for _, want := range []string{"127.0.0.1:8080 unless given. ($TIANTI_LISTEN)",
		"tianti.db unless given. ($TIANTI_DB)", "($TIANTI_RATE_LIMIT)", "32 unless given. ($TIANTI_CACHE_MB)"} {
		if !strings.Contains(text, want) {
			t.Errorf("serve --help does not say %q", want)
		}
	}
	if strings.Contains(text, "synthetic") {
		t.Error("serve --help shows a hidden flag")
	}
}

func TestBadCommandLinesSayWhatIsWrongInOneLineAndEndWith2(t *testing.T) {
	for _, tc := range []struct{ args, want string }{
		{"--lisen :80", "unknown flag --lisen"},
		{"chekc", "unexpected argument chekc"},
		{"--origin cards.example",
			`--origin is "cards.example": want a scheme and a host, such as https://cards.example`},
		{"--origin https://cards.example/", `--origin is "https://cards.example/": want`},
		{"--origin https://u:p@cards.example", "want a scheme and a host"},
		{"--rate-limit -1", "--rate-limit is -1: want 0 for no limit, or more"},
		{"--rate-limit many", "--rate-limit"},
		{"--cache-mb 0", "--cache-mb is 0: want 1 to 65536"},
		{"--trusted-proxy 10.0.0.0/33", `"10.0.0.0/33" is not a network: want one such as 10.0.0.0/8, or an address`},
		{"--log-format xml", "--log-format must be one of"},
		{"--synthetic 5", "--synthetic needs a database of its own"},
		{"--synthetic -5 --db x.db", "--synthetic is -5"},
		{"export --format sqlite", "--format sqlite needs --output FILE"},
		{"export --format xml", "--format must be one of"},
		{"completion tcsh", `<shell>] must be one of "bash","zsh","fish" but got "tcsh"`},
		{"import --mode x f.csv", `--mode must be one of "add","replace" but got "x"`},
		{"backup", "expected"},
	} {
		t.Run(tc.args, func(t *testing.T) {
			args := strings.Fields(tc.args)
			for i, a := range args { // kong takes -1 for a flag unless it is attached
				if i > 0 && strings.HasPrefix(a, "-") && !strings.HasPrefix(a, "--") {
					args[i-1], args[i] = args[i-1]+"="+a, ""
				}
			}
			var stderr bytes.Buffer
			err := run(context.Background(), nonEmpty(args), envOf(nil), &stderr, &stderr)
			if got := status(err, &stderr); got != exitUsage {
				t.Errorf("got exit status %d, want %d", got, exitUsage)
			}
			if got := stderr.String(); !strings.Contains(got, tc.want) || !strings.HasPrefix(got, "tianti: ") ||
				strings.Count(got, "\n") != 1 {
				t.Errorf("got %q, want one line with %q", got, tc.want)
			}
		})
	}
}

func nonEmpty(list []string) []string {
	var out []string
	for _, s := range list {
		if s != "" {
			out = append(out, s)
		}
	}
	return out
}

func TestAnErrorIsOneLine(t *testing.T) {
	var stderr bytes.Buffer
	several := fmt.Errorf("first: %w", errors.Join(errors.New("a"), errors.New("b")))
	if got := status(several, &stderr); got != exitFailed {
		t.Errorf("got exit status %d, want %d", got, exitFailed)
	}
	if got, want := stderr.String(), "tianti: first: a; b\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
