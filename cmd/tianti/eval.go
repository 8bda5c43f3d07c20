package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/alecthomas/kong"

	"tianti/sizing"
)

// evalCmd is tianti eval.
type evalCmd struct {
	Memory evalMemory `cmd:"" help:"Score estimates of memory."`
	Speed  evalSpeed  `cmd:"" help:"Score estimates of speed."`
}

type evalMemory struct{ evalKind }

type evalSpeed struct{ evalKind }

// Run scores the rows that measured memory.
func (c *evalMemory) Run(e *env) error { return c.run(e, (*sizing.Estimator).ReadMemory) }

// Run scores the rows that measured a speed or a time.
func (c *evalSpeed) Run(e *env) error { return c.run(e, (*sizing.Estimator).ReadSpeeds) }

// evalKind is what tianti eval memory and tianti eval speed have in common.
type evalKind struct {
	Cases    string `required:"" placeholder:"FILE" predictor:"file" help:"${cases_help}"`
	JSON     bool   `name:"json" help:"Print one JSON object with every case instead of a summary."`
	LeaveOut string `default:"itself" enum:"none,${leave_outs}" placeholder:"WHAT" help:"${leave_out_help}"`
}

// evalHelp is the help of flags that is too long for their tags.
var evalHelp = kong.Vars{
	"cases_help": "Table of measured runs, CSV; - is standard input.",
	"leave_outs": joined(sizing.LeaveOuts, ","),
	"leave_out_help": "Runs of the program that are no evidence for a row: itself (unless given), all of the same " +
		"framework_model, card, framework or source; none.",
	"calibrate_out_help":      "Write the calibration into this folder; it is only reported unless given.",
	"calibrate_quantity_help": "Fit only ${quantities}; the others stay as they are.",
	"quantities":              joined(sizing.Quantities, ","),
}

// joined are words in one string.
func joined[T ~string](words []T, separator string) string {
	var out []string
	for _, w := range words {
		out = append(out, string(w))
	}
	return strings.Join(out, separator)
}

// Help is the manual of tianti eval.
func (evalKind) Help() string {
	return `Reads a table of measured runs and compares them with what the program
estimates for them: the errors by load of serving, task, framework and card,
or with --json every case. Models, cards and frameworks are named as people write them.
docs/cases.md describes the columns.

With --leave-out, what the program knows of the same card, framework or source
counts as never measured; the constants of the formulas stay as they are (tianti
calibrate fits them again, and /accuracy shows the result).

Of a row that measured memory and speed each of the two commands scores its own.
A row that cannot be read is listed with its line, its column and the reason;
the rest is scored. Predictions are in the unit of the row: GB or GiB of one
card, tokens per second, or minutes.

Examples:

    tianti eval memory --cases mine.csv
    tianti eval speed --cases mine.csv --leave-out card
    tianti eval speed --cases mine.csv --json | jq '.cases[] | select(.skipped)'`
}

// evaluated is the answer of tianti eval as JSON.
type evaluated struct {
	Cases    []evaluatedCase `json:"cases"`
	Problems []casesProblem  `json:"problems,omitempty"`
}

// evaluatedCase is one case. A missing value is null.
type evaluatedCase struct {
	ID        string   `json:"id"`
	Predicted *float64 `json:"predicted"`
	Low       *float64 `json:"low"`
	High      *float64 `json:"high"`
	Verdict   *string  `json:"verdict"`
	Measured  *float64 `json:"measured"`
	Unit      string   `json:"unit"`
	Tier      *string  `json:"tier"`
	Skipped   *string  `json:"skipped"` // why there is no prediction
}

type casesProblem struct {
	Line   int    `json:"line"`
	ID     string `json:"id,omitempty"`
	Field  string `json:"field,omitempty"`
	Reason string `json:"reason"`
}

// run evaluates the rows that read takes and reports. Invalid rows are reported; a table without a row is an error.
func (c *evalKind) run(e *env, read func(*sizing.Estimator, io.Reader) ([]sizing.Case, []sizing.Problem)) error {
	in := io.Reader(os.Stdin)
	if c.Cases != "-" {
		f, err := os.Open(c.Cases)
		if err != nil {
			return readError(c.Cases, err)
		}
		defer f.Close()
		in = f
	}
	a, err := builtinSizing()
	if err != nil {
		return err
	}
	cases, problems := read(a, in)
	way := sizing.LeaveOut(c.LeaveOut)
	if way == "none" {
		way = ""
	}
	results := a.Evaluate(cases, way)
	if c.JSON {
		err = printCases(e.stdout, results, problems)
	} else {
		err = printErrors(e.stdout, results, problems)
	}
	if err == nil && len(cases) == 0 {
		err = fmt.Errorf("%s has no such row that can be read", c.Cases)
	}
	return err
}

