package exportcontrol_test

import (
	"fmt"

	"tianti/exportcontrol"
)

// exampleItem is an accelerator for data centres, described by its figures.
func exampleItem() *exportcontrol.Item {
	known := func(v float64) exportcontrol.Amount {
		return exportcontrol.Amount{Value: v, Known: exportcontrol.Exact}
	}
	return &exportcontrol.Item{Amounts: exportcontrol.Amounts{
		TPP:                known(4992), // tera-operations per second × bits
		PerformanceDensity: known(6.04), // TPP for each mm² of die
		IO:                 known(464),  // GB/s
		Memory:             known(2039), // GB/s
		Datacenter:         known(1),
	}}
}

// The verdict is that of the strictest rule that counts on the day, and every comparison
// that led to it is written down.
func ExampleEvaluate() {
	item := exampleItem()
	for _, day := range []string{"2022-12-01", "2023-12-01"} {
		result := exportcontrol.Evaluate(item, exportcontrol.Question{AsOf: day, Destination: "CN"})
		fmt.Println(day, result.Verdict)
		for _, e := range result.Evaluations {
			fmt.Printf("  %s: %s, in scope by %s\n", e.Rule.ID, e.Status, e.Ground)
			for _, c := range e.Comparisons {
				if c.Outcome == exportcontrol.A || c.Outcome == exportcontrol.Controlled {
					fmt.Println("   ", c)
				}
			}
		}
	}
	// Output:
	// 2022-12-01 not_controlled
	//   US-BIS-2022-3A090: not_controlled, in scope by destination
	//     3A090.a: interconnect_gb_s 464 ≥ 600: no
	//     3A090.a: tpp 4992 ≥ 4800: yes
	// 2023-12-01 presumption_of_denial
	//   CN-CAC-MICRON-2023: not_applicable, in scope by destination
	//   US-BIS-2023-3A090: 3A090.a, in scope by group
	//     a.1: tpp 4992 ≥ 4800: yes
	//     a.2: tpp 4992 ≥ 1600: yes
	//     a.2: performance_density 6.04 ≥ 5.92: yes
}

// A figure that is not known never counts in the item's favour: where it may decide, the
// result says what is missing.
func ExampleEvaluate_unknown() {
	item := exampleItem()
	item.TPP.Value = 2000
	item.PerformanceDensity = exportcontrol.Amount{} // the area of its die is not known
	result := exportcontrol.Evaluate(item, exportcontrol.Question{AsOf: "2023-12-01", Destination: "CN"})
	fmt.Println(result.Verdict)
	for _, e := range result.Evaluations {
		fmt.Println(e.Rule.ID, e.Status, e.Possible, e.Missing)
	}
	// Output:
	// unknown
	// CN-CAC-MICRON-2023 not_applicable [] []
	// US-BIS-2023-3A090 unknown [3A090.a 3A090.b not_3A090] [performance_density]
}

// A history lists the days on which the verdict changed, and the rules behind it.
func ExampleHistory() {
	for _, change := range exportcontrol.History(exampleItem(), exportcontrol.Question{AsOf: "2025-12-31",
		Destination: "CN"}) {
		fmt.Print(change.Day, " ", change.Verdict)
		for _, rule := range change.Because {
			fmt.Print(" ", rule.ID)
		}
		fmt.Println()
	}
	// Output:
	// 2022-01-01 not_controlled
	// 2023-10-23 licence_required US-LETTER-2023-10-23
	// 2023-11-17 presumption_of_denial US-BIS-2023-3A090
}
