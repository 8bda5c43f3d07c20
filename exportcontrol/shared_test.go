package exportcontrol_test

import (
	"encoding/csv"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"tianti/exportcontrol"
)

// contradictions are statements that their own figures contradict.
var contradictions = map[string]string{
	"NVIDIA A100 40GB SXM4": "the vendor publishes a TPP of 3,822; its datasheet's 312 TFLOPS make 4,992, " +
		"and its ECCN agrees",
	"NVIDIA IGX Thor DevKit + dGPU": "the vendor's ECCN is that of the kit; the figures are those of the card in it",
}

// stated reads what is stated elsewhere, one row a map; the test is skipped where it is absent.
func stated(t *testing.T) []map[string]string {
	t.Helper()
	file, err := os.Open("../../shared/reference/export-status.csv")
	if os.IsNotExist(err) { // of a second working tree
		file, err = os.Open("../../../shared/reference/export-status.csv")
	}
	if err != nil {
		t.Skip(err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var out []map[string]string
	for _, r := range rows[1:] {
		row := map[string]string{}
		for i, name := range rows[0] {
			row[name] = r[i]
		}
		out = append(out, row)
	}
	return out
}

func itemBeside(row map[string]string) *exportcontrol.Item {
	amount := func(name string) exportcontrol.Amount {
		v, err := strconv.ParseFloat(row[name], 64)
		if err != nil {
			return exportcontrol.Amount{}
		}
		return exact(v)
	}
	vendor, _, _ := strings.Cut(row["product"], " ")
	markets := map[string]exportcontrol.Amount{"yes": exact(1), "no": exact(0)}
	return &exportcontrol.Item{Vendor: vendor, Amounts: exportcontrol.Amounts{TPP: amount("tpp"),
		PerformanceDensity: amount(
			"pd",
		), IO: amount("io_gbps"), Memory: amount("mem_bw"), Datacenter: markets[row["datacenter"]]}}
}

// TestStatusesFromTheFiguresBesideThem evaluates what is stated elsewhere from the figures that
// stand beside the statement, not from the catalogue's: the two ways have to agree, and
// products that the catalogue does not have are checked by this one alone.
func TestStatusesFromTheFiguresBesideThem(t *testing.T) {
	counts := map[string]int{}
	for _, row := range stated(t) {
		rule, ok := exportcontrol.Find(row["rule_id"])
		if !ok {
			t.Errorf("no rule %s", row["rule_id"])
			continue
		}
		it := itemBeside(row)
		res := exportcontrol.Evaluate(it, exportcontrol.Question{AsOf: row["date"], Destination: "CN"})
		counts[compareStated(t, row, it, res.Under(rule))]++
	}
	if t.Log(counts); counts["figures"] < 40 {
		t.Errorf("%v: few statements were decided by figures", counts)
	}
}

// compareStated says by what a statement holds: figures, a name, or that what decides was not
// published, in which case it is among what the status may be.
func compareStated(t *testing.T, row map[string]string, it *exportcontrol.Item, e exportcontrol.Evaluation) string {
	t.Helper()
	want, exception, _ := strings.Cut(row["expected_status"], "/")
	status := exportcontrol.Status(want)
	named := slices.ContainsFunc(e.Rule.Named, func(n exportcontrol.Named) bool { return n.Status == status })
	switch {
	case contradictions[row["product"]] != "":
		if e.Status == status {
			t.Errorf("%s: no contradiction any more", row["product"])
		}
		return "contradiction"
	case e.Status == status && (e.Exception != "") == (exception != ""):
		return "figures"
	case named && e.Status != status:
		return "name" // which card the rule names is compared with the catalogue's ids
	case e.Status == exportcontrol.Unknown && (slices.Contains(e.Possible, status) ||
		status == exportcontrol.LicenceRequired &&
			slices.Contains(e.Possible, exportcontrol.A)):
		return "not published"
	}
	t.Errorf(
		"%s on %s under %s: %s %s, may be %v, from TPP %s, density %s, links %s, memory %s; stated %s",
		row["product"],
		row["date"],
		e.Rule.ID,
		e.Status,
		e.Exception,
		e.Possible,
		it.TPP,
		it.PerformanceDensity,
		it.IO,
		it.Memory,
		row["expected_status"],
	)
	return "wrong"
}

// TestEveryStatementIsInTheTable: what is shown on the page is all of what is stated elsewhere of
// cards of the catalogue.
func TestEveryStatementIsInTheTable(t *testing.T) {
	elsewhere := []string{"AMD MI309 (undisclosed)", "Intel Gaudi3 HL-328 (China)", "NVIDIA DRIVE P2021 GPU module",
		"NVIDIA IGX Thor DevKit + dGPU", "NVIDIA Rubin (per GPU)"}
	for _, row := range stated(t) {
		want, exception, _ := strings.Cut(row["expected_status"], "/")
		found := slices.ContainsFunc(exportcontrol.Statements(), func(s exportcontrol.Statement) bool {
			return s.Day == row["date"] && s.Rule.ID == row["rule_id"] && string(s.Status) == want &&
				s.Exception == (exception != "")
		})
		if !found && !slices.Contains(elsewhere, row["product"]) {
			t.Errorf(
				"%s on %s under %s: %s is not in the table",
				row["product"],
				row["date"],
				row["rule_id"],
				row["expected_status"],
			)
		}
	}
}
