package api

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"tianti/catalog"
	"tianti/live"
)

// DefaultLimit is how many cards a list of the API holds when it names no limit.
const DefaultLimit = 100

// Snapshot is how answers name a revision.
func Snapshot(s *catalog.Snapshot) string { return strconv.FormatInt(s.Revision, 10) }

// EnvelopeOf is what every answer from a snapshot begins with.
func EnvelopeOf(s *catalog.Snapshot) Envelope {
	e := Envelope{Snapshot: Snapshot(s), AsOf: string(s.Day)}
	if s.Partial() {
		e.Loading = &Progress{s.Loaded, s.Total}
	}
	return e
}

// List appends the answer to a query: the result's cards with the given fields as s
// has them, a pricing of the items' snapshot (nil: all but prices), and next, the address of the following page or "".
// The second result is a hash that tells answers with all fields apart without reading them
// again; it is nil for others.
func (it *Items) List(dst []byte, s *catalog.Snapshot, r catalog.Result, fields []*catalog.Quantity,
	next string) (body, sum []byte) {
	dst = it.appendHead(dst, s, fields, r.Total, next)
	hash := append(make([]byte, 0, 1024), dst...)
	for n, row := range r.Rows {
		if n > 0 {
			dst = append(dst, ',', '\n')
		}
		if fields != nil {
			dst = appendItem(dst, s, row, fields)
			continue
		}
		c := it.card(row)
		dst, hash = append(dst, c.json...), append(hash, c.sum[:]...)
	}
	dst = append(dst, "]}\n"...)
	if fields != nil {
		return dst, nil
	}
	all := sha256.Sum256(hash)
	return dst, all[:]
}

func (it *Items) appendHead(dst []byte, s *catalog.Snapshot, fields []*catalog.Quantity, total int,
	next string) []byte {
	head := Encode(EnvelopeOf(it.snap))
	dst = append(dst, head[:len(head)-len("}\n")]...)
	if slices.ContainsFunc(fields, (*catalog.Quantity).Priced) {
		pricing := Encode(pricingOf(s.Pricing()))
		dst = append(append(dst, `,"pricing":`...), pricing[:len(pricing)-len("\n")]...)
	}
	dst = append(dst, `,"total":`...)
	dst = strconv.AppendInt(dst, int64(total), 10)
	dst = append(dst, `,"next":`...)
	if next == "" {
		dst = append(dst, "null"...)
	} else {
		dst = appendString(dst, next)
	}
	return append(dst, `,"items":[`...)
}

// Detail returns everything known of card i. Prices are judged and converted as far as
// the pricing has a day and a currency.
func Detail(s *catalog.Snapshot, i int, p catalog.Pricing) (CardDetail, error) {
	c := s.Card(i)
	d := CardDetail{
		Envelope: EnvelopeOf(s), ID: c.ID, Name: c.Name, Vendor: c.Vendor, Kind: c.Kind, Segment: c.Segment,
		Architecture: c.Architecture,
		Aliases:      orEmpty(c.Aliases), PCIIDs: orEmpty(c.PCIIDs), Features: map[string]bool{},
		Figures:    map[string]Figure{},
		Attributes: map[string]Attribute{}, Sources: map[string]SourceEntry{}, Prices: []priceObservation{},
		Offers: []priceObservation{}, Benchmarks: []struct{}{},
	}
	facts := s.Facts(i)
	d.FormFactor, d.Launched = facts["form_factor"].Shown.Text, facts["launched"].Shown.Text
	d.Available, d.Standing, d.Announced = facts["available"].Shown.Text, s.Standing(i), announced(s, i)
	for id, f := range facts {
		d.add(id, f)
		d.confirm(s, i, id)
	}
	d.annotate(s, i)
	return d, d.price(s, i, p)
}

func (d *CardDetail) add(id string, f catalog.Figure) {
	for _, v := range append([]catalog.Value{f.Shown}, f.Others...) {
		if v.Source != nil {
			d.Sources[sourceKey(v)] = sourceEntry(v.Source)
		}
	}
	q, _ := catalog.LookupQuantity(id)
	switch {
	case f.Shown.Quantity == nil: // every value is superseded: none is shown
	case q.Kind == catalog.Number:
		d.Figures[id] = figure(q, f)
	default:
		if q.Kind == catalog.Flag {
			d.Features[id] = f.Shown.Text == "true"
		}
		d.Attributes[id] = attribute(f)
	}
}

