// Package address makes addresses of the catalogue as visitors might ask for
// them, each different from all before.
package address

import (
	"fmt"
	"math/rand/v2"
	"net/url"
	"strconv"
	"strings"
)

// The synthetic catalogue's vendors, and the ranges in which its figures lie.
var (
	vendors = []string{"Northwind", "Contoso", "Fabrikam", "Tailspin", "Litware", "Proseware"}
	figures = []figure{
		{id: "memory_gb", lo: 8, hi: 288},
		{id: "memory_bandwidth_gb_s", lo: 30, hi: 32000},
		{id: "tdp_w", lo: 70, hi: 1000},
		{id: "die_mm2", lo: 100, hi: 800},
		{id: "bf16_matrix_dense_tflops", lo: 0.5, hi: 1900, rate: true},
		{id: "fp32_vector_tflops", lo: 0.3, hi: 118, rate: true},
		{id: "boost_clock_mhz", lo: 900, hi: 2900},
		{id: "shader_cores", lo: 128, hi: 20480},
	}
	words = []string{"accelerator", "north", "acc-0", "cedar", "fabrikam", "1", "22"}
)

type figure struct {
	id     string
	lo, hi float64
	rate   bool // of compute
}

// Filter returns the query of an address with limit cards a page: two or three
// ranges, often a list of vendors, and an order of one to three keys. The ranges
// are wide, so that most queries leave a full page of even 500 cards.
func Filter(r *rand.Rand, limit int) string {
	var b strings.Builder
	at := r.Perm(len(figures))
	for n, i := range at[:2+r.IntN(2)] {
		if n > 0 {
			b.WriteByte('&')
		}
		f := figures[i]
		span := f.hi - f.lo
		lo, hi := f.lo+span*0.1*r.Float64(), f.hi-span*0.1*r.Float64()
		b.WriteString(f.id + "=" + number(lo) + ".." + number(hi))
	}
	if r.IntN(2) == 0 {
		from := r.IntN(len(vendors) - 1)
		b.WriteString("&vendor=" + strings.Join(vendors[from:], ","))
	}
	b.WriteString("&sort=" + order(r, at))
	if limit > 0 {
		b.WriteString("&limit=" + strconv.Itoa(limit))
	}
	return b.String()
}

func number(v float64) string { return strconv.FormatFloat(v, 'f', 3, 64) }

// order sorts by one to three figures, at most one of them a rate: rates of different
// bases are not comparable, and the server refuses to sort by two.
func order(r *rand.Rand, at []int) string {
	var keys []string
	rated := false
	for most := 1 + r.IntN(3); len(keys) < most; {
		f := figures[at[len(at)-1]]
		at = at[:len(at)-1]
		if f.rate && rated {
			continue
		}
		rated = rated || f.rate
		if r.IntN(2) == 0 {
			f.id = "-" + f.id
		}
		keys = append(keys, f.id)
	}
	return strings.Join(keys, ",")
}

// Search returns the query of a text search with a range.
func Search(r *rand.Rand) string {
	return "q=" + url.QueryEscape(words[r.IntN(len(words))]) + "&tdp_w=" + number(70+200*r.Float64()) +
		"..&sort=-memory_gb,name"
}

// Bad returns an address that a server must refuse, together with the least and
// the greatest status that is right for it.
func Bad(r *rand.Rand) (path string, least, greatest int) {
	n := strconv.Itoa(r.IntN(1 << 30))
	switch r.IntN(10) {
	case 0:
		return "/cards?no_such_parameter=" + n, 400, 400
	case 1:
		return "/api/v1/cards?memory_gb=" + n + "..1..2", 400, 400
	case 2:
		return "/api/v1/cards?limit=-" + n, 400, 400
	case 3:
		return "/api/v1/cards?sort=no-such-key-" + n, 400, 404
	case 4:
		return "/cards/no-such-card-" + n, 404, 404
	case 5:
		return "/zh/nothing/" + n, 404, 404
	case 6:
		return "/cards?memory_gb=%zz" + n, 400, 400
	case 7:
		return "/api/v1/cards?cursor=" + n + "%00", 400, 404
	case 8:
		return "/compare?" + strings.TrimPrefix(strings.Repeat("&card=synthetic-000001", 9), "&") +
			"&baseline=" + n, 400, 404
	}
	return "/cards?q=" + strings.Repeat("x", 9000) + n, 400, 414
}

// Card returns the id of one of n synthetic cards.
func Card(r *rand.Rand, n int) string { return fmt.Sprintf("synthetic-%06d", r.IntN(n)) }
