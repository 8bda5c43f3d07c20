package main

import (
	"bytes"
	"fmt"
	"os"
	"text/tabwriter"

	"tianti/advisor"
	"tianti/catalog"
	"tianti/seed"
)

// calibrateCmd is tianti calibrate.
type calibrateCmd struct {
	Out string `name:"out" short:"o" placeholder:"FILE" help:"Write the calibration here; it is only reported unless given."`
}

// Help is the manual of tianti calibrate.
func (calibrateCmd) Help() string {
	return `Fits the estimates of memory and speed to the measured cases that the program
carries, and reports how far they are off when cases are left out: each alone,
all of the same framework and model, all of the same framework and card; and, with
the constants of the formulas fitted again without them, folds of frameworks with
their models or cards and whole frameworks. It takes some minutes.

The same cases give the same calibration. To renew the one that the program
carries, run it in the source folder and build again:

    tianti calibrate --out seed/sizing/calibration.json`
}

// Run fits, reports and writes.
func (c *calibrateCmd) Run(e *env) error {
	a, err := sizing()
	if err != nil {
		return err
	}
	t := tabwriter.NewWriter(e.stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "quantity\tleft out\tcases\tmean\tmedian\twithin 10 %\tcovered\t")
	var cals []*advisor.Calibration
	for _, q := range advisor.Quantities {
		cases := a.CasesOf(q)
		cal := advisor.Calibrate(q, cases)
		cals = append(cals, cal)
		for _, by := range []struct {
			name string
			by   advisor.By
		}{{"itself", advisor.ByItself}, {"framework, model", advisor.ByFrameworkModel}, {"framework, card", advisor.ByFrameworkCard}} {
			printScore(t, q, by.name, advisor.ScoreOf(advisor.CrossValidate(cal, cases, by.by)))
		}
		printScore(t, q, "framework, model, refitted", cal.Refitted[advisor.OutModel])
		printScore(t, q, "framework, card, refitted", cal.Refitted[advisor.OutCard])
		printScore(t, q, "framework, refitted", advisor.ScoreOf(advisor.Refit(cal, cases, advisor.ByFramework, len(a.Profiles.All))))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if c.Out == "" {
		return nil
	}
	var b bytes.Buffer
	if err := advisor.WriteCalibrations(&b, cals); err != nil {
		return err
	}
	return os.WriteFile(c.Out, b.Bytes(), 0o644)
}

func printScore(t *tabwriter.Writer, q advisor.Quantity, left string, s advisor.Score) {
	fmt.Fprintf(t, "%s\t%s\t%d\t%.1f %%\t%.1f %%\t%.0f %%\t%.0f %%\t\n", q, left, s.Cases, 100*s.Mean, 100*s.Median, 100*s.Within10, 100*s.Covered)
}

// sizing is the advisor of the built-in data.
func sizing() (*advisor.Advisor, error) {
	d, err := seed.Builtin()
	if err != nil {
		return nil, err
	}
	return advisor.New(seed.Sizing(), catalog.NewSnapshot(0, d))
}
