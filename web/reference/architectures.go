package reference

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"tianti/catalog"
	"tianti/locale"
	"tianti/sorting"
	"tianti/web/api"
	"tianti/web/display"
	"tianti/web/site"
	"tianti/web/ui"
)

// mostGenerations can stand side by side.
const mostGenerations = 6

// architectures answers /architectures: all generations, or those chosen by id
// side by side.
func (h *Handler) architectures(st *site.State, r *site.Request) (site.Plan, error) {
	if r.Path != "/architectures" || r.Format == site.AsCSV {
		return h.site.NotFound(st, r)
	}
	chosen, query, err := chooseGenerations(st.Snap, r.Values)
	if err != nil {
		return site.Plan{}, err
	}
	render := map[site.Format]func() (site.Answer, error){
		site.HTML: func() (site.Answer, error) {
			v := h.architecturesView(st, r, chosen, query)
			return site.Rendered(v.Page())
		},
		site.AsJSON: func() (site.Answer, error) { return site.JSONAnswer(api.Architectures(st.Snap, chosen)) },
		site.Markdown: func() (site.Answer, error) {
			listed := chosen
			if len(listed) == 0 {
				listed = st.Snap.Generations()
			}
			return architecturesMarkdown(st.Snap, r.Loc, listed), nil
		},
	}[r.Format]
	return site.Plan{Key: r.Address(r.Loc, r.Format, query), Render: render}, nil
}

// chooseGenerations reads the parameter id, which may be repeated.
func chooseGenerations(s *catalog.Snapshot, values url.Values) (chosen []catalog.GenerationInfo,
	query string, err error) {
	rest := site.Request{Values: url.Values{}}
	for key, given := range values {
		if key != "id" {
			rest.Values[key] = given
		}
	}
	if err := rest.Only("id"); err != nil {
		return nil, "", err
	}
	all := s.Generations()
	var parts []string
	for _, id := range values["id"] {
		i := slices.IndexFunc(all, func(g catalog.GenerationInfo) bool { return g.ID == id })
		switch {
		case id == "" || slices.Contains(parts, "id="+id):
		case i < 0:
			return nil, "", unknownGeneration(all, id)
		default:
			chosen = append(chosen, all[i])
			parts = append(parts, "id="+id)
		}
	}
	if len(chosen) > mostGenerations {
		return nil, "", api.BadParams([]catalog.ParamError{{Param: "id", Value: strconv.Itoa(len(chosen)),
			Code: catalog.TooMany, Allowed: "1 … " + strconv.Itoa(mostGenerations)}})
	}
	return chosen, strings.Join(parts, "&"), nil
}

func unknownGeneration(all []catalog.GenerationInfo, id string) error {
	var ids []string
	for _, g := range all {
		ids = append(ids, g.ID)
	}
	return api.BadParams([]catalog.ParamError{{Param: "id", Value: catalog.Clip(id), Code: catalog.UnknownValue,
		Nearest: catalog.Nearest(id, ids, 3)}})
}

func architectureHref(l *locale.Locale, id string) string {
	return l.Path("/architectures") + "?id=" + id
}

func (h *Handler) architecturesView(st *site.State, r *site.Request, chosen []catalog.GenerationInfo,
	query string) architectures {
	v := architectures{Layout: site.WithAlternates(h.site.Layout(r, st, ui.NavArchitecture, query), r, query),
		Most: mostGenerations}
	v.Alternates.CSV = ""
	all := st.Snap.Generations()
	v.Title, v.Description = r.Loc.T("arch.title"), r.Loc.T("arch.description", len(all))
	if len(chosen) > 0 {
		v.NoIndex = len(chosen) > 1
		if len(chosen) == 1 {
			v.Canonical = r.Address(r.Loc, site.HTML, query)
		}
		v.Chosen, v.Rows = architectureViews(st.Snap, r.Loc, chosen), architectureRows(r.Loc, chosen)
		var names []string
		for _, g := range chosen {
			names = append(names, display.Vendor(r.Loc, g.Vendor)+" "+g.Name)
		}
		v.Title = strings.Join(names, r.Loc.T("comma"))
		return v
	}
	v.Timeline = timelineOf(r.Loc, all)
	for _, g := range architectureViews(st.Snap, r.Loc, all) {
		line := lineOf(all, g.ID)
		if n := len(v.Lines); n == 0 || v.Lines[n-1].Name != line {
			v.Lines = append(v.Lines, architectureLineData{ID: "line-" +
				strings.ToLower(strings.ReplaceAll(line, " ", "-")), Name: line})
		}
		last := &v.Lines[len(v.Lines)-1]
		last.Generations = append(last.Generations, g)
	}
	for i := range v.Lines {
		slices.Reverse(v.Lines[i].Generations)
	}
	return v
}

func lineOf(all []catalog.GenerationInfo, id string) string {
	i := slices.IndexFunc(all, func(g catalog.GenerationInfo) bool { return g.ID == id })
	return all[i].Line
}

