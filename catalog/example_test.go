package catalog_test

import (
	"fmt"
	"net/url"

	"tianti/catalog"
)

// exampleCatalogue holds three cards of a maker that does not exist, from one datasheet.
func exampleCatalogue() *catalog.Snapshot {
	fact := func(quantity string, v float64) catalog.Fact {
		return catalog.Fact{Quantity: quantity, Number: v, Source: "sheet"}
	}
	card := func(id, name, memory string, facts ...catalog.Fact) catalog.Card {
		facts = append(facts, catalog.Fact{Quantity: "memory_type", Text: memory, Source: "sheet"})
		return catalog.Card{ID: id, Name: name, Vendor: "Acme", Kind: "gpu", Segment: "datacenter", Facts: facts}
	}
	one := card("acme-one-80gb", "One 80GB", "HBM3", fact("memory_gb", 80), fact("tdp_w", 350))
	one.PCIIDs = []string{"1234:5678"}
	return catalog.NewSnapshot(1, catalog.Dataset{
		ID:      "example",
		Sources: []catalog.Source{{ID: "sheet", Publisher: "Acme", Title: "Datasheet", Kind: "datasheet"}},
		Cards: []catalog.Card{
			one,
			card("acme-one-160gb", "One 160GB", "HBM3", fact("memory_gb", 160), fact("tdp_w", 700)),
			card("acme-mini", "Mini", "GDDR6", fact("memory_gb", 24)), // its power is not known
		},
	})
}

func Example() {
	s := exampleCatalogue()
	q, _ := s.ParseQuery(url.Values{"memory_gb": {"24..100"}, "sort": {"-memory_gb"}})
	answer := s.Select(&q, 10)
	memory, _ := catalog.LookupQuantity("memory_gb")
	for _, row := range answer.Rows {
		gb, _ := s.Number(memory, row)
		fmt.Println(s.Card(row).Name, gb, memory.Unit)
	}
	// Output:
	// One 80GB 80 GB
	// Mini 24 GB
}

// The canonical address of a query is the same for all spellings of it, and what is
// wrong with one is said with the nearest valid names.
func ExampleSnapshot_ParseQuery() {
	s := exampleCatalogue()
	address, _ := url.ParseQuery("sort=-memory_gb&tdp_w= .. 400&memory_type=hbm3&limit=")
	q, errs := s.ParseQuery(address)
	fmt.Println(q.Encode(), errs)

	_, errs = s.ParseQuery(url.Values{"memory_type": {"HBM2"}, "tpd_w": {"400"}})
	for _, err := range errs {
		fmt.Println(err)
	}
	// Output:
	// tdp_w=..400&memory_type=HBM3&sort=-memory_gb []
	// unknown_value: memory_type=HBM2; allowed: GDDR6, HBM3; nearest: HBM3
	// unknown_parameter: tpd_w; nearest: tdp_w
}

// A card of which a figure is not known passes no range of it and stands last in both
// directions.
func ExampleSnapshot_Select() {
	s := exampleCatalogue()
	for _, ask := range []string{"sort=tdp_w", "sort=-tdp_w", "tdp_w=!700", "tdp_w=none",
		"memory_type=HBM3&tdp_w=>400", "q=one+80"} {
		address, _ := url.ParseQuery(ask)
		q, _ := s.ParseQuery(address)
		fmt.Print(ask, ":")
		for _, row := range s.Select(&q, 10).Rows {
			fmt.Print(" ", s.Card(row).ID)
		}
		fmt.Println()
	}
	// Output:
	// sort=tdp_w: acme-one-80gb acme-one-160gb acme-mini
	// sort=-tdp_w: acme-one-160gb acme-one-80gb acme-mini
	// tdp_w=!700: acme-one-80gb
	// tdp_w=none: acme-mini
	// memory_type=HBM3&tdp_w=>400: acme-one-160gb
	// q=one+80: acme-one-80gb
}

// A facet counts the values of a category among the cards that pass all other filters.
func ExampleSnapshot_Facet() {
	s := exampleCatalogue()
	q, _ := s.ParseQuery(url.Values{"memory_type": {"GDDR6"}, "memory_gb": {"..100"}})
	memoryType, _ := catalog.LookupQuantity("memory_type")
	for _, value := range s.Facet(s.Select(&q, 10), memoryType) {
		fmt.Println(value.Value, value.Cards, value.Selected)
	}
	// Output:
	// GDDR6 1 true
	// HBM3 1 false
}

// Names resolve exactly or not at all, without case and punctuation; a PCI id may bear
// its subsystem. What does not resolve has suggestions for a reader to choose from.
func ExampleSnapshot_Resolve() {
	s := exampleCatalogue()
	for _, name := range []string{"acme-mini", "ACME One 80 GB", "1234:5678:0000:0001", "One"} {
		fmt.Print(name, ":")
		for _, row := range s.Resolve(name) {
			fmt.Print(" ", s.Card(row).ID)
		}
		fmt.Println()
	}
	fmt.Print("perhaps:")
	for _, row := range s.Suggest("One", 5) {
		fmt.Print(" ", s.Card(row).ID)
	}
	// Output:
	// acme-mini: acme-mini
	// ACME One 80 GB: acme-one-80gb
	// 1234:5678:0000:0001: acme-one-80gb
	// One:
	// perhaps: acme-one-160gb acme-one-80gb
}
