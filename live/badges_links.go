package live

// underLoad reports whether the device is busy, so that its link runs at full speed. Idle cards reduce the speed.
func underLoad(d *Device) bool {
	if state, ok := d.Get(PerformanceState); ok && state > 3 {
		return false
	}
	for _, m := range []struct {
		metric Metric
		least  float64
	}{{GPUUtilization, 0.5}, {SMActive, 0.2}, {TensorActive, 0.1}, {DRAMActive, 0.1}} {
		if v, ok := d.Get(m.metric); ok && v >= m.least {
			return true
		}
	}
	return false
}

// pcie adds a link that is slower or narrower than card and slot support, or than the card is rated for. It checks only
// devices under load, and no chips without a link.
func (b *badger) pcie() {
	if b.d.Unified || !underLoad(b.d) {
		return
	}
	b.link("pcie-generation", PCIeGeneration, PCIeMaxGeneration, "pcie_generation")
	b.link("pcie-width", PCIeWidth, PCIeMaxWidth, "pcie_lanes")
}

// link compares one property of the link: first with what card and slot support, below which the link is degraded; then
// with the rating of the card, which the slot limits.
func (b *badger) link(key string, now, most Metric, quantity string) {
	v, ok := b.d.Get(now)
	if !ok || !(v > 0) {
		return
	}
	if limit, known := b.d.Get(most); known && v < limit {
		b.add(Warning, key, Arg{Number: v}, Arg{Number: limit})
	} else if rated, known := b.rated(quantity); known && v < rated {
		b.add(Info, key+"-slot", Arg{Number: v}, Arg{Number: rated})
	}
}

// nvlinks adds links that are down. On PCIe cards they are for an optional bridge. Whether an unknown card is one is
// not known. A card that is passed through to a guest has all links down.
func (b *badger) nvlinks() {
	has, ok := b.d.Get(NVLinks)
	up, known := b.d.Get(NVLinksUp)
	if !ok || !known || !(up < has) {
		return
	}
	slot := b.figures != nil && b.figures.Text("form_factor") == "PCIe"
	switch {
	case up > 0 && !slot && b.figures != nil:
		b.add(Warning, "nvlinks", Arg{Number: up}, Arg{Number: has})
	case up > 0 || !slot:
		b.add(Info, "nvlinks", Arg{Number: up}, Arg{Number: has})
	}
}

// nature adds the kind of the device and an uncertain match.
func (b *badger) nature() {
	switch b.d.Kind {
	case Slice:
		b.add(Info, "slice")
	case Virtual:
		b.add(Info, "virtual")
	}
	if b.d.MIG {
		b.add(Info, "mig")
	}
	if b.d.Unified {
		b.add(Info, "unified")
	}
	if b.m.Devices > 1 {
		b.add(Info, "one-of", count(b.m.Devices))
	}
	switch b.m.Confidence {
	case Ambiguous:
		b.add(Info, "ambiguous", count(len(b.m.Candidates)))
	case Unmatched:
		b.add(Info, "unknown")
	}
}
