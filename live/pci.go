package live

import (
	"slices"
	"strings"

	"tianti/catalog"
)

// idsOf is the device's PCI id, "10de:2330", and that with its subsystem,
// "10de:2330:10de:16c1"; empty when they are not known or not in that form.
func idsOf(d *Device) (device, full string) {
	device, sub := strings.ToLower(strings.TrimSpace(d.PCI)), strings.ToLower(strings.TrimSpace(d.Subsystem))
	switch {
	case !pairOfIDs(device):
		return "", ""
	case !pairOfIDs(sub) || sub == "0000:0000":
		return device, ""
	}
	return device, device + ":" + sub
}

func pairOfIDs(id string) bool {
	vendor, product, ok := strings.Cut(id, ":")
	return ok && fourDigits(vendor) && fourDigits(product)
}

func fourDigits(s string) bool {
	return len(s) == 4 && strings.Trim(s, "0123456789abcdef") == ""
}

// having returns the cards that list a PCI id, with whatever subsystem.
func having(s *catalog.Snapshot, device string) []int {
	return keep(s.Resolve(device), func(row int) bool { return s.Card(row).HasPCIID(device) })
}

// lists reports whether the card lists just that id: one without a subsystem is the
// card's whatever the subsystem.
func lists(c *catalog.Card, id string) bool {
	return slices.ContainsFunc(c.PCIIDs, func(own string) bool { return strings.EqualFold(own, id) })
}

// vendorOf names the vendors by the first half of a PCI id.
var vendorOf = map[string]string{
	"10de": "NVIDIA", "1002": "AMD", "8086": "Intel", "1da3": "Intel", "19e5": "Huawei",
	"1ed5": "Moore Threads", "cabc": "Cambricon", "1e36": "Enflame", "1d0f": "AWS",
}

// contradicts reports whether a card is not the device with that PCI id: its own
// ids are known and others, or it is of another vendor. Nothing contradicts "".
func contradicts(c *catalog.Card, device string) bool {
	if device == "" {
		return false
	}
	if len(c.PCIIDs) > 0 {
		return !c.HasPCIID(device)
	}
	vendor, known := vendorOf[device[:4]]
	return known && !strings.EqualFold(vendor, c.Vendor)
}
