package main

import (
	"bytes"
	"fmt"
	"os"
	"text/tabwriter"

	"tianti/catalog"
	"tianti/seed"
	"tianti/sizing"
)

// calibrateCmd is tianti calibrate.
type calibrateCmd struct {
	Out string `short:"o" placeholder:"FILE" help:"Write the calibration here; it is only reported unless given."`
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
	a, err := builtinSizing()
	if err != nil {
		return err
	}
	t := tabwriter.NewWriter(e.stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "quantity\tleft out\tcases\tmean\tmedian\twithin 10 %\tcovered\t")
	var cals []*sizing.Calibration
	for _, q := range sizing.Quantities {
		cases := a.CasesOf(q)
		cal := sizing.Calibrate(q, cases)
		cals = append(cals, cal)
		for _, by := range []struct {
			name string
			by   sizing.By
		}{
			{"itself", sizing.ByItself}, {"framework, model", sizing.ByFrameworkModel},
			{"framework, card", sizing.ByFrameworkCard},
		} {
			printScore(t, q, by.name, sizing.ScoreOf(sizing.CrossValidate(cal, cases, by.by)))
		}
		printScore(t, q, "framework, model, refitted", cal.Refitted[sizing.OutModel])
		printScore(t, q, "framework, card, refitted", cal.Refitted[sizing.OutCard])
		refitted := sizing.Refit(cal, cases, sizing.ByFramework, len(a.Profiles.All))
		printScore(t, q, "framework, refitted", sizing.ScoreOf(refitted))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if c.Out == "" {
		return nil
	}
	var b bytes.Buffer
	if err := sizing.WriteCalibrations(&b, cals); err != nil {
		return err
	}
	return os.WriteFile(c.Out, b.Bytes(), 0o644)
}

// printScore prints a row for the cases that were excluded from the fit.
func printScore(t *tabwriter.Writer, q sizing.Quantity, excluded string, s sizing.Score) {
	fmt.Fprintf(t, "%s\t%s\t%d\t%.1f %%\t%.1f %%\t%.0f %%\t%.0f %%\t\n", q, excluded, s.Cases, 100*s.Mean,
		100*s.Median, 100*s.Within10, 100*s.Covered)
}

// builtinSizing returns the estimator of the built-in data.
func builtinSizing() (*sizing.Estimator, error) {
	d, err := seed.Builtin()
	if err != nil {
		return nil, err
	}
	return sizing.New(seed.Sizing(), catalog.NewSnapshot(0, d))
}
