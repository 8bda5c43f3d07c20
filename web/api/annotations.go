package api

import (
	"math"

	"tianti/catalog"
)

// ArchitectureList is the answer of GET /architectures.
type ArchitectureList struct {
	Envelope
	Items   []architecture         `json:"items" doc:"line by line, each from the first generation to the latest"`
	Sources map[string]SourceEntry `json:"sources" doc:"the sources named above, by key"`
}

// architecture is one generation with its announcement and its largest chip.
type architecture struct {
	ID         string               `json:"id" example:"nvidia-hopper"`
	Vendor     string               `json:"vendor"`
	Name       string               `json:"name"`
	Line       string               `json:"line" doc:"what it is a generation of" example:"AMD CDNA"`
	Cards      []string             `json:"cards" doc:"ids of its cards, the earliest first"`
	Figures    map[string]Figure    `json:"figures" doc:"of its largest chip, by metric id"`
	Attributes map[string]Attribute `json:"attributes" doc:"texts and dates, by attribute id"`
	Unit       []statement          `json:"unit" doc:"what one compute unit is made of"`
	Introduced []statement          `json:"introduced" doc:"what the generation brought"`
}

// statement is a sentence with its source.
type statement struct {
	catalog.Text
	Source string `json:"source" doc:"key in sources"`
}

// measuredFigure is what somebody reached on a card.
type measuredFigure struct {
	Metric     string        `json:"metric" example:"bf16_matrix_dense_tflops"`
	Value      float64       `json:"value"`
	Unit       string        `json:"unit,omitempty"`
	Rated      float64       `json:"rated,omitempty" doc:"the rated figure of the same metric; absent when there is none"`
	Share      float64       `json:"share,omitempty" doc:"value over rated"`
	Conditions catalog.Text  `json:"conditions" doc:"what was run, with what"`
	Note       *catalog.Text `json:"note,omitempty"`
	Source     string        `json:"source"`
	Dataset    string        `json:"dataset"`
	AsOf       string        `json:"as_of,omitempty" doc:"date of the source"`
}

// claim is what somebody says of cards in words.
type claim struct {
	ID     string        `json:"id"`
	Text   catalog.Text  `json:"text"`
	By     catalog.Text  `json:"by" doc:"who says so"`
	Said   string        `json:"said,omitempty" doc:"when"`
	Note   *catalog.Text `json:"note,omitempty" doc:"what the figures here say to it"`
	Cards  []string      `json:"cards" doc:"ids of the cards that it speaks of"`
	Source string        `json:"source"`
}

// Architectures returns generations: the given ones, or all.
func Architectures(s *catalog.Snapshot, chosen []catalog.GenerationInfo) ArchitectureList {
	if len(chosen) == 0 {
		chosen = s.Generations()
	}
	list := ArchitectureList{Envelope: EnvelopeOf(s), Items: []architecture{}, Sources: map[string]SourceEntry{}}
	for _, g := range chosen {
		list.Items = append(list.Items, list.architecture(s, g))
	}
	return list
}

func (list *ArchitectureList) architecture(s *catalog.Snapshot, g catalog.GenerationInfo) architecture {
	out := architecture{ID: g.ID, Vendor: g.Vendor, Name: g.Name, Line: g.Line, Cards: []string{},
		Figures: map[string]Figure{}, Attributes: map[string]Attribute{},
		Unit: list.statements(s, g.In, g.Unit), Introduced: list.statements(s, g.In, g.Introduced)}
	for _, row := range g.Rows {
		out.Cards = append(out.Cards, s.Card(row).ID)
	}
	for id, f := range g.Figures {
		for _, v := range append([]catalog.Value{f.Shown}, f.Others...) {
			if v.Source != nil {
				list.Sources[sourceKey(v)] = sourceEntry(v.Source)
			}
		}
		q, _ := catalog.LookupQuantity(id)
		switch {
		case f.Shown.Quantity == nil:
		case q.Kind == catalog.Number:
			out.Figures[id] = figure(q, f)
		default:
			out.Attributes[id] = attribute(f)
		}
	}
	return out
}

func (list *ArchitectureList) statements(s *catalog.Snapshot, in catalog.In, from []catalog.Statement) []statement {
	out := []statement{}
	for _, st := range from {
		key := cite(s, in, st.Source, list.Sources)
		out = append(out, statement{st.Text, key})
	}
	return out
}

// cite adds a source that an annotation names to the sources of an answer and
// returns its key; it is "" for one that the dataset lacks.
func cite(s *catalog.Snapshot, in catalog.In, id string, sources map[string]SourceEntry) string {
	src := s.SourceOf(in, id)
	if src == nil {
		return ""
	}
	key := sourceKey(catalog.Value{Source: src, Dataset: &s.Datasets()[in.Dataset]})
	sources[key] = sourceEntry(src)
	return key
}

// annotate adds what was measured and what is said of card i.
func (d *CardDetail) annotate(s *catalog.Snapshot, i int) {
	d.Measured, d.Claims = []measuredFigure{}, []claim{}
	for _, m := range s.Measured(i) {
		d.Sources[sourceKey(m.Value)] = sourceEntry(m.Source)
		d.Measured = append(d.Measured, measuredFigure{Metric: m.Quantity.ID, Value: m.Number, Unit: m.Quantity.Unit,
			Rated: m.Rated, Share: math.Round(10_000*m.Share()) / 10_000,
			Conditions: m.Conditions, Note: textOrNil(m.Note), Source: sourceKey(m.Value), Dataset: m.Dataset.ID,
			AsOf: string(m.Source.Published)})
	}
	for _, c := range s.ClaimsOf(i) {
		d.Claims = append(d.Claims, claim{ID: c.ID, Text: c.Text, By: c.By, Said: string(c.Said),
			Note: textOrNil(c.Note), Cards: c.Cards, Source: cite(s, c.In, c.Claim.Source, d.Sources)})
	}
}
