package prometheus

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"tianti/live"
)

// exporters are the known ones. Each has a query of its own.
var exporters = []exporter{dcgmExporter, nvidiaSMIExporter, amdExporter, huaweiExporter}

// An exporter is the schema of what one kind of exporter publishes.
type exporter struct {
	matcher  string          // additional label matcher, where metric names are too general
	metrics  map[string]rule // by name
	identify func(labels map[string]string) (identity, bool)
	absent   func(v float64) bool // values that stand for a missing one
}

// query is a range selector, so that samples come with their own timestamps. Those of an instant vector are the time of
// the query.
func (e *exporter) query(selector string, window time.Duration) string {
	names := strings.Join(slices.Sorted(maps.Keys(e.metrics)), "|")
	parts := []string{fmt.Sprintf("__name__=~%q", names)}
	for _, s := range []string{e.matcher, selector} {
		s = strings.TrimSpace(s)
		s = strings.TrimSuffix(strings.TrimPrefix(s, "{"), "}")
		if s = strings.Trim(s, " ,"); s != "" {
			parts = append(parts, s)
		}
	}
	return fmt.Sprintf("{%s}[%ds]", strings.Join(parts, ","), int(window.Seconds()))
}

// A rule maps a metric of an exporter to one of ours.
type rule struct {
	metric live.Metric
	scale  float64                       // to our unit
	steps  func(float64) (float64, bool) // conversion instead of a scale
	rank   int                           // of several metrics for the same reading the lowest is used
	board  bool                          // of the whole card, even when the labels name an instance of it
	only   string                        // "label=value|value": series with other values are ignored
	ratio  bool                          // a share, which one version publishes in percent; see utilUnits
}

func (r rule) matches(labels map[string]string) bool {
	if r.only == "" {
		return true
	}
	label, values, _ := strings.Cut(r.only, "=")
	return slices.Contains(strings.Split(values, "|"), labels[label])
}

func (r rule) convert(v float64) (float64, bool) {
	if r.steps != nil {
		return r.steps(v)
	}
	return v * r.scale, true
}