func architectureViews(s *catalog.Snapshot, l *locale.Locale, list []catalog.GenerationInfo) []architecture {
	out := make([]architecture, len(list))
	for i, g := range list {
		v := architecture{ID: g.ID, Name: g.Name, Vendor: display.Vendor(l, g.Vendor), Href: architectureHref(l, g.ID)}
		v.Announced = g.Figures["launched"].Shown.Text
		v.Chip = g.Figures["chip"].Shown.Text
		v.Process = processOf(l, g.Figures["process_name"].Shown.Text, g.Figures["process_nm"].Shown.Number)
		v.Transistor = billions(l, g.Figures["transistors_million"].Shown.Number)
		v.Die = numberOr(l, g.Figures["die_mm2"].Shown.Number)
		v.Introduced, v.Unit = statementViews(s, l, g.In, g.Introduced), statementViews(s, l, g.In, g.Unit)
		for _, row := range g.Rows {
			link := display.CardLink(s, l, row)
			link.Label = s.Card(row).Name
			link.Note, _ = s.Text(display.MustQuantity("launched"), row)
			v.Cards = append(v.Cards, link)
		}
		v.Chips = chipViews(s, l, g.Rows)
		out[i] = v
	}
	return out
}

// chipViews are the chips that cards name, those of most cards first.
func chipViews(s *catalog.Snapshot, l *locale.Locale, rows []int) []architectureChip {
	var chips []architectureChip
	for _, row := range rows {
		name, ok := s.Text(display.MustQuantity("chip"), row)
		if !ok {
			continue
		}
		i := slices.IndexFunc(chips, func(c architectureChip) bool { return c.Name == name })
		if i < 0 {
			i = len(chips)
			chips = append(chips, architectureChip{Name: name})
		}
		c := &chips[i]
		c.Cards++
		number := func(id string) float64 { v, _ := s.Number(display.MustQuantity(id), row); return v }
		if process, _ := s.Text(display.MustQuantity("process_name"), row); c.Process == "" {
			c.Process = processOf(l, process, number("process_nm"))
		}
		if v := number("transistors_million"); c.Transistor == "" && v > 0 {
			c.Transistor = billions(l, v)
		}
		if v := number("die_mm2"); c.Die == "" && v > 0 {
			c.Die = numberOr(l, v)
		}
	}
	sorting.Func(chips, func(a, b architectureChip) int { return b.Cards - a.Cards })
	for i := range chips {
		for _, text := range []*string{&chips[i].Process, &chips[i].Transistor, &chips[i].Die} {
			if *text == "" {
				*text = "—"
			}
		}
	}
	return chips
}

func processOf(l *locale.Locale, name string, nm float64) string {
	switch {
	case nm == 0:
		return name
	case name == "":
		return l.Number(nm) + " nm"
	case strings.HasSuffix(name, " "+l.Number(nm)+" nm"): // "TSMC 28 nm"
		return name
	}
	return name + l.Pick(" (", "（") + l.Number(nm) + " nm" + l.Pick(")", "）")
}

// billions writes millions of transistors, "54.2" for 54,200 million.
func billions(l *locale.Locale, millions float64) string {
	if millions == 0 {
		return ""
	}
	if l.Code() == "zh" {
		return l.T("arch.billion", l.Number(millions/100))
	}
	return l.T("arch.billion", l.Number(millions/1000))
}

func numberOr(l *locale.Locale, v float64) string {
	if v == 0 {
		return ""
	}
	return l.Number(v)
}

func statementViews(s *catalog.Snapshot, l *locale.Locale, in catalog.In, list []catalog.Statement) []sourcedText {
	var out []sourcedText
	for _, st := range list {
		out = append(out, sourcedText{Text: display.Pick(l, st.Text), Source: sourceLink(s, l, in, st.Source)})
	}
	return out
}

// sourceLink leads to a source that an annotation names.
func sourceLink(s *catalog.Snapshot, l *locale.Locale, in catalog.In, id string) ui.Link {
	src := s.SourceOf(in, id)
	if src == nil {
		return ui.Link{}
	}
	return ui.Link{Label: src.Publisher, Note: src.Title, Href: display.SourceHref(l, &s.Datasets()[in.Dataset], src)}
}

// architectureRows are the quantities that any of the generations has.
func architectureRows(l *locale.Locale, chosen []catalog.GenerationInfo) []architectureRow {
	var rows []architectureRow
	for _, q := range architectureQuantities() {
		row := architectureRow{Label: display.Pick(l, q.Label), Unit: display.Unit(l, q)}
		any := false
		for _, g := range chosen {
			f, ok := g.Figures[q.ID]
			any = any || ok
			row.Cells = append(row.Cells, architectureCell(l, f))
		}
		if any {
			rows = append(rows, row)
		}
	}
	return rows
}

// architectureQuantities are those of a chip, the date and the chip's name first.
func architectureQuantities() []*catalog.Quantity {
	first := []*catalog.Quantity{display.MustQuantity("launched"), display.MustQuantity("chip"),
		display.MustQuantity("process_name")}
	for _, q := range catalog.Quantities() {
		if q.Stored() && !slices.Contains(first, q) {
			first = append(first, q)
		}
	}
	return first
}