// confirm adds the arithmetic that a figure agrees with.
func (d *CardDetail) confirm(s *catalog.Snapshot, i int, id string) {
	q, _ := catalog.LookupQuantity(id)
	if p, ok := s.Physics(q, i); ok {
		f := d.Figures[id]
		f.Physics = &Physics{p.Formula, p.Value}
		d.Figures[id] = f
	}
}

// sourceKey names a source within an answer: its id, with the dataset in front
// unless that is the built-in one.
func sourceKey(v catalog.Value) string {
	if v.Dataset.ID == "builtin" {
		return v.Source.ID
	}
	return v.Dataset.ID + "/" + v.Source.ID
}

func figure(q *catalog.Quantity, f catalog.Figure) Figure {
	out := Figure{Value: f.Shown.Number, Unit: q.Unit, Formula: q.Formula, Note: textOrNil(f.Shown.Note),
		Others: []otherFigure{}}
	if f.Shown.Source != nil {
		out.Source, out.Dataset, out.AsOf = sourceKey(f.Shown), f.Shown.Dataset.ID, string(f.Shown.Source.Published)
		out.Standing = Standing{f.Shown.Standing}
		a := f.Agreement()
		out.Sources, out.Origins = a.Sources, a.Origins
	}
	for _, o := range f.Others {
		out.Others = append(out.Others, otherFigure{o.Number, sourceKey(o), o.Dataset.ID, textOrNil(o.Note),
			textOrNil(o.Superseded), Standing{o.Standing}})
	}
	return out
}

func attribute(f catalog.Figure) Attribute {
	v := f.Shown
	out := Attribute{Value: v.Text, Source: sourceKey(v), Dataset: v.Dataset.ID, AsOf: string(v.Source.Published),
		Note: textOrNil(v.Note), Standing: Standing{v.Standing}, Others: []otherAttribute{}}
	for _, o := range f.Others {
		out.Others = append(
			out.Others,
			otherAttribute{o.Text, sourceKey(o), o.Dataset.ID, textOrNil(o.Superseded), Standing{o.Standing}},
		)
	}
	return out
}

func textOrNil(t catalog.Text) *catalog.Text {
	if t.IsZero() {
		return nil
	}
	return &t
}

func orEmpty(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}

func sourceEntry(s *catalog.SourceRef) SourceEntry {
	return SourceEntry{s.Publisher, s.Title, s.URL, s.Kind, string(s.Published), string(s.Retrieved), s.Origin}
}

// Sources returns every source of the active datasets.
func Sources(s *catalog.Snapshot) SourceList {
	uses := s.SourceUses()
	list := SourceList{Envelope: EnvelopeOf(s), Items: []sourceItem{}}
	for i := range s.Sources() {
		ref := &s.Sources()[i]
		list.Items = append(list.Items, sourceItem{ref.ID, s.Datasets()[ref.Dataset].ID, sourceEntry(ref),
			uses[i].Figures, uses[i].Cards, uses[i].Prices, uses[i].Rates})
	}
	list.Total = len(list.Items)
	return list
}

// Metrics returns the registry of quantities.
func Metrics(s *catalog.Snapshot) MetricList {
	list := MetricList{Envelope: EnvelopeOf(s)}
	types := map[catalog.Kind]string{catalog.Number: "number", catalog.Category: "text", catalog.Name: "text",
		catalog.Flag: "boolean", catalog.Day: "date"}
	for _, q := range catalog.Quantities() {
		list.Items = append(list.Items, metricItem{q.ID, types[q.Kind], q.Unit, q.Group, q.Better, q.Label,
			q.Definition, q.Formula, s.Coverage(q)})
	}
	list.Total = len(list.Items)
	return list
}

func ratioOrNil(v float64) *float64 {
	if math.IsNaN(v) {
		return nil
	}
	return &v
}

func cardRef(s *catalog.Snapshot, row int) CardRef {
	c := s.Card(row)
	ref := CardRef{ID: c.ID, Name: c.Name, Vendor: c.Vendor}
	if !s.OnSale(row) {
		ref.Unsold = s.Standing(row)
	}
	return ref
}

// peakMetrics are the dense matrix rates by the precision names of [FindPeak].
var peakMetrics = map[string]string{
	"fp64": "fp64_matrix_dense_tflops", "fp32": "fp32_matrix_dense_tflops", "tf32": "tf32_matrix_dense_tflops",
	"fp16": "fp16_matrix_dense_tflops", "bf16": "bf16_matrix_dense_tflops", "fp8": "fp8_matrix_dense_tflops",
	"fp6": "fp6_matrix_dense_tflops", "fp4": "fp4_matrix_dense_tflops", "int8": "int8_matrix_dense_tops",
	"int4": "int4_matrix_dense_tops",
}

