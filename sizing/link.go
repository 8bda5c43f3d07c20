package sizing

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// linkRate is the rate between n cards in one direction: of their links, or of the bus where
// there are none or a bridge joins fewer; 0 where neither is known. Of cards that do not reach
// each other's memory over the bus it is what is left when the host's memory stands between.
func linkRate(c *Card, n float64) float64 {
	switch {
	case c.joined(n):
		return c.Link
	case c.Staged > 0:
		return c.PCIe * c.Staged
	}
	return c.PCIe
}

// joined reports whether links of their own join n cards.
func (c *Card) joined(n float64) bool { return c.Link > 0 && (c.Bridge == 0 || n <= c.Bridge) }

// stages reports whether what n cards tell each other goes through the host's memory.
func (c *Card) stages(n int) bool {
	return n > 1 && c.Staged > 0 && c.PCIe > 0 && !c.joined(float64(n))
}

// between tells how n cards exchange what they share, where the host's memory stands between.
func between(n int, c *Card) []Assumption {
	if c == nil || !c.stages(n) {
		return nil
	}
	rate := strconv.FormatFloat(linkRate(c, float64(n))/giga, 'g', 2, 64)
	return []Assumption{{"link", rate + " GB/s", "no_peers"}}
}

// Links is what is known about cards without links: of which series and architectures the driver
// refuses peer-to-peer access over the bus, and what was measured through the host's memory.
type Links struct {
	refused []cardLine
	shares  map[cardLine][]float64 // of the bus in one direction
}

// A cardLine is cards of one architecture that a maker sells under one name.
type cardLine struct{ name, architecture string }

// ReadLinks reads a table of them: rows of the fact "no peers", and rows of "staged" with the rate
// of the bus and that reached, in GB/s in one direction.
func ReadLinks(r io.Reader) (Links, error) {
	out := Links{shares: map[cardLine][]float64{}}
	bad := readTable(r, func(rec *record) {
		of := cardLine{rec.text("series"), rec.text("architecture")}
		if of.name == "" || of.architecture == "" || rec.text("title") == "" || rec.text("address") == "" {
			rec.problem("", "series, architecture, title and address are needed")
			return
		}
		link, reached := rec.number("link_gb_s"), rec.number("reached_gb_s")
		switch fact := rec.text("fact"); {
		case fact == "no peers":
			out.refused = append(out.refused, of)
		case fact != "staged":
			rec.problem("fact", "%q is neither \"no peers\" nor \"staged\"", clip(fact))
		case !(reached > 0 && reached <= link):
			rec.problem("reached_gb_s", "must be above 0 and no more than link_gb_s")
		default:
			out.shares[of] = append(out.shares[of], reached/link)
		}
	})
	if len(bad) > 0 {
		return Links{}, fmt.Errorf("links: %w", bad[0])
	}
	return out, nil
}

// staged is the share of the bus that a card reaches through the host's memory: the median of what
// was measured of its series and architecture, or of all where nothing was; 0 where the driver
// does not refuse peer-to-peer access, or nobody says.
func (l Links) staged(c *Card) float64 {
	i := slices.IndexFunc(l.refused, func(s cardLine) bool {
		return c.Architecture == s.architecture && strings.HasPrefix(c.Name, s.name+" ")
	})
	if i < 0 {
		return 0
	}
	shares := slices.Clone(l.shares[l.refused[i]])
	if len(shares) == 0 {
		for _, of := range l.shares {
			shares = append(shares, of...)
		}
	}
	if len(shares) == 0 {
		return 0
	}
	return median(shares)
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
