package catalog

import "strings"

// RateClass is what a compute rate is of, apart from its basis: "16-bit" for FP16 and
// BF16 on vector or matrix units, dense or sparse, whatever they accumulate in. Rates
// of one class are comparable on one basis only. It is empty for what is no rate.
func (q *Quantity) RateClass() string {
	if q.Group != "compute" {
		return ""
	}
	format, _, _ := strings.Cut(q.ID, "_")
	if format == "fp16" || format == "bf16" {
		return "16-bit"
	}
	return format
}

// keepApart finds the lines on which cards cannot be compared because they state the
// same rate on bases that others do not, and takes the best from them.
func keepApart(lines []CompareLine) {
	classes := map[string][]int{} // places in lines
	for n := range lines {
		if class := lines[n].Quantity.RateClass(); class != "" {
			classes[class] = append(classes[class], n)
		}
	}
	for _, members := range classes {
		bases := basesOf(lines, members)
		for _, n := range members {
			lines[n].apart(bases)
		}
	}
}

// basesOf are the bases that each card states, as bits by place in members.
func basesOf(lines []CompareLine, members []int) []uint64 {
	bases := make([]uint64, len(lines[members[0]].Cells))
	for bit, n := range members {
		for i, c := range lines[n].Cells {
			if c.Known {
				bases[i] |= 1 << bit
			}
		}
	}
	return bases
}

func (l *CompareLine) apart(bases []uint64) {
	for j := range l.Cells {
		if l.Cells[j].Known || bases[j] == 0 {
			continue
		}
		for i := range l.Cells {
			if l.Cells[i].Known && bases[i]&bases[j] == 0 {
				l.Apart = append(l.Apart, j)
				break
			}
		}
	}
	for i := range l.Cells {
		l.Cells[i].Best = l.Cells[i].Best && len(l.Apart) == 0
	}
}
