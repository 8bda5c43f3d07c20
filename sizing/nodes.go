package sizing

import (
	"fmt"
	"io"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"

	"tianti/catalog"
)

// A nodeSize says in which machines a seller rents cards that it prices one by one.
type nodeSize struct {
	Seller   string
	Instance string // a pattern of [path.Match]; "*" is any, empty is none
	Card     string // id; empty is any
	Sizes    []int  // cards of the machines, ascending
	Source   string
}

// ReadNodes reads the sizes of machines in which sellers rent cards that they price one by one.
func ReadNodes(r io.Reader) ([]nodeSize, error) {
	var out []nodeSize
	bad := readTable(r, func(rec *record) {
		n := nodeSize{Seller: rec.text("seller"), Instance: rec.text("instance"), Card: rec.text("card"),
			Source: rec.text("source")}
		for _, s := range strings.Fields(rec.text("sizes")) {
			v, err := strconv.Atoi(s)
			if err != nil || v < 1 || len(n.Sizes) > 0 && v <= n.Sizes[len(n.Sizes)-1] {
				rec.problem("sizes", "%q is no list of ascending numbers of cards", clip(rec.text("sizes")))
				return
			}
			n.Sizes = append(n.Sizes, v)
		}
		if n.Seller == "" || len(n.Sizes) == 0 || n.Source == "" || rec.text("read") == "" {
			rec.problem("", "seller, sizes, source and read are needed")
			return
		}
		if _, err := path.Match(n.Instance, ""); err != nil {
			rec.problem("instance", "%q is no pattern", clip(n.Instance))
			return
		}
		out = append(out, n)
	})
	if len(bad) > 0 {
		return nil, fmt.Errorf("sizes of machines: %w", bad[0])
	}
	return out, nil
}

// nodeOf is what is known of the machines of a rent that is for one card; nil where nothing is.
func (a *Estimator) nodeOf(p *catalog.Price) *nodeSize {
	for i := range a.nodes {
		n := &a.nodes[i]
		if n.Seller != p.Seller || n.Card != "" && n.Card != p.Card {
			continue
		}
		if ok, _ := path.Match(n.Instance, p.Instance); ok {
			return n
		}
	}
	return nil
}

// rented is how many cards are paid for, to have n that work together as far as a machine of the seller goes: the
// smallest machine that holds them, or as many of the largest as hold them. Enough is false where the largest holds
// fewer than work together.
func (s *nodeSize) rented(n int) (cards int, enough bool) {
	most := s.Sizes[len(s.Sizes)-1]
	if n <= most {
		i, _ := slices.BinarySearch(s.Sizes, n)
		return s.Sizes[i], true
	}
	return most * int(math.Ceil(float64(n)/float64(most))), most >= min(n, aServer)
}
