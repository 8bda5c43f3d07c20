package catalog

import "slices"

// unitsOf says what one compute unit holds, by vendor and architecture: lanes are its
// shader cores, matrix its matrix cores; nil where the generation has units of several
// widths or none. Ampere's GA100 has half the lanes of the other chips, as Pascal's GP100.
var unitsOf = map[string]struct{ lanes, matrix []float64 }{
	"NVIDIA Fermi": {[]float64{32, 48}, nil}, "NVIDIA Kepler": {[]float64{192}, nil},
	"NVIDIA Maxwell": {[]float64{128}, nil}, "NVIDIA Pascal": {[]float64{64, 128}, nil},
	"NVIDIA Volta": {[]float64{64}, []float64{8}}, "NVIDIA Turing": {[]float64{64}, []float64{8}},
	"NVIDIA Ampere": {[]float64{64, 128}, []float64{4}}, "NVIDIA Hopper": {[]float64{128}, []float64{4}},
	"NVIDIA Ada Lovelace": {[]float64{128}, []float64{4}}, "NVIDIA Blackwell": {[]float64{128}, []float64{4}},
	"AMD GCN 4": {[]float64{64}, nil}, "AMD GCN 5": {[]float64{64}, nil}, "AMD RDNA": {[]float64{64}, nil},
	"AMD RDNA 2": {[]float64{64}, nil}, "AMD RDNA 3": {[]float64{64}, []float64{2}},
	"AMD RDNA 3.5": {[]float64{64}, []float64{2}}, "AMD RDNA 4": {[]float64{64}, []float64{2}},
	"AMD CDNA": {[]float64{64}, []float64{4}}, "AMD CDNA 2": {[]float64{64}, []float64{4}},
	"AMD CDNA 3": {[]float64{64}, []float64{4}}, "AMD CDNA 4": {[]float64{64}, []float64{4}},
	"Intel Xe-HPG": {[]float64{128}, []float64{16}}, "Intel Xe2-HPG": {[]float64{128}, []float64{8}},
	"Intel Xe-HPC": {[]float64{128}, []float64{8}},
}

// checkUnits compares counts that the generation ties together. A count of the whole
// chip beside one of the card, which has some units switched off, breaks it.
func (c *checker) checkUnits(v cardView) {
	u := unitsOf[v.card.Vendor+" "+v.card.Architecture]
	each := func(quantity string, want []float64) {
		f, ok := v.get(quantity, "compute_units")
		if !ok || want == nil || slices.Contains(want, f[0].Number/f[1].Number) {
			return
		}
		c.fail(v, "units", f, "%s is %s on %s compute units, %s on each; on %s it is %v", quantity,
			figure(f[0].Number), figure(f[1].Number), computed(f[0].Number/f[1].Number), v.card.Architecture, want)
	}
	each("shader_cores", u.lanes)
	each("matrix_cores", u.matrix)
}

// baseShare is the largest part of the boost clock that the base clock has, by vendor
// and architecture. AMD's game clock lies above it: 0.81 to 0.82 of the boost clock on
// RDNA 4, 0.83 to 0.92 on RDNA 3. On older generations the two ranges overlap.
var baseShare = map[string]float64{"AMD RDNA 3": 0.8, "AMD RDNA 4": 0.7}

// checkBaseClock finds clocks that are no base clock: above the boost clock, or AMD's
// game clock.
func (c *checker) checkBaseClock(v cardView) {
	f, ok := v.get("base_clock_mhz", "boost_clock_mhz")
	if !ok {
		return
	}
	base, boost := f[0].Number, f[1].Number
	if base > boost {
		c.fail(v, "base-clock", f, "base_clock_mhz is %s, more than boost_clock_mhz, which is %s", figure(base),
			figure(boost))
	}
	if share := baseShare[v.card.Vendor+" "+v.card.Architecture]; share > 0 && base > share*boost && base <= boost {
		c.fail(v, "base-clock", f, "base_clock_mhz is %s, more than %v of boost_clock_mhz, which is %s: on %s that is "+
			"the game clock", figure(base), share, figure(boost), v.card.Architecture)
	}
}

// matrixTargets are the compute capabilities on which the FP16 matrix rate is twice
// FP32 (GeForce) or four times (workstation).
var matrixTargets = []string{"8.6", "8.9", "12.0"}

// checkPowerSetting compares rates that the clock moves together. Laptop chips have
// several powers, each with its clock; rates of two of them break the ratio.
func (c *checker) checkPowerSetting(v cardView) {
	f, ok := v.get("fp32_vector_tflops", "compute_capability")
	if !ok || v.card.Vendor != "NVIDIA" || !slices.Contains(matrixTargets, f[1].Text) {
		return
	}
	for _, id := range []string{"fp16_matrix_dense_tflops", "bf16_matrix_dense_tflops"} {
		m := v.shown[id]
		if m == nil || near(m.Number, 2*f[0].Number, 0.03) || near(m.Number, 4*f[0].Number, 0.03) {
			continue
		}
		c.fail(v, "power-setting", []*Fact{m, f[0]}, "%s is %s, neither 2 nor 4 × fp32_vector_tflops, which is %s: "+
			"they may be of different clocks", id, figure(m.Number), figure(f[0].Number))
	}
}

// checkBeforeLaunch finds a shown figure from before the launch beside another one
// that was published since. Its source may be of a better kind; it knew less.
func (c *checker) checkBeforeLaunch(v cardView) {
	launched := v.shown["launched"]
	if launched == nil {
		return
	}
	for i := range v.card.Facts {
		later := &v.card.Facts[i]
		q, known := LookupQuantity(later.Quantity)
		early := v.shown[later.Quantity]
		if !known || q.Kind != Number || early == nil || early == later || !later.Superseded.IsZero() {
			continue
		}
		if c.published(early, launched.Text) < 0 && c.published(later, launched.Text) >= 0 &&
			!near(early.Number, later.Number, 0.02) {
			c.fail(v, "before-launch", []*Fact{early, later}, "%s is %s by a source from before the launch, and %s by "+
				"one that was published since", q.ID, figure(early.Number), figure(later.Number))
		}
	}
}

// published compares when the source of a fact was published with a day, as far as both
// are known: -1 before it, 0 on it or when that is not known, 1 after it.
func (c *checker) published(f *Fact, day string) int {
	s := c.sources[f.Source]
	if s == nil || s.Published == "" {
		return 0
	}
	n := min(len(s.Published), len(day))
	switch a, b := string(s.Published)[:n], day[:n]; {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}
