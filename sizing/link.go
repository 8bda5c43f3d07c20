package sizing

import "strings"

// linkRate is the rate between n cards in one direction: of their links, or of the bus where
// there are none or a bridge joins fewer; 0 where neither is known.
func linkRate(c *Card, n float64) float64 {
	if c.Link > 0 && (c.Bridge == 0 || n <= c.Bridge) {
		return c.Link
	}
	return c.PCIe
}

// bridged is how many cards an NVLink bridge joins: two, four of the H200 NVL (NVIDIA, product
// briefs of A100 PCIe, H100 PCIe and RTX A6000: a bridge for a pair; H200 NVL: two or four).
func bridged(c *Card, form string) float64 {
	switch {
	case c.Vendor != "NVIDIA" || c.Link <= 0 || !strings.HasPrefix(form, "PCIe"):
		return 0
	case strings.HasPrefix(c.Name, "H200"):
		return 4
	}
	return 2
}

// pcieRate is the rate of one lane in one direction in bytes per second: transfers
// per second less the line code (PCI Express Base Specification: 8b/10b up to
// generation 2, 128b/130b up to 5, flits of 242 in 256 bytes from 6).
func pcieRate(generation float64) float64 {
	switch generation {
	case 1:
		return 2.5e9 / 10
	case 2:
		return 5e9 / 10
	case 3:
		return 8e9 / 8 * 128 / 130
	case 4:
		return 16e9 / 8 * 128 / 130
	case 5:
		return 32e9 / 8 * 128 / 130
	case 6:
		return 64e9 / 8 * 242 / 256
	}
	return 0
}
