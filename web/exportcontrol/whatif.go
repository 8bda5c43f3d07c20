package exportcontrol

import (
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"tianti/catalog"
	"tianti/exportcontrol"
	"tianti/web/display"
	"tianti/web/site"
	"tianti/web/ui"
)

// A whatIfNumber is a figure of the what-if form, of the whole card, with the range that is
// taken.
type whatIfNumber struct {
	id          string
	least, most float64
	whole       bool
}

var whatIfNumbers = []whatIfNumber{
	{id: "ics_per_card", least: 1, most: 16, whole: true},
	{id: "fp64_matrix_dense_tflops", most: 1e7},
	{id: "fp32_vector_tflops", most: 1e7},
	{id: "tf32_matrix_dense_tflops", most: 1e7},
	{id: "fp16_matrix_dense_tflops", most: 1e7},
	{id: "fp16_acc16_matrix_dense_tflops", most: 1e7},
	{id: "fp8_matrix_dense_tflops", most: 1e7},
	{id: "fp8_acc16_matrix_dense_tflops", most: 1e7},
	{id: "int8_matrix_dense_tops", most: 1e7},
	{id: "fp6_matrix_dense_tflops", most: 1e7},
	{id: "fp4_matrix_dense_tflops", most: 1e7},
	{id: "int4_matrix_dense_tops", most: 1e7},
	{id: "published_tpp", most: 1e8},
	{id: "nonplanar_die_mm2", least: 1, most: 1e5}, // density divides by it
	{id: "memory_bandwidth_gb_s", most: 1e8},
	{id: "interconnect_gb_s", most: 1e7},
	{id: "pcie_generation", most: 7},
	{id: "pcie_lanes", most: 32},
}

func (n whatIfNumber) allowed() string {
	return strconv.FormatFloat(n.least, 'f', -1, 64) + " … " + strconv.FormatFloat(n.most, 'f', -1, 64)
}

// read reads a number as people write it, before its unit or not.
func (n whatIfNumber) read(v string) (float64, bool) {
	unit := ""
	if q, ok := catalog.LookupQuantity(n.id); ok {
		unit = q.Unit
	}
	x, err := catalog.ReadNumber(v, unit)
	return x, err == nil && x >= n.least && x <= n.most && !(n.whole && x != math.Trunc(x))
}

// entered are figures that somebody describes an item with.
type entered struct {
	numbers map[string]float64
	// vendor and eccn may be empty. datacenter is yes, no or empty; dies are planar,
	// nonplanar or empty.
	datacenter, dies, vendor, eccn string
}

// planarProcess is a process of planar transistors, in nm: any above 16.
const planarProcess = 28

func (f entered) Number(id string) (float64, bool) {
	if id == "process_nm" && f.dies == "planar" {
		return planarProcess, true
	}
	v, ok := f.numbers[id]
	return v, ok
}

// Text answers for what the form does not ask: links and PCIe that are left empty stay
// unknown.
func (f entered) Text(id string) string {
	switch id {
	case "segment":
		return map[string]string{"yes": "datacenter", "no": "desktop"}[f.datacenter]
	case "vendor":
		return f.vendor
	case "eccn":
		return f.eccn
	}
	return ""
}

func (f entered) words() []ui.Param {
	return []ui.Param{
		{Name: "datacenter", Value: f.datacenter},
		{Name: "dies", Value: f.dies},
		{Name: "vendor", Value: f.vendor},
		{Name: "eccn", Value: f.eccn},
	}
}

func (f entered) encode() string {
	var parts []string
	for _, n := range whatIfNumbers {
		if v, ok := f.numbers[n.id]; ok {
			parts = append(parts, n.id+"="+strconv.FormatFloat(v, 'f', -1, 64))
		}
	}
	for _, p := range f.words() {
		if p.Value != "" {
			parts = append(parts, p.Name+"="+url.QueryEscape(p.Value))
		}
	}
	return strings.Join(parts, "&")
}

// describe enters the figures of a card.
func describe(f catalog.Figures) entered {
	e := entered{numbers: map[string]float64{}, vendor: f.Text("vendor"), eccn: f.Text("eccn")}
	for _, n := range whatIfNumbers {
		if v, ok := f.Number(n.id); ok {
			e.numbers[n.id] = v
		}
	}
	switch area, applies, ok := catalog.NonPlanarDie(f); {
	case ok && applies:
		e.numbers["nonplanar_die_mm2"] = area * catalog.PerformanceOf(f).ICs
	case ok:
		e.dies = "planar"
	}
	if f.Text("interconnect_type") == "none" {
		e.numbers["interconnect_gb_s"] = 0
	}
	switch f.Text("segment") {
	case "datacenter", "cloud":
		e.datacenter = "yes"
	case "research", "":
	default:
		e.datacenter = "no"
	}
	return e
}

