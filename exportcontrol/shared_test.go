package exportcontrol_test

import (
	"encoding/csv"
	"os"
	"strconv"
	"strings"
	"testing"

	"tianti/exportcontrol"
)

// contradictions are statements that their own figures contradict.
var contradictions = map[string]string{
	"NVIDIA A100 40GB SXM4":         "the vendor publishes a TPP of 3,822; its datasheet's 312 TFLOPS make 4,992, and its ECCN agrees",
	"NVIDIA IGX Thor DevKit + dGPU": "the vendor's ECCN is that of the kit; the figures are those of the card in it",
}

// TestStatusesFromTheFiguresBesideThem evaluates what is stated elsewhere from the figures that
// stand beside the statement, not from the catalogue's: the two ways have to agree, and
// products that the catalogue does not have are checked by this one alone.
func TestStatusesFromTheFiguresBesideThem(t *testing.T) {
	file, err := os.Open("../../shared/reference/export-status.csv")
	if err != nil {
		t.Skip(err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	column := map[string]int{}
	for i, name := range rows[0] {
		column[name] = i
	}
	decided := 0
	for _, row := range rows[1:] {
		at := func(name string) string { return row[column[name]] }
		amount := func(name string) exportcontrol.Amount {
			v, err := strconv.ParseFloat(at(name), 64)
			if err != nil {
				return exportcontrol.Amount{}
			}
			return exact(v)
		}
		vendor, _, _ := strings.Cut(at("product"), " ")
		it := &exportcontrol.Item{
			Vendor: vendor,
			Amounts: exportcontrol.Amounts{TPP: amount("tpp"), PerformanceDensity: amount("pd"),
				IO: amount(
					"io_gbps",
				), Memory: amount("mem_bw"), Datacenter: map[string]exportcontrol.Amount{"yes": exact(1), "no": exact(0)}[at("datacenter")]},
		}
		want, exception, _ := strings.Cut(at("expected_status"), "/")
		rule, ok := exportcontrol.Find(at("rule_id"))
		if !ok {
			t.Errorf("no rule %s", at("rule_id"))
			continue
		}
		res := exportcontrol.Evaluate(it, exportcontrol.Question{AsOf: at("date"), Destination: "CN"})
		e := res.Under(rule)
		switch {
		case e.Status == exportcontrol.Unknown, e.Status != exportcontrol.Status(want) && len(rule.Named) > 0:
			continue // the statement rests on more than these figures: a name, or what is not published
		case contradictions[at("product")] != "":
			if string(e.Status) == want {
				t.Errorf("%s: no contradiction any more", at("product"))
			}
		case string(e.Status) != want || (e.Exception != "") != (exception != ""):
			t.Errorf(
				"%s on %s under %s: %s %s from TPP %s, density %s, links %s, memory %s; stated %s",
				at("product"),
				at("date"),
				rule.ID,
				e.Status,
				e.Exception,
				it.TPP,
				it.PerformanceDensity,
				it.IO,
				it.Memory,
				at("expected_status"),
			)
		default:
			decided++
		}
	}
	if t.Logf("%d of %d", decided, len(rows)-1); decided < 30 {
		t.Errorf("only %d of %d statements were decided", decided, len(rows)-1)
	}
}
