package seed

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tianti/catalog"
)

const priceTable = `card,kind,amount,currency,unit,cards,term_months,seller,instance,region,tax,date,source,note_en,note_zh
a-1,on_demand,98.32,USD,hour,8,,AWS,p5.48xlarge,us-east-1,excluded,2023-07-26,s,,
a-1,server,2300000,CNY,node,8,,,,CN,,2023-10,s,"whole server, form not stated",整机，规格未注明
`

const rateTable = "date,base,quote,rate,source\n2023-05-25,EUR,USD,1.0735,s\n"

// tables are those in a file of YAML.
var tables = "\nprices: |\n  " + strings.ReplaceAll(strings.TrimSpace(priceTable), "\n", "\n  ") + "\n"

const priced = `sources:
  s: {publisher: P, title: T, url: "https://example.org/x", kind: press}
cards:
  - {id: a-1, name: A, vendor: V, kind: gpu, segment: desktop, facts: [{source: s, memory_gb: 8}]}
`

func TestDecodeReadsTablesOfPricesAndRates(t *testing.T) {
	want := []catalog.Price{
		{Card: "a-1", Kind: catalog.OnDemand, Amount: catalog.Money{Micros: 98_320_000, Currency: "USD"},
			Unit: catalog.PerHour, Cards: 8,
			Seller: "AWS", Instance: "p5.48xlarge", Region: "us-east-1", Tax: catalog.TaxExcluded,
			Date: "2023-07-26", Source: "s"},
		{Card: "a-1", Kind: catalog.ServerPrice, Amount: catalog.Money{Micros: 2_300_000_000_000, Currency: "CNY"},
			Unit: catalog.PerNode, Cards: 8,
			Region: "CN", Date: "2023-10", Source: "s", Note: catalog.Text{En: "whole server, form not stated",
				Zh: "整机，规格未注明"}},
	}
	for name, files := range map[string][]File{
		"files": {{"a.yaml", []byte(priced)}, {"p.csv", []byte(priceTable)}, {"r.csv", []byte(rateTable)}},
		"in YAML": {{"a.yaml", []byte(priced + tables + "\nrates: |\n  " +
			strings.ReplaceAll(strings.TrimSpace(rateTable), "\n", "\n  ") + "\n")}},
	} {
		t.Run(name, func(t *testing.T) {
			d, problems := Decode(files)
			if len(problems) > 0 {
				t.Fatal(problems)
			}
			if diff := cmp.Diff(want, d.Prices, equalData); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
			if len(d.Rates) != 1 || d.Rates[0].Rate != "1.0735" {
				t.Errorf("got rates %v", d.Rates)
			}
		})
	}
}

func TestDecodeSaysWhatIsWrongWithARowAndWhere(t *testing.T) {
	head, _, _ := strings.Cut(priceTable, "\n")
	for _, tt := range []struct{ row, want string }{
		{"a-1,bid,1,USD,card,1,,,,,,2024-01-01,s,,",
			`p.csv:2:1: kind: "bid" is no kind of price; want one of launch, street`},
		{"a-1,street,1,USD,hour,1,,,,,,2024-01-01,s,,",
			`p.csv:2:1: unit: "hour" is not what a price of kind street is for; want card`},
		{"a-1,street,-1,USD,card,1,,,,,,2024-01-01,s,,", `p.csv:2:1: amount: "-1" is not an amount`},
		{"a-1,street,1e3,USD,card,1,,,,,,2024-01-01,s,,", `"1e3" is not an amount`},
		{"a-1,street,0,USD,card,1,,,,,,2024-01-01,s,,", `"0" is out of range`},
		{"a-1,street,1,RMB,card,1,,,,,,2024-01-01,s,,", `"RMB" is no ISO 4217 code`},
		{"a-1,street,1,USD,card,2,,,,,,2024-01-01,s,,", "cards: a price for a card is for one, not 2"},
		{"a-1,street,1,USD,card,x,,,,,,2024-01-01,s,,", `cards: "x" is not a whole number`},
		{"a-1,street,1,USD,card,1,12,,,,,2024-01-01,s,,", "term_months: 12 is no term"},
		{"a-1,street,1,USD,card,1,,,,,maybe,2024-01-01,s,,", `tax: "maybe"`},
		{"a-1,street,1,USD,card,1,,,,,,2024,s,,", `date: "2024" is only a year`},
		{"a-1,street,1,USD,card,1,,,,,,2024-02-30,s,,", `date: "2024-02-30" is not a date`},
		{"a-1,street,1,USD,card,1,,,,,,2024-01-01,t,,", `unknown source "t"`},
		{"a-2,street,1,USD,card,1,,,,,,2024-01-01,s,,", `unknown card "a-2"; nearest: a-1`},
		{"a-1,street,1,USD,card,1,,,,,,2024-01-01,s,only English,", "note: a note has both languages"},
		{"a-1,street,1,USD", "p.csv:2:1: the table cannot be read: wrong number of fields"},
		{`a-1,street,"1,USD`, "the table cannot be read"},
	} {
		_, problems := Decode([]File{{"a.yaml", []byte(priced)}, {"p.csv", []byte(head + "\n" + tt.row + "\n")}})
		if len(problems) != 1 || !strings.Contains(strings.Replace(problems[0].Error(), "a-1: ", "", 1), tt.want) {
			t.Errorf("%s: got %v, want %q", tt.row, problems, tt.want)
		}
	}
}

func TestDecodeRefusesATableWithAWrongHeader(t *testing.T) {
	for _, tt := range []struct{ table, want string }{
		{"", "the table is empty"},
		{"card,price\n", `unknown column "price"`},
		{"card,kind,kind\n", `the column "kind" stands twice`},
		{"card,kind,amount,currency,unit,date\n", `the column "source" is missing`},
		{"date,base,quote,rate\n", `the column "source" is missing`},
	} {
		_, problems := Decode([]File{{"a.yaml", []byte(priced)}, {"p.csv", []byte(tt.table)}})
		if len(problems) != 1 || !strings.Contains(problems[0].Error(), tt.want) {
			t.Errorf("%q: got %v, want %q", tt.table, problems, tt.want)
		}
	}
}

func FuzzDecodePrices(f *testing.F) {
	f.Add([]byte(priceTable))
	f.Add([]byte(rateTable))
	f.Add([]byte("card,kind,amount,currency,unit,date,source\na-1,spot,0.000001,JPY,hour,2024-05,s\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		d, problems := Decode([]File{{"a.yaml", []byte(priced)}, {"p.csv", text}})
		for _, p := range problems {
			if p.Pos.Line < 1 || p.Msg == "" || p.Rule == "" {
				t.Errorf("problem without a place or a message: %+v", p)
			}
		}
		if len(problems) > 0 {
			return
		}
		again, problems := Decode([]File{{"x.yaml", encode(t, d)}})
		if len(problems) > 0 {
			t.Fatalf("what was accepted is refused: %v", problems)
		}
		if diff := cmp.Diff(d, again, equalData); diff != "" {
			t.Errorf("-first +again\n%s", diff)
		}
	})
}
