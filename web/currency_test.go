package web_test

import (
	"encoding/csv"
	"slices"
	"strings"
	"testing"
)

func TestTablesOfPricesSayTheirCurrency(t *testing.T) {
	s := ladderServer(t)
	for target, want := range map[string]string{
		"/cards.csv?fields=buy_price":              "USD",
		"/cards.csv?fields=buy_price&currency=JPY": "JPY",
		"/zh/cards.csv?fields=memory_gb,buy_price": "CNY",
		"/ladders/buy_price.csv":                   "USD",
		"/zh/ladders/buy_price.csv":                "CNY",
		"/cards.csv":                               "",
		"/ladders/fp32_vector_tflops.csv":          "",
	} {
		rows, err := csv.NewReader(strings.NewReader(bodyOf(t, get(t, s, target)))).ReadAll()
		if err != nil || len(rows) < 2 {
			t.Fatalf("%s: %d rows, %v", target, len(rows), err)
		}
		at := slices.Index(rows[0], "currency")
		if got := at >= 0; got != (want != "") {
			t.Errorf("%s: a column of currencies %t in %q, want %t", target, got, rows[0], want != "")
		} else if got && rows[1][at] != want {
			t.Errorf("%s: in %s, want %s", target, rows[1][at], want)
		}
	}
	if document := bodyOf(t, get(t, s, "/zh/cards.md?fields=buy_price")); !strings.Contains(document, "(CNY)") {
		t.Errorf("got %q, want a heading with the currency", document)
	}
}

func TestPricesInAFilterMeanTheSameInTheOtherLanguage(t *testing.T) {
	s := ladderServer(t)
	for target, want := range map[string]string{
		"/cards?buy_price=..500":                      "/zh/cards?buy_price=..500&amp;currency=USD",
		"/ladders/fp32_vector_tflops?buy_price=..500": "/zh/ladders/fp32_vector_tflops?buy_price=..500&amp;currency=USD",
		"/plot?buy_price=..500":                       "/zh/plot?buy_price=..500&amp;currency=USD",
		"/prices?buy_price=..500":                     "/zh/prices?buy_price=..500&amp;currency=USD",
		"/ladders/fp32_vector_tflops?segment=desktop": "/zh/ladders/fp32_vector_tflops?segment=desktop",
	} {
		if !strings.Contains(bodyOf(t, get(t, s, target)), `"`+want+`"`) {
			t.Errorf("%s does not lead to %s", target, want)
		}
	}
}

func TestColumnsOfAPlotHaveNamesOfTheirOwn(t *testing.T) {
	head, _, _ := strings.Cut(bodyOf(t, get(t, ladderServer(t), "/plot.csv")), "\n")
	names := strings.Split(strings.TrimSpace(head), ",")
	slices.Sort(names)
	if n := len(slices.Compact(slices.Clone(names))); n != len(names) {
		t.Errorf("got %q, want each name once", names)
	}
}
