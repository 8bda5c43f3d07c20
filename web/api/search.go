package api

import "tianti/catalog"

// SearchAnswer is what a search found.
type SearchAnswer struct {
	Envelope
	Query       string      `json:"query" example:"昇腾 910B"`
	Items       []SearchHit `json:"items" doc:"the likeliest first"`
	Suggestions []SearchHit `json:"suggestions" doc:"cards with names near to the text, when it finds nothing"`
	Answers     []Asked     `json:"answers" doc:"pages that answer what is asked besides a card; empty where nothing is"`
	Pending     bool        `json:"pending,omitempty" doc:"models are not read yet: ask again for answers about them"`
}

// Asked is a page that answers what a search asks for besides a card.
type Asked struct {
	Kind  string    `json:"kind" enum:"compare,prices,export,recommend,estimate,serve,mine,ladder,most,live,cards"`
	Cards []CardRef `json:"cards" doc:"that it is about"`
	Count int       `json:"count,omitempty" doc:"how many of the card, where that is said"`
	Model string    `json:"model,omitempty" example:"Qwen3-32B"`
	Task  string    `json:"task,omitempty" example:"inference"`
	Found int       `json:"found,omitempty" doc:"of kind cards: how many there are"`
	Path  string    `json:"path" example:"/compare?card=nvidia-geforce-rtx-5090&card=nvidia-geforce-rtx-4090"`
}

// SearchHit is a card that a search found.
type SearchHit struct {
	CardRef
	Segment  string   `json:"segment" example:"datacenter"`
	MemoryGB *float64 `json:"memory_gb,omitempty" doc:"absent when unknown"`
	PowerW   *float64 `json:"tdp_w,omitempty" doc:"absent when unknown"`
	Launched string   `json:"launched,omitempty" example:"2022-09-20"`
	Standing string   `json:"standing" doc:"sold, announced, cancelled, internal or built-in"`
}

// Search puts rows that a search found into the shape of the API.
func Search(s *catalog.Snapshot, query string, found, near []int, answers []Asked) SearchAnswer {
	return SearchAnswer{Envelope: EnvelopeOf(s), Query: query, Items: hits(s, found), Suggestions: hits(s, near),
		Answers: answers}
}

// CardRefs name cards.
func CardRefs(s *catalog.Snapshot, rows []int) []CardRef {
	out := make([]CardRef, len(rows))
	for i, row := range rows {
		out[i] = cardRef(s, row)
	}
	return out
}

func hits(s *catalog.Snapshot, rows []int) []SearchHit {
	out := make([]SearchHit, 0, len(rows))
	for _, row := range rows {
		h := SearchHit{CardRef: cardRef(s, row), Segment: s.Card(row).Segment, Standing: s.Standing(row)}
		h.MemoryGB, h.PowerW = known(s, "memory_gb", row), known(s, "tdp_w", row)
		h.Launched, _ = s.Text(quantity("launched"), row)
		out = append(out, h)
	}
	return out
}

// known is a number of a card, nil where no source gives it.
func known(s *catalog.Snapshot, id string, row int) *float64 {
	v, ok := s.Number(quantity(id), row)
	if !ok {
		return nil
	}
	return &v
}

// quantity is for ids that the program itself names.
func quantity(id string) *catalog.Quantity {
	q, ok := catalog.LookupQuantity(id)
	if !ok {
		panic("api: no quantity " + id)
	}
	return q
}
