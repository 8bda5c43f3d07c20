package live_test

import (
	"strings"
	"testing"
	"time"

	"tianti/live"
	"tianti/live/sample"
	"tianti/locale"
)

// say fails when a message is missing, or leaves arguments over in a language.
func say(t *testing.T, key string, args ...any) {
	t.Helper()
	for _, l := range locale.All() {
		if !l.Has(key) {
			t.Errorf("%s: no message %s", l.Code(), key)
		} else if text := l.T(key, args...); strings.Contains(text, "%!") {
			t.Errorf("%s: %s: %q", l.Code(), key, text)
		}
	}
}

func TestRatingsAndBadgesHaveMessages(t *testing.T) {
	s := cards(t)
	f := sample.Frame()
	at := live.Moment{Taken: f.Taken, Now: f.Taken.Add(time.Minute), Fresh: time.Second}
	for uuid, m := range live.MatchFrame(s, &f) {
		d := sample.Device(uuid)
		d.Throttle = append(d.Throttle, live.ThrottleHardware, live.ThrottleHardwareThermal, live.ThrottlePowerBrake,
			live.ThrottleThermal, live.ThrottlePowerCap)
		d.Hidden = []live.Metric{live.SMActive}
		say(t, m.Confidence.Message())
		for _, r := range live.Rate(s, m, &d) {
			say(t, r.Message(), "43%", "425 TFLOPS", "989 TFLOPS", "BF16")
		}
		for _, b := range live.Badges(s, m, &d, at) {
			say(t, b.Message(), badgeArgs(b)...)
		}
	}
	for _, how := range []live.Confidence{live.ByPCISubsystem, live.ByPCI, live.ByPCIMemory, live.ByPCIName,
		live.ByName, live.ByNameMemory, live.Ambiguous, live.Unmatched} {
		say(t, how.Message())
	}
	for _, key := range live.Methods {
		say(t, key+"title")
		say(t, key+"text")
	}
}

func TestProblemsHaveMessages(t *testing.T) {
	s := cards(t)
	for _, problem := range []string{"lost", "reset-required", "no-permission", "anything else"} {
		d := live.Device{Name: "Whatever 3000", Problem: problem, Kind: live.Virtual,
			Readings: map[live.Metric]live.Reading{live.RowRemapFailure: {Value: 1}}}
		for _, b := range live.Badges(s, live.Match(s, &d), &d, live.Moment{}) {
			say(t, b.Message(), badgeArgs(b)...)
		}
	}
}

func badgeArgs(b live.Badge) []any {
	var out []any
	for range b.Args {
		out = append(out, "48 GiB")
	}
	return out
}
