package web

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"tianti/catalog"
	"tianti/locale"
	"tianti/web/api"
	"tianti/web/view"
)

// mostGenerations can stand side by side.
const mostGenerations = 6

// architectures answers /architectures: all generations, or those chosen by id
// side by side.
func (s *Server) architectures(st *state, r *request) (plan, error) {
	if r.path != "/architectures" || r.format == asCSV {
		return s.notFound(st, r)
	}
	chosen, query, err := chooseGenerations(st.snap, r.values)
	if err != nil {
		return plan{}, err
	}
	render := map[format]func() (answer, error){
		html: func() (answer, error) {
			v := s.architecturesView(st, r, chosen, query)
			return rendered(v.Page())
		},
		asJSON: func() (answer, error) { return jsonAnswer(api.Architectures(st.snap, chosen)) },
		markdown: func() (answer, error) {
			return architecturesMarkdown(st.snap, r.loc, cmpOr(chosen, st.snap.Generations())), nil
		},
	}[r.format]
	return plan{key: r.address(r.loc, r.format, query), render: render}, nil
}

func cmpOr[T any](a, b []T) []T {
	if len(a) > 0 {
		return a
	}
	return b
}

// chooseGenerations reads the parameter id, which may be repeated.
func chooseGenerations(s *catalog.Snapshot, values url.Values) (chosen []catalog.GenerationInfo, query string, err error) {
	rest := request{values: url.Values{}}
	for key, given := range values {
		if key != "id" {
			rest.values[key] = given
		}
	}
	if err := rest.only("id"); err != nil {
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
		return nil, "", api.BadParams([]catalog.ParamError{{Param: "id", Value: strconv.Itoa(len(chosen)), Code: catalog.TooMany, Allowed: "1 … " + strconv.Itoa(mostGenerations)}})
	}
	return chosen, strings.Join(parts, "&"), nil
}

func unknownGeneration(all []catalog.GenerationInfo, id string) error {
	var ids []string
	for _, g := range all {
		ids = append(ids, g.ID)
	}
	return api.BadParams([]catalog.ParamError{{Param: "id", Value: catalog.Clip(id), Code: catalog.UnknownValue, Nearest: catalog.Nearest(id, ids, 3)}})
}

func architectureHref(l *locale.Locale, id string) string {
	return l.Path("/architectures") + "?id=" + id
}

