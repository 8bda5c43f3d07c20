package search

import (
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"tianti/catalog"
	"tianti/exportcontrol"
	"tianti/sizing"
)

// precisions are number formats that people name, with the rate of dense matrices in each.
var precisions = map[string]string{
	"fp64": "fp64_matrix_dense_tflops", "tf32": "tf32_matrix_dense_tflops", "bf16": "bf16_matrix_dense_tflops",
	"fp16": "fp16_matrix_dense_tflops", "fp8": "fp8_matrix_dense_tflops", "fp4": "fp4_matrix_dense_tflops",
	"nvfp4": "fp4_matrix_dense_tflops", "mxfp4": "fp4_matrix_dense_tflops", "int8": "int8_matrix_dense_tops",
	"int4": "int4_matrix_dense_tops",
}

var gigabytes = regexp.MustCompile(`^([0-9]{1,4}(?:\.[0-9])?) ?gb?\+?$`)

// filters are tables of cards with what a search names in place of a card: a size of memory, its kind, a number
// format, designs of China.
func (f *finder) filters(q *ask, models []*sizing.Model) (out []answer) {
	table := func(kind, value string, query url.Values) bool {
		parsed, errs := f.s.ParseQuery(query)
		if len(errs) > 0 {
			return false
		}
		n := f.s.Select(&parsed, 1).Total
		if n > 0 {
			out = append(out, answer{Kind: "cards", Filter: kind, Value: value, Path: "/cards", Query: query, Found: n})
		}
		return n > 0
	}
	if q.says(domestic) && len(models) == 0 {
		table("domestic", "", url.Values{"vendor": {strings.Join(exportcontrol.ChineseDesigners(), ",")}})
	}
	if len(q.pieces) == 0 && len(models) == 0 && !q.says(task) {
		f.ofLimits(q, table)
		if id := precisions[q.format]; id != "" {
			table("precision", strings.ToUpper(q.format), url.Values{id: {"any"}, "sort": {"-" + id}})
		}
	}
	if len(q.pieces) != 1 {
		return out
	}
	piece := q.pieces[0]
	least := q.says(least) || strings.HasSuffix(piece, "+")
	if m := gigabytes.FindStringSubmatch(piece); m != nil {
		f.canDo(q, piece, &out)
		kind, query := "memory", url.Values{"memory_gb": {m[1]}}
		if least {
			kind, query = "memory_least", url.Values{"memory_gb": {">=" + m[1]}}
		}
		if q.says(price) { // of those with a price, the cheapest first
			by := []string{"buy_price", "rent_price"}
			if q.said[price] == "rent" {
				slices.Reverse(by)
			}
			for _, id := range by {
				if table(kind, m[1], with(query, id, "any", "sort", id)) {
					return out
				}
			}
		}
		table(kind, m[1], query)
	}
	if id := precisions[piece]; id != "" {
		if _, ok := catalog.LookupQuantity(id); ok {
			table("precision", strings.ToUpper(piece), url.Values{id: {"any"}, "sort": {"-" + id}})
		}
	}
	if kind, ok := f.memoryType(piece); ok {
		table("memory_type", kind, url.Values{"memory_type": {kind}})
	}
	return out
}

// ofLimits are tables of the cards that take so much power or so many slots, where no job is said.
func (f *finder) ofLimits(q *ask, table func(kind, value string, query url.Values) bool) {
	query := url.Values{}
	if q.watts > 0 {
		query.Set("tdp_w", "<="+strconv.Itoa(q.watts))
	}
	if q.slots > 0 {
		query.Set("slot_width", "<="+strconv.Itoa(q.slots))
	}
	switch {
	case q.watts > 0:
		table("power", strconv.Itoa(q.watts), query)
	case q.slots > 0:
		table("slots", strconv.Itoa(q.slots), query)
	}
}

// canDo adds what a card with so much memory can do, where a task is said: that of which the most prices are known.
func (f *finder) canDo(q *ask, size string, out *[]answer) {
	if rows, _ := f.s.Nearest(size, 1); len(rows) > 0 && f.a != nil && (q.says(task) || q.says(serve)) {
		n := max(1, q.count)
		*out = append(*out, answer{Kind: "mine", Cards: rows, Count: n, Path: "/recommend/mine",
			Query: url.Values{"own": {f.s.Card(rows[0]).ID + ":" + strconv.Itoa(n)}}})
	}
}

// memoryType is the kind of memory that some card has, as it is written.
func (f *finder) memoryType(text string) (string, bool) {
	q, ok := catalog.LookupQuantity("memory_type")
	if !ok {
		return "", false
	}
	for row := range f.s.Len() {
		if v, known := f.s.Text(q, row); known && strings.EqualFold(v, text) {
			return v, true
		}
	}
	return "", false
}