func printCases(w io.Writer, results []sizing.Result, problems []sizing.Problem) error {
	out := evaluated{Cases: []evaluatedCase{}}
	for _, r := range results {
		c := evaluatedCase{ID: r.Case.ID, Unit: r.Case.Unit, Skipped: known(r.Skipped)}
		c.Verdict, c.Tier = known(string(r.Verdict)), known(string(r.Tier))
		c.Predicted, c.Low, c.High, c.Measured = known(r.Predicted), known(r.Low), known(r.High), known(r.Measured)
		out.Cases = append(out.Cases, c)
	}
	for _, p := range problems {
		out.Problems = append(out.Problems, casesProblem(p))
		if p.ID != "" {
			out.Cases = append(out.Cases, evaluatedCase{ID: p.ID, Skipped: known(p.Error())})
		}
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(out)
}

// known is nil for 0 and "", which are no measurement, no estimate and no text.
func known[T comparable](v T) *T {
	if v == *new(T) {
		return nil
	}
	return &v
}

// printErrors prints the scores by group.
func printErrors(w io.Writer, results []sizing.Result, problems []sizing.Problem) error {
	for _, p := range problems {
		fmt.Fprintln(w, p.Error())
	}
	groups := []struct {
		name string
		of   func(*sizing.Case) string
	}{
		{"all", func(c *sizing.Case) string { return string(c.Quantity) }},
		{"load", func(c *sizing.Case) string {
			if load := c.Load(); load != "" {
				return string(c.Quantity) + ", " + string(load)
			}
			return ""
		}},
		{"task", func(c *sizing.Case) string { return string(c.Workload.Task) }},
		{"framework", func(c *sizing.Case) string { return c.Workload.Framework }},
		{"card", func(c *sizing.Case) string {
			if c.Card == nil {
				return "–"
			}
			return c.Card.Name
		}},
	}
	scored := slices.DeleteFunc(slices.Clone(results), func(r sizing.Result) bool { return !r.Case.Trusted })
	if n := len(results) - len(scored); n > 0 {
		fmt.Fprintf(w, "%s with score_ok “no” left out of the scores\n", counted(n, "row"))
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "\t\tcases\tmean\tmedian\twithin 10 %\tcovered\twidth\tverdict right\t")
	for _, g := range groups {
		in := map[string][]sizing.Result{}
		for _, r := range scored {
			if name := g.of(r.Case); name != "" {
				in[name] = append(in[name], r)
			}
		}
		names := make([]string, 0, len(in))
		for name := range in {
			names = append(names, name)
		}
		slices.SortFunc(names, func(a, b string) int {
			return cmp.Or(cmp.Compare(len(in[b]), len(in[a])), cmp.Compare(a, b))
		})
		for _, name := range names {
			printGroup(t, g.name, name, in[name])
		}
	}
	return t.Flush()
}

func printGroup(t *tabwriter.Writer, group, name string, results []sizing.Result) {
	var ps []sizing.Prediction
	judged, right := 0, 0
	for _, r := range results {
		if r.Skipped != "" {
			continue
		}
		if r.Measured > 0 {
			p := sizing.Prediction{Case: r.Case, Tier: r.Tier}
			scale := r.Case.Measured / r.Measured
			p.Range = sizing.Range{Low: r.Low * scale, Expected: r.Predicted * scale, High: r.High * scale}
			ps = append(ps, p)
		}
		if r.Verdict != "" {
			judged++
			if r.Verdict == sizing.Borderline || (r.Verdict == sizing.Fits) == r.Case.Ran {
				right++
			}
		}
	}
	s := sizing.ScoreOf(ps)
	verdicts := "–"
	if judged > 0 {
		verdicts = fmt.Sprintf("%d of %d", right, judged)
	}
	if s.Cases == 0 {
		fmt.Fprintf(t, "%s\t%s\t%d\t–\t–\t–\t–\t–\t%s\t\n", group, name, len(results), verdicts)
		return
	}
	fmt.Fprintf(t, "%s\t%s\t%d\t%s\t%s\t%s\t%s\t%s\t%s\t\n", group, name, len(results), percent(s.Mean),
		percent(s.Median), percent(s.Within10), percent(s.Covered), percent(s.Width), verdicts)
}

func percent(v float64) string { return fmt.Sprintf("%.1f %%", 100*v) }