// readEntered reads the figures of the form.
func readEntered(values url.Values, vendors []string) (f entered, errs []catalog.ParamError) {
	f.numbers = map[string]float64{}
	for _, n := range whatIfNumbers {
		v := strings.TrimSpace(values.Get(n.id))
		if v == "" {
			continue
		}
		x, ok := n.read(v)
		if !ok {
			errs = append(
				errs,
				catalog.ParamError{Param: n.id, Value: catalog.Clip(v), Code: catalog.BadNumber, Allowed: n.allowed()},
			)
			continue
		}
		f.numbers[n.id] = x
	}
	for _, p := range []struct {
		name    string
		to      *string
		allowed []string
	}{{"datacenter", &f.datacenter, []string{"yes", "no"}}, {"dies", &f.dies, []string{"nonplanar", "planar"}},
		{"vendor", &f.vendor, vendors}} {
		v := strings.TrimSpace(values.Get(p.name))
		if v != "" && !slices.Contains(p.allowed, v) {
			errs = append(errs, catalog.ParamError{Param: p.name, Value: catalog.Clip(v), Code: catalog.UnknownValue,
				Allowed: catalog.Listed(p.allowed...), Nearest: catalog.Nearest(v, p.allowed, 3)})
			continue
		}
		*p.to = v
	}
	if _, ok := f.numbers["nonplanar_die_mm2"]; ok && f.dies == "planar" {
		errs = append(
			errs,
			catalog.ParamError{Param: "nonplanar_die_mm2", Value: catalog.Clip(values.Get("nonplanar_die_mm2")),
				Code: catalog.Conflict, Nearest: []string{"dies"}},
		)
	}
	eccn, err := exportcontrol.ParseECCN(values.Get("eccn"))
	if err != nil {
		errs = append(
			errs,
			catalog.ParamError{Param: "eccn", Value: catalog.Clip(values.Get("eccn")), Code: catalog.UnknownValue,
				Allowed: "EAR99, 3A090.a, 4A994.l …"},
		)
	}
	f.eccn = eccn
	return f, errs
}

// whatIf answers /export-control/worksheet.
func (h *Handler) whatIf(st *site.State, r *site.Request) (site.Plan, error) {
	if r.Path != "/export-control/worksheet" {
		return h.site.NotFound(st, r)
	}
	names := slices.Clone(QuestionParams)
	for _, p := range (entered{}).words() {
		names = append(names, p.Name)
	}
	for _, n := range whatIfNumbers {
		names = append(names, n.id)
	}
	if err := r.Only(names...); err != nil {
		return site.Plan{}, err
	}
	q, errs := h.Question(r.Values)
	figures, badFigures := readEntered(r.Values, st.Snap.Values(display.MustQuantity("vendor")))
	errs = append(errs, badFigures...)
	query := QuestionQuery(q)
	if more := figures.encode(); more != "" {
		query += "&" + more
	}
	key := r.Address(r.Loc, site.HTML, query)
	if len(errs) > 0 {
		key = "" // what was typed is shown as it was, and not kept
	}
	return site.Plan{Key: key, Dated: OfToday(r.Values), Render: func() (site.Answer, error) {
		v := h.whatIfView(st, r, q, figures, errs, query)
		return refused(v.Page(), errs)
	}}, nil
}

func (h *Handler) whatIfView(
	st *site.State,
	r *site.Request,
	q exportcontrol.Question,
	figures entered,
	errs []catalog.ParamError,
	query string,
) whatIfData {
	l := r.Loc
	b := ExportBuilder{L: l, Q: q}
	v := whatIfData{
		Layout: h.site.Layout(r, st, ui.NavExport, query),
		Form:   h.exportForm(b, "/export-control/worksheet", nil),
	}
	v.Title, v.Description, v.NoIndex = l.T("export.whatif"), l.T("export.whatiflede"), !h.Usual(query)
	for _, n := range whatIfNumbers {
		quantity := display.MustQuantity(n.id)
		field := whatIfField{ID: n.id, Label: display.Pick(l, quantity.Label), Unit: display.Unit(l, quantity),
			Numeric: true}
		if n.id == "pcie_lanes" {
			field.Unit = "" // the label says what is counted
		}
		if x, ok := figures.numbers[n.id]; ok {
			field.Value = strconv.FormatFloat(x, 'f', -1, 64)
		}
		v.Fields = append(v.Fields, field)
	}
	v.Fields = append(v.Fields, whatIfField{ID: "eccn", Label: l.T("export.fieldeccn"), Value: figures.eccn})
	var others []catalog.ParamError
	for _, e := range errs {
		i := slices.IndexFunc(v.Fields, func(f whatIfField) bool { return f.ID == e.Param })
		if i < 0 {
			others = append(others, e)
			continue
		}
		v.Fields[i].Error = display.ParamText(l, e)
	}
	v.Problems = v.Form.refuse(r, others)
	if len(errs) > 0 { // nothing that was typed is lost
		for i := range v.Fields {
			v.Fields[i].Value = r.Values.Get(v.Fields[i].ID)
		}
	}
	option := func(key, value, chosen string) ui.Option {
		return ui.Option{Value: value, Label: l.T(key), Selected: value == chosen}
	}
	v.Datacenter = []ui.Option{
		option("export.unknownoption", "", figures.datacenter),
		option("export.truthyes", "yes", figures.datacenter),
		option("export.truthno", "no", figures.datacenter),
	}
	v.Dies = []ui.Option{
		option("export.unknownoption", "", figures.dies),
		option("export.diesnonplanar", "nonplanar", figures.dies),
		option("export.diesplanar", "planar", figures.dies),
	}
	v.Vendors = []ui.Option{option("export.unknownoption", "", figures.vendor)}
	for _, vendor := range st.Snap.Values(display.MustQuantity("vendor")) {
		v.Vendors = append(v.Vendors, ui.Option{Value: vendor, Label: vendor, Selected: vendor == figures.vendor})
	}
	if len(figures.numbers) > 0 && len(errs) == 0 {
		it := exportcontrol.Described(figures)
		sheet := b.sheet(exportcontrol.Evaluate(&it, q))
		sheet.Form = v.Form
		v.Sheet = &sheet
	}
	return v
}
