package format

import (
	"cmp"
	"context"
	"regexp"
	"slices"
	"strings"

	"tianti/catalog"
)

// nvidiaSMI reads logs of nvidia-smi --query-gpu=… --format=csv: under which names and PCI ids the driver knows cards.
var nvidiaSMI = &Format{
	ID:    "nvidia-smi",
	Title: catalog.Text{En: "nvidia-smi log (CSV)", Zh: "nvidia-smi 日志（CSV）"},
	About: catalog.Text{
		En: "What nvidia-smi --query-gpu=… --format=csv writes. Taken are the driver’s name of each card, its PCI " +
			"ids, its compute capability, PCIe generation and ECC; readings are not data of a card.",
		Zh: "nvidia-smi --query-gpu=… --format=csv 的输出。只取驱动给出的名称、PCI ID、计算能力、PCIe 代数与 ECC；读数不是加速卡的参数。",
	},
	Holds:  Facts,
	Detect: isSMI,
	Read:   readSMI,
	Asks:   []Ask{AskSource},
}

var smiSource = catalog.Source{ID: "nvidia-smi-log", Publisher: "NVIDIA driver", Title: "Log of nvidia-smi",
	Kind: catalog.Community}

// smiUnit is the unit in a header: "power.draw [W]".
var smiUnit = regexp.MustCompile(` *\[[^\]]*\]$`)

// smiColumn is the name of a property without unit, as --help-query-gpu lists it.
func smiColumn(header string) string {
	name := strings.ToLower(smiUnit.ReplaceAllString(strings.TrimSpace(header), ""))
	switch name {
	case "gpu_name":
		return "name"
	case "gpu_uuid":
		return "uuid"
	case "gpu_bus_id":
		return "pci.bus_id"
	}
	return name
}

// smiTaken are the columns that something is taken from or that tell cards apart.
var smiTaken = []string{"name", "pci.device_id", "pci.sub_device_id", "compute_cap", "pcie.link.gen.gpumax",
	"ecc.mode.current", "timestamp", "index", "uuid", "serial", "pci.bus_id", "driver_version", "count"}

// smiSkipped gives the reason for each column that is skipped though it looks like a rated figure.
var smiSkipped = map[string]string{
	"memory.total":            "the driver reports less memory than the card is sold with",
	"power.limit":             "it is what the administrator has set",
	"power.default_limit":     "makers of boards set limits of their own; it need not be the rated board power",
	"power.max_limit":         "it is the most that may be set, not the rated board power",
	"clocks.max.graphics":     "it is the fastest clock that may be set, not the rated one",
	"clocks.max.sm":           "it is the fastest clock that may be set, not the rated one",
	"clocks.max.memory":       "it is the fastest clock that may be set, not the rated one",
	"pcie.link.gen.max":       "it is that of card and host together",
	"pcie.link.width.max":     "it is that of card and host together",
	"pcie.link.gen.hostmax":   "it is the host's",
	"pcie.link.gen.current":   "it is a reading",
	"pcie.link.width.current": "it is a reading",
	"mig.mode.current":        "it says whether the card is divided, not into how many",
	"vbios_version":           "the catalogue has no such attribute",
}

// isSMI knows a log by a property that only nvidia-smi names so, or by units in brackets beside a name.
func isSMI(h Head) bool {
	name, marks := false, 0
	for _, c := range h.Columns {
		p := smiColumn(c)
		name = name || p == "name"
		if strings.HasPrefix(p, "pci.") || strings.HasPrefix(p, "pcie.") ||
			strings.Contains(p, ".") && (p != strings.ToLower(strings.TrimSpace(c)) || smiPrefix(p)) {
			marks++
		}
		if p == "driver_version" || p == "compute_cap" || p == "uuid" {
			marks++
		}
	}
	return name && marks > 0
}

func smiPrefix(p string) bool {
	group, _, _ := strings.Cut(p, ".")
	return slices.Contains([]string{"utilization", "memory", "power", "temperature", "clocks", "fan", "ecc", "encoder",
		"enforced", "mig", "retired_pages"}, group)
}

