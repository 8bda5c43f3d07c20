package monitor

import (
	"slices"
	"strings"

	"tianti/catalog"
	"tianti/web/site"
)

// A peak is a rated rate as a series.
type peak struct {
	metric                    string
	precision, unit, sparsity string
}

// peaks are the rates that cards are rated for, by the quantities of the catalogue: fp16_matrix_dense_tflops.
func peaks() []peak {
	var out []peak
	for _, q := range catalog.Quantities() {
		parts := strings.Split(q.ID, "_")
		if !q.Stored() || len(parts) != 4 || (parts[1] != "matrix" && parts[1] != "vector") {
			continue
		}
		if ops := parts[3]; (ops == "tflops" || ops == "tops") && (parts[2] == "dense" || parts[2] == "sparse") {
			out = append(out, peak{q.ID, parts[0], parts[1], parts[2]})
		}
	}
	for _, q := range catalog.Quantities() { // vector rates know no sparsity: fp32_vector_tflops
		parts := strings.Split(q.ID, "_")
		if q.Stored() && len(parts) == 3 && parts[1] == "vector" && (parts[2] == "tflops" || parts[2] == "tops") {
			out = append(out, peak{q.ID, parts[0], parts[1], "dense"})
		}
	}
	return out
}

// cardFigures are other quantities of cards as series: factor makes the base unit.
var cardFigures = []struct {
	metric, name, help string
	factor             float64
}{
	{"memory_gb", "tianti_card_memory_bytes", "Memory that the card is sold with; a GB of it is 2^30 bytes.", 1 << 30},
	{"memory_bandwidth_gb_s", "tianti_card_memory_bandwidth_bytes_per_second", "Rated bandwidth of the memory.", 1e9},
	{"tdp_w", "tianti_card_power_watts", "Rated power of the board.", 1},
}

// cardMetrics are what the catalogue rates cards for: what readings of dashboards are divided by.
func cardMetrics(e *exposition, st *site.State) {
	s := st.Snap
	if s.Partial() {
		return
	}
	e.family("tianti_card_peak_flops", "gauge",
		"Rated operations per second, by precision, unit (matrix or vector) and sparsity.")
	for _, p := range peaks() {
		q, _ := catalog.LookupQuantity(p.metric)
		for row := range s.Len() {
			if v, ok := s.Number(q, row); ok {
				c := s.Card(row)
				e.sample("tianti_card_peak_flops", v*1e12, "card", c.ID, "vendor", c.Vendor, "precision", p.precision,
					"unit", p.unit, "sparsity", p.sparsity)
			}
		}
	}
	for _, f := range cardFigures {
		q, ok := catalog.LookupQuantity(f.metric)
		if !ok {
			continue
		}
		e.family(f.name, "gauge", f.help)
		for row := range s.Len() {
			if v, known := s.Number(q, row); known {
				c := s.Card(row)
				e.sample(f.name, v*f.factor, "card", c.ID, "vendor", c.Vendor)
			}
		}
	}
	nameSeries(e, s)
}

// nameSeries join the series of exporters to cards: each name that one card alone bears, under the label by which an
// exporter has it.
func nameSeries(e *exposition, s *catalog.Snapshot) {
	for _, of := range []struct{ name, label, vendor, help string }{
		{"tianti_card_dcgm_info", "model_name", "NVIDIA",
			"Always 1; joins what dcgm-exporter has as modelName to a card."},
		{"tianti_card_amd_info", "card_series", "AMD", "Always 1; joins card_series of AMD's exporter to a card."},
		{"tianti_card_npu_info", "model_name", "Huawei",
			"Always 1; joins model_name of Huawei's npu-exporter to a card."},
		{"tianti_card_name_info", "name", "", "Always 1; joins a name that drivers print to a card."},
	} {
		e.family(of.name, "gauge", of.help)
		for row := range s.Len() {
			c := s.Card(row)
			if of.vendor != "" && c.Vendor != of.vendor {
				continue
			}
			names := append([]string{c.Vendor + " " + c.Name, c.Name}, c.Aliases...)
			slices.Sort(names)
			for _, name := range slices.Compact(names) {
				if rows := s.Resolve(name); len(rows) == 1 && rows[0] == row {
					e.sample(of.name, 1, of.label, name, "card", c.ID)
				}
			}
		}
	}
}