func architectureCell(l *locale.Locale, f catalog.Figure) architectureCellData {
	var c architectureCellData
	if f.Shown.Quantity != nil {
		c.SourcedValue = display.Sourced(l, f.Shown)
	}
	for _, o := range f.Others {
		if o.Superseded.IsZero() && display.ShownValue(l, o) == display.ShownValue(l, f.Shown) {
			c.Also = append(c.Also, display.Sourced(l, o).Source)
			continue
		}
		c.Others = append(c.Others, otherSource{SourcedValue: display.Sourced(l, o),
			Superseded: display.Pick(l, o.Superseded)})
	}
	return c
}

func architecturesMarkdown(s *catalog.Snapshot, l *locale.Locale, list []catalog.GenerationInfo) site.Answer {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n", l.T("arch.title"))
	line := ""
	var rows [][]string
	flush := func() {
		if len(rows) > 1 {
			site.MarkdownTable(&b, rows, []bool{false, false, false, false, true, true, true, false})
		}
	}
	for i, v := range architectureViews(s, l, list) {
		if list[i].Line != line {
			flush()
			line = list[i].Line
			fmt.Fprintf(&b, "\n## %s\n\n", line)
			rows = [][]string{{l.T("arch.generation"), l.T("arch.announced"), l.T("arch.largest"), l.T("arch.process"),
				l.T("arch.transistors"), l.T("arch.die"), l.T("arch.cards"), l.T("arch.introduced")}}
		}
		var introduced []string
		for _, t := range v.Introduced {
			introduced = append(introduced, t.Text)
		}
		rows = append(rows, []string{v.Name, v.Announced, v.Chip, v.Process, v.Transistor, v.Die,
			strconv.Itoa(len(v.Cards)), strings.Join(introduced, l.Pick("; ", "；"))})
	}
	flush()
	return site.MarkdownAnswer(b.String())
}

// ecosystem answers /ecosystem.
func (h *Handler) ecosystem(st *site.State, r *site.Request) (site.Plan, error) {
	if r.Path != "/ecosystem" || r.Format != site.HTML {
		return h.site.NotFound(st, r)
	}
	if err := r.Only(); err != nil {
		return site.Plan{}, err
	}
	return site.Plan{Key: r.Address(r.Loc, site.HTML, ""), Render: func() (site.Answer, error) {
		v := ecosystemData{Layout: h.site.Layout(r, st, ui.NavArchitecture, "")}
		v.Title, v.Description = r.Loc.T("ecosystem.title"), r.Loc.T("ecosystem.lede")
		v.Vendors, v.Rows = equivalentViews(st.Snap, r.Loc)
		return site.Rendered(v.Page())
	}}, nil
}

// equivalentViews has a column for each vendor, in the order in which the data
// name them.
func equivalentViews(s *catalog.Snapshot, l *locale.Locale) (vendors []string, rows []equivalentRow) {
	for _, e := range s.Equivalents() {
		for _, n := range e.Names {
			if !slices.Contains(vendors, n.Vendor) {
				vendors = append(vendors, n.Vendor)
			}
		}
	}
	for _, e := range s.Equivalents() {
		row := equivalentRow{ID: e.ID, Role: display.Pick(l, e.Role), Names: make([]sourcedText, len(vendors))}
		for _, n := range e.Names {
			row.Names[slices.Index(vendors, n.Vendor)] = sourcedText{Text: n.Name,
				Source: sourceLink(s, l, e.In, n.Source)}
		}
		rows = append(rows, row)
	}
	for i, vendor := range vendors {
		vendors[i] = display.Vendor(l, vendor)
	}
	return vendors, rows
}

// glossary answers /glossary.
func (h *Handler) glossary(st *site.State, r *site.Request) (site.Plan, error) {
	if r.Path != "/glossary" || r.Format != site.HTML {
		return h.site.NotFound(st, r)
	}
	if err := r.Only(); err != nil {
		return site.Plan{}, err
	}
	return site.Plan{Key: r.Address(r.Loc, site.HTML, ""), Render: func() (site.Answer, error) {
		v := glossaryData{Layout: h.site.Layout(r, st, ui.NavArchitecture, "")}
		v.Title, v.Description = r.Loc.T("glossary.title"), r.Loc.T("glossary.lede")
		for _, g := range st.Snap.Glossary() {
			term := glossaryTerm{ID: g.ID, Term: g.Term}
			for _, m := range g.Meanings {
				term.Meanings = append(term.Meanings, glossaryMeaning{Name: display.Pick(r.Loc, m.Name),
					Text: display.Pick(r.Loc, m.Text), Source: sourceLink(st.Snap, r.Loc, g.In, m.Source)})
			}
			v.Terms = append(v.Terms, term)
		}
		return site.Rendered(v.Page())
	}}, nil
}