func readSMI(ctx context.Context, f *File, s Sink) error {
	t, err := NewTable(ctx, f, s)
	if err != nil {
		return err
	}
	facts, err := newFactRow(f, s, smiSource)
	if err != nil {
		return err
	}
	r := &smiLog{factRow: facts, table: t, at: map[string]int{}, seen: map[string]bool{}}
	for i, header := range t.Header() {
		if name := smiColumn(header); slices.Contains(smiTaken, name) {
			r.at[name] = i
		} else if err := skipColumn(s, t.Line(), header, smiReason(name)); err != nil {
			return err
		}
	}
	if _, ok := r.at["name"]; !ok {
		return f.fail(1, "name", "the log has no column name; query it too: "+
			"--query-gpu=name,pci.device_id,pci.sub_device_id,compute_cap")
	}
	return t.each(r.row)
}

func smiReason(column string) string {
	if why := smiSkipped[column]; why != "" {
		return why
	}
	return "it is a reading or a setting, not a property of the card"
}

// smiLog reads a log, of which each card counts once.
type smiLog struct {
	*factRow
	table *Table
	at    map[string]int
	seen  map[string]bool
}

// smiCards bounds the cards of a log that are remembered.
const smiCards = 10_000

func (r *smiLog) cell(column string) string {
	if i, ok := r.at[column]; ok {
		return r.table.Cell(i)
	}
	return ""
}

func (r *smiLog) row() error {
	name := oneLine(r.cell("name"))
	if smiColumn(name) == "name" {
		return nil // a log that goes on has its header again
	}
	key := strings.Join([]string{name, r.cell("pci.device_id"), r.cell("pci.sub_device_id"), r.cell("compute_cap"),
		r.cell("pcie.link.gen.gpumax"), r.cell("ecc.mode.current")}, "\x00")
	if r.seen[key] || len(r.seen) >= smiCards {
		return nil
	}
	r.seen[strings.Clone(key)] = true
	r.begin(r.table.Line(), name)
	if Absent(name) {
		return r.skip(NoValue, "name", "the row has no name of a card")
	}
	if err := r.ids(); err != nil {
		return err
	}
	if err := r.properties(); err != nil {
		return err
	}
	if lineFault("name", name) == nil {
		r.card.Aliases = []string{name}
	}
	return r.pass()
}

var (
	smiDevice     = regexp.MustCompile(`^0[xX]([0-9a-fA-F]{4})([0-9a-fA-F]{4})$`)
	smiCapability = regexp.MustCompile(`^[0-9]{1,2}\.[0-9]$`)
)

// ids takes the PCI ids: 0x233010DE is device 2330 of vendor 10de.
func (r *smiLog) ids() error {
	device := r.cell("pci.device_id")
	m := smiDevice.FindStringSubmatch(device)
	if m == nil {
		if Absent(device) {
			return nil
		}
		return r.skip(BadValue, "pci.device_id", "%q is no PCI id; want such as 0x233010DE", clip(device))
	}
	id := strings.ToLower(m[2] + ":" + m[1])
	r.card.PCIIDs, r.card.Also = []string{id}, []string{id}
	sub := r.cell("pci.sub_device_id")
	if m = smiDevice.FindStringSubmatch(sub); m != nil {
		id += strings.ToLower(":" + m[2] + ":" + m[1])
		r.card.PCIIDs, r.card.Also = []string{id}, []string{id, r.card.Also[0]}
	} else if !Absent(sub) {
		return r.skip(BadValue, "pci.sub_device_id", "%q is no PCI id; want such as 0x16C110DE", clip(sub))
	}
	return nil
}

// properties takes what the driver says of the card itself.
func (r *smiLog) properties() error {
	c := &r.card.Card
	c.Vendor, c.Kind, c.Name = "NVIDIA", "gpu", withoutMaker(r.card.Subject.Name, "NVIDIA")
	c.Segment = cmp.Or(segmentOf(c.Name), "datacenter") // NVIDIA names all other lines
	if capability := r.cell("compute_cap"); smiCapability.MatchString(capability) {
		r.add(catalog.Fact{Quantity: "compute_capability", Text: capability})
	} else if !Absent(capability) {
		return r.skip(BadValue, "compute_cap", "%q is no compute capability; want such as 9.0", clip(capability))
	}
	switch mode := r.cell("ecc.mode.current"); {
	case mode == "Enabled" || mode == "Disabled":
		r.add(catalog.Fact{Quantity: "ecc", Text: "true"})
	case !Absent(mode):
		if err := r.skip(BadValue, "ecc.mode.current", "%q is no mode of ECC; want Enabled, Disabled or [N/A]",
			clip(mode)); err != nil {
			return err
		}
	}
	return r.number("pcie_generation", "pcie.link.gen.gpumax", r.cell("pcie.link.gen.gpumax"), 1)
}
