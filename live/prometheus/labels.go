package prometheus

import (
	"net"
	"strconv"
)

// hostOf is the host of a series: a label of the exporter, or else the address of the scrape target. The lower the
// rank, the more reliable the name.
func hostOf(labels map[string]string) (host string, rank int) {
	for i, l := range []string{
		"Hostname", "hostname", "exported_hostname", "node", "nodename", "kubernetes_node", "node_name", "host",
	} {
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

// first is the value of the first label that is present.
func first(labels map[string]string, names ...string) string {
	for _, n := range names {
		if labels[n] != "" {
			return labels[n]
		}
	}
	return ""
}

// index parses the number of a device; 0 when there is none.
func index(s string) int {
	n, err := strconv.ParseUint(s, 10, 16)
	if err != nil {
		return 0
	}
	return int(n)
}
