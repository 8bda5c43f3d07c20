package live

import (
	"slices"
	"strings"

	"tianti/catalog"
)

// idsOf is the device's PCI id, "10de:2330", and the same with the subsystem, "10de:2330:10de:16c1". An id that is not
// known, or is not in that form, is "".
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

// having returns the cards with a PCI id, whatever the subsystem.
func having(s *catalog.Snapshot, device string) []int {
	return filter(s.Resolve(device), func(row int) bool { return s.Card(row).HasPCIID(device) })
}

// lists reports whether the card has exactly that id. An id without a subsystem holds for all subsystems.
func lists(c *catalog.Card, id string) bool {
	return slices.ContainsFunc(c.PCIIDs, func(own string) bool { return strings.EqualFold(own, id) })
}

// vendorOf is the vendor by the first half of a PCI id.
var vendorOf = map[string]string{
	"10de": "NVIDIA", "1002": "AMD", "8086": "Intel", "1da3": "Intel", "19e5": "Huawei",
	"1ed5": "Moore Threads", "cabc": "Cambricon", "1e36": "Enflame", "1d0f": "AWS",
}

// contradicts reports whether a PCI id rules a card out: the card has other ids, or is of another vendor. The id ""
// rules out none.
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
