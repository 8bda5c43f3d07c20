package live

import (
	"fmt"
	"math"
	"net"
	"regexp"
	"strconv"
	"strings"
)

// pciPair writes device<<16 | vendor as "10de:2330".
func pciPair(combined float64) string {
	if combined <= 0 || combined > math.MaxUint32 {
		return ""
	}
	id := uint32(combined)
	return fmt.Sprintf("%04x:%04x", id&0xFFFF, id>>16)
}

// parsePCIID reads the same from a label: 590352606, 0x233010DE.
func parsePCIID(s string) string {
	v, err := strconv.ParseUint(s, 0, 32)
	if err != nil {
		return ""
	}
	return pciPair(float64(v))
}

// clockReasons are the bits that the driver of NVIDIA gives for held clocks.
func clockReasons(bits uint64) []Throttle {
	var out []Throttle
	for i, reason := range []Throttle{
		ThrottleIdle, ThrottleApplicationClock, ThrottlePowerCap, ThrottleHardware, ThrottleSyncBoost,
		ThrottleThermal, ThrottleHardwareThermal, ThrottlePowerBrake, ThrottleDisplay,
	} {
		if bits&(1<<i) != 0 {
			out = append(out, reason)
		}
	}
	return out
}

// hostOf is the host of a series: what the exporter says, or else the scraped
// address. The rank is lower for what is surer.
func hostOf(labels map[string]string) (host string, rank int) {
	for i, l := range []string{"Hostname", "hostname", "exported_hostname", "node", "nodename", "kubernetes_node", "node_name", "host"} {
		if labels[l] != "" {
			return labels[l], i
		}
	}
	instance := labels["instance"]
	if host, _, err := net.SplitHostPort(instance); err == nil {
		instance = host
	}
	return instance, 100
}

// busID writes an address on the bus as Linux does: "00000000:3B:00.0" is
// "0000:3b:00.0".
func busID(s string) string {
	domain, rest, ok := strings.Cut(strings.ToLower(s), ":")
	if !ok {
		return s
	}
	if n, err := strconv.ParseUint(domain, 16, 32); err == nil && strings.Contains(rest, ":") {
		return fmt.Sprintf("%04x:%s", n, rest)
	}
	return strings.ToLower(s)
}

var bareUUID = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

// nvidiaUUID writes UUIDs as the driver does, so that two exporters of one card
// tell of one device.
func nvidiaUUID(s string) string {
	if bareUUID.MatchString(s) {
		return "GPU-" + s
	}
	return s
}

// first is the first label that is there.
func first(labels map[string]string, names ...string) string {
	for _, n := range names {
		if labels[n] != "" {
			return labels[n]
		}
	}
	return ""
}

// index reads a device's number, 0 where there is none.
func index(s string) int {
	n, err := strconv.ParseUint(s, 10, 16)
	if err != nil {
		return 0
	}
	return int(n)
}