// Precisions are the precisions that FindPeak takes.
func Precisions() []string { return slices.Sorted(maps.Keys(peakMetrics)) }

// FindPeak returns the dense matrix rate of a device, to divide by for model
// FLOPS utilisation. The device is a card id, a name that drivers or people use,
// or a PCI id. A device that is unknown or means several cards is a 404 or 409
// with candidates, never a guess; so is a rate that no source states.
func FindPeak(s *catalog.Snapshot, device, precision string) (Peak, *Problem) {
	metric, ok := peakMetrics[strings.ToLower(precision)]
	if !ok {
		return Peak{}, BadParams([]catalog.ParamError{{Param: "precision", Value: catalog.Clip(precision),
			Code:    catalog.UnknownValue,
			Allowed: strings.Join(Precisions(), ", "), Nearest: catalog.Nearest(precision, Precisions(), 3)}})
	}
	rows, part := s.Resolve(device), ""
	if len(rows) == 0 {
		rows, part = live.WholeOf(s, device)
	}
	switch len(rows) {
	case 0:
		p := NewProblem(http.StatusNotFound, "No card is called %q.", catalog.Clip(device))
		p.Candidates = candidates(s, s.Suggest(device, 5))
		return Peak{}, p
	case 1:
		peak, problem := peakOf(s, rows[0], device, strings.ToLower(precision), metric)
		peak.Part = part
		return peak, problem
	}
	p := NewProblem(http.StatusConflict, "%q means %d cards; ask for one of them by its id. %s",
		catalog.Clip(device), len(rows), tellApart(s, rows))
	p.Candidates = candidates(s, rows)
	return Peak{}, p
}

// tellApart says what tells several cards of one name apart: the memory that the driver reports, or nothing that is
// known.
func tellApart(s *catalog.Snapshot, rows []int) string {
	sizes := map[string]bool{}
	var says []string
	for _, row := range rows {
		gb, ok := s.Figures(row).Number("memory_gb")
		if !ok {
			return "Their PCI ids tell them apart, where there are any."
		}
		size := fmt.Sprintf("%g GB", gb)
		if n := live.DevicesOf(s, row); n > 1 {
			size = fmt.Sprintf("%g GB for each of its %d devices", gb/float64(n), n)
		}
		sizes[size] = true
		says = append(says, s.Card(row).ID+" has "+size)
	}
	if len(sizes) < 2 {
		return "Their PCI ids tell them apart, where there are any."
	}
	return "The memory tells them apart: " + strings.Join(says, ", ") + "."
}

func peakOf(s *catalog.Snapshot, row int, device, precision, metric string) (Peak, *Problem) {
	f, ok := s.Facts(row)[metric]
	if !ok || f.Shown.Source == nil {
		c := s.Card(row)
		p := NewProblem(http.StatusNotFound, "No source states a dense %s matrix rate of the %s %s.",
			strings.ToUpper(precision), c.Vendor, c.Name)
		p.Candidates = candidates(s, []int{row})
		if p.Rates = ratesOf(s, row); len(p.Rates) > 0 {
			var says []string
			for _, r := range p.Rates {
				says = append(says, fmt.Sprintf("%s %g %s", r.Metric, r.Value, r.Unit))
			}
			p.Detail += " Stated are " + strings.Join(says, ", ") + "."
		}
		return Peak{}, p
	}
	v := f.Shown
	return Peak{
		Envelope: EnvelopeOf(s), Card: cardRef(s, row), Device: device, Match: matchKind(s, row, device),
		Precision: precision, Metric: metric,
		Value: v.Number, Unit: v.Quantity.Unit, OpsPerS: math.Round(v.Number * 1e12), Source: sourceKey(v),
		SourceURL: v.Source.URL, Standing: Standing{v.Standing}, Note: textOrNil(v.Note),
	}, nil
}

// ratesOf are the rates that sources state of a card, of whatever precision and units.
func ratesOf(s *catalog.Snapshot, row int) (out []statedRate) {
	facts := s.Facts(row)
	for _, q := range catalog.Quantities() {
		if f, ok := facts[q.ID]; ok && f.Shown.Source != nil && q.Group == "compute" &&
			(q.Unit == "TFLOPS" || q.Unit == "TOPS") {
			out = append(out, statedRate{q.ID, f.Shown.Number, q.Unit, sourceKey(f.Shown), Standing{f.Shown.Standing}})
		}
	}
	return out
}

func matchKind(s *catalog.Snapshot, row int, device string) string {
	c := s.Card(row)
	switch {
	case c.ID == device:
		return "card_id"
	case c.HasPCIID(device):
		return "pci_id"
	}
	return "name"
}