func (s *Server) architecturesView(st *state, r *request, chosen []catalog.GenerationInfo, query string) view.Architectures {
	v := view.Architectures{Layout: withAlternates(s.layout(r, st, view.NavArchitecture, query), r, query), Most: mostGenerations}
	v.Alternates.CSV = ""
	all := st.snap.Generations()
	v.Title, v.Description = r.loc.T("arch.title"), r.loc.T("arch.description", len(all))
	if len(chosen) > 0 {
		v.NoIndex = len(chosen) > 1
		if len(chosen) == 1 {
			v.Canonical = r.address(r.loc, html, query)
		}
		v.Chosen, v.Rows = architectureViews(st.snap, r.loc, chosen), architectureRows(r.loc, chosen)
		var names []string
		for _, g := range chosen {
			names = append(names, g.Vendor+" "+g.Name)
		}
		v.Title = strings.Join(names, r.loc.T("comma"))
		return v
	}
	v.Timeline = timelineOf(r.loc, all)
	for _, g := range architectureViews(st.snap, r.loc, all) {
		line := lineOf(all, g.ID)
		if n := len(v.Lines); n == 0 || v.Lines[n-1].Name != line {
			v.Lines = append(v.Lines, view.ArchitectureLine{ID: "line-" + strings.ToLower(strings.ReplaceAll(line, " ", "-")), Name: line})
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

func architectureViews(s *catalog.Snapshot, l *locale.Locale, list []catalog.GenerationInfo) []view.Architecture {
	out := make([]view.Architecture, len(list))
	for i, g := range list {
		v := view.Architecture{ID: g.ID, Name: g.Name, Vendor: g.Vendor, Href: architectureHref(l, g.ID)}
		v.Announced = g.Figures["launched"].Shown.Text
		v.Chip = g.Figures["chip"].Shown.Text
		v.Process = processOf(l, g.Figures["process_name"].Shown.Text, g.Figures["process_nm"].Shown.Number)
		v.Transistor = billions(l, g.Figures["transistors_million"].Shown.Number)
		v.Die = numberOr(l, g.Figures["die_mm2"].Shown.Number)
		v.Introduced, v.Unit = statementViews(s, l, g.In, g.Introduced), statementViews(s, l, g.In, g.Unit)
		for _, row := range g.Rows {
			link := cardLink(s, l, row)
			link.Label = s.Card(row).Name
			link.Note, _ = s.Text(mustQuantity("launched"), row)
			v.Cards = append(v.Cards, link)
		}
		v.Chips = chipViews(s, l, g.Rows)
		out[i] = v
	}
	return out
}

// chipViews are the chips that cards name, those of most cards first.
func chipViews(s *catalog.Snapshot, l *locale.Locale, rows []int) []view.ArchitectureChip {
	var chips []view.ArchitectureChip
	for _, row := range rows {
		name, ok := s.Text(mustQuantity("chip"), row)
		if !ok {
			continue
		}
		i := slices.IndexFunc(chips, func(c view.ArchitectureChip) bool { return c.Name == name })
		if i < 0 {
			i = len(chips)
			chips = append(chips, view.ArchitectureChip{Name: name})
		}
		c := &chips[i]
		c.Cards++
		number := func(id string) float64 { v, _ := s.Number(mustQuantity(id), row); return v }
		if process, _ := s.Text(mustQuantity("process_name"), row); c.Process == "" {
			c.Process = processOf(l, process, number("process_nm"))
		}
		if v := number("transistors_million"); c.Transistor == "" && v > 0 {
			c.Transistor = billions(l, v)
		}
		if v := number("die_mm2"); c.Die == "" && v > 0 {
			c.Die = numberOr(l, v)
		}
	}
	slices.SortStableFunc(chips, func(a, b view.ArchitectureChip) int { return b.Cards - a.Cards })
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

func statementViews(s *catalog.Snapshot, l *locale.Locale, in catalog.In, list []catalog.Statement) []view.SourcedText {
	var out []view.SourcedText
	for _, st := range list {
		out = append(out, view.SourcedText{Text: pick(l, st.Text), Source: sourceLink(s, l, in, st.Source)})
	}
	return out
}

// sourceLink leads to a source that an annotation names.
func sourceLink(s *catalog.Snapshot, l *locale.Locale, in catalog.In, id string) view.Link {
	src := s.SourceOf(in, id)
	if src == nil {
		return view.Link{}
	}
	return view.Link{Label: src.Publisher, Note: src.Title, Href: sourceHref(l, &s.Datasets()[in.Dataset], src)}
}

// architectureRows are the quantities that any of the generations has.
func architectureRows(l *locale.Locale, chosen []catalog.GenerationInfo) []view.ArchitectureRow {
	var rows []view.ArchitectureRow
	for _, q := range architectureQuantities() {
		row := view.ArchitectureRow{Label: pick(l, q.Label), Unit: unit(l, q)}
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
	first := []*catalog.Quantity{mustQuantity("launched"), mustQuantity("chip"), mustQuantity("process_name")}
	for _, q := range catalog.Quantities() {
		if q.Stored() && !slices.Contains(first, q) {
			first = append(first, q)
		}
	}
	return first
}

func architectureCell(l *locale.Locale, f catalog.Figure) view.ArchitectureCell {
	var c view.ArchitectureCell
	if f.Shown.Quantity != nil {
		c.SourcedValue = sourced(l, f.Shown)
	}
	for _, o := range f.Others {
		if o.Superseded.IsZero() && shownValue(l, o) == shownValue(l, f.Shown) {
			c.Also = append(c.Also, sourced(l, o).Source)
			continue
		}
		c.Others = append(c.Others, view.OtherSource{SourcedValue: sourced(l, o), Superseded: pick(l, o.Superseded)})
	}
	return c
}

func architecturesMarkdown(s *catalog.Snapshot, l *locale.Locale, list []catalog.GenerationInfo) answer {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n", l.T("arch.title"))
	line := ""
	var rows [][]string
	flush := func() {
		if len(rows) > 1 {
			markdownTable(&b, rows, []bool{false, false, false, false, true, true, true, false})
		}
	}
	for i, v := range architectureViews(s, l, list) {
		if list[i].Line != line {
			flush()
			line = list[i].Line
			fmt.Fprintf(&b, "\n## %s\n\n", line)
			rows = [][]string{{l.T("arch.generation"), l.T("arch.announced"), l.T("arch.largest"), l.T("arch.process"), l.T("arch.transistors"), l.T("arch.die"), l.T("arch.cards"), l.T("arch.introduced")}}
		}
		var introduced []string
		for _, t := range v.Introduced {
			introduced = append(introduced, t.Text)
		}
		rows = append(rows, []string{v.Name, v.Announced, v.Chip, v.Process, v.Transistor, v.Die, strconv.Itoa(len(v.Cards)), strings.Join(introduced, l.Pick("; ", "；"))})
	}
	flush()
	return markdownAnswer(b.String())
}

// ecosystem answers /ecosystem.
func (s *Server) ecosystem(st *state, r *request) (plan, error) {
	if r.path != "/ecosystem" || r.format != html {
		return s.notFound(st, r)
	}
	if err := r.only(); err != nil {
		return plan{}, err
	}
	return plan{key: r.address(r.loc, html, ""), render: func() (answer, error) {
		v := view.Ecosystem{Layout: s.layout(r, st, view.NavArchitecture, "")}
		v.Title, v.Description = r.loc.T("ecosystem.title"), r.loc.T("ecosystem.lede")
		v.Vendors, v.Rows = equivalentViews(st.snap, r.loc)
		return rendered(v.Page())
	}}, nil
}

// equivalentViews has a column for each vendor, in the order in which the data
// name them.
func equivalentViews(s *catalog.Snapshot, l *locale.Locale) (vendors []string, rows []view.EquivalentRow) {
	for _, e := range s.Equivalents() {
		for _, n := range e.Names {
			if !slices.Contains(vendors, n.Vendor) {
				vendors = append(vendors, n.Vendor)
			}
		}
	}
	for _, e := range s.Equivalents() {
		row := view.EquivalentRow{ID: e.ID, Role: pick(l, e.Role), Names: make([]view.SourcedText, len(vendors))}
		for _, n := range e.Names {
			row.Names[slices.Index(vendors, n.Vendor)] = view.SourcedText{Text: n.Name, Source: sourceLink(s, l, e.In, n.Source)}
		}
		rows = append(rows, row)
	}
	return vendors, rows
}

// glossary answers /glossary.
func (s *Server) glossary(st *state, r *request) (plan, error) {
	if r.path != "/glossary" || r.format != html {
		return s.notFound(st, r)
	}
	if err := r.only(); err != nil {
		return plan{}, err
	}
	return plan{key: r.address(r.loc, html, ""), render: func() (answer, error) {
		v := view.Glossary{Layout: s.layout(r, st, view.NavArchitecture, "")}
		v.Title, v.Description = r.loc.T("glossary.title"), r.loc.T("glossary.lede")
		for _, g := range st.snap.Glossary() {
			term := view.GlossaryTerm{ID: g.ID, Term: g.Term}
			for _, m := range g.Meanings {
				term.Meanings = append(term.Meanings, view.GlossaryMeaning{Name: pick(r.loc, m.Name), Text: pick(r.loc, m.Text), Source: sourceLink(st.snap, r.loc, g.In, m.Source)})
			}
			v.Terms = append(v.Terms, term)
		}
		return rendered(v.Page())
	}}, nil
}
