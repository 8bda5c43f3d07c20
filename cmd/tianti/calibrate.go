package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"text/tabwriter"

	"tianti/catalog"
	"tianti/seed"
	"tianti/sizing"
)

// calibrateCmd is tianti calibrate.
type calibrateCmd struct {
	Out      string   `short:"o" placeholder:"FOLDER" help:"${calibrate_out_help}"`
	Quantity []string `placeholder:"QUANTITY,..." enum:"${quantities}" help:"${calibrate_quantity_help}"`
}

// Help is the manual of tianti calibrate.
func (calibrateCmd) Help() string {
	return `Fits the estimates of memory and speed to the measured cases that the program
carries, and reports how far they are off when cases are held back: each alone, and,
with the constants of the formulas fitted again without them, all of the same
framework and model, all on the same card, all of the same framework, and all of the
same source. Beside that it prints how far runs of the same job on the same card
differ from each other, which no estimate can beat. Throughput and times of
serving have the same constants, which all of their cases are fitted to,
whichever of the three is asked for. It takes some minutes.

The same cases give the same calibration. To renew the one that the program
carries, run it in the source folder and build again:

    tianti calibrate --out seed/sizing`
}

// Run fits, reports and writes: each quantity as soon as it is fitted, beside what the program carries of the others.
func (c *calibrateCmd) Run(e *env) error {
	if c.Out != "" {
		if info, err := os.Stat(c.Out); err != nil {
			return fmt.Errorf("--out: %w", err)
		} else if !info.IsDir() {
			return fmt.Errorf("--out: %s is no folder", c.Out)
		}
	}
	a, err := builtinSizing()
	if err != nil {
		return err
	}
	t := tabwriter.NewWriter(e.stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "quantity\tleft out\tcases\tmean\tmedian\twithin 10 %\tcovered\twidth\t")
	cals := make([]*sizing.Calibration, len(sizing.Quantities))
	for i, q := range sizing.Quantities {
		cals[i] = a.Calibration(q)
	}
	var (
		group    sync.WaitGroup
		together sizing.Calibrator
		mu       sync.Mutex // of cals, of the files, and of
		failed   error
	)
	for i, q := range sizing.Quantities {
		if len(c.Quantity) > 0 && !slices.Contains(c.Quantity, string(q)) {
			continue
		}
		group.Go(func() {
			cal := together.Calibrate(q, a.CasesFor(q))
			mu.Lock()
			defer mu.Unlock()
			cals[i] = cal
			failed = errors.Join(failed, c.write(cals))
		})
	}
	group.Wait()
	for _, cal := range cals {
		printHeldBack(t, cal, a.CasesOf(cal.Quantity))
	}
	return errors.Join(t.Flush(), failed)
}

// write replaces the files in the folder.
func (c *calibrateCmd) write(cals []*sizing.Calibration) error {
	if c.Out == "" {
		return nil
	}
	for name, write := range map[string]func(io.Writer, []*sizing.Calibration) error{
		"calibration.json": sizing.WriteCalibrations, "leftout.csv": sizing.WriteLeftOut,
	} {
		var text bytes.Buffer
		if err := write(&text, cals); err != nil {
			return err
		}
		name = filepath.Join(c.Out, name)
		if err := os.WriteFile(name+".new", text.Bytes(), 0o644); err != nil {
			return err
		}
		if err := os.Rename(name+".new", name); err != nil {
			return err
		}
	}
	return nil
}

// printHeldBack prints the scores of the cases that were held back, by aspect and way.
func printHeldBack(t *tabwriter.Writer, cal *sizing.Calibration, cases []*sizing.Case) {
	for _, s := range sizing.ScoresOf(cal.LeftOut, cases) {
		for i, score := range s.Scores {
			printScore(t, string(s.Aspect), string(sizing.LeaveOuts[i]), score)
		}
		for _, l := range s.Loads {
			way := slices.Index(sizing.LeaveOuts, sizing.OutCard)
			printScore(t, string(s.Aspect)+", "+string(l.Load), string(sizing.OutCard), l.Scores[way])
		}
		printRepeats(t, s.Aspect, "scored", s.Repeats)
		printRepeats(t, s.Aspect, "all", s.Uploads)
		for _, c := range s.Classes {
			fmt.Fprintf(t, "%s\tintervals, %s\t%d\t\t\t\t%.0f %%\t%.0f %%\t\n", s.Aspect, c.Tier, c.Cases,
				100*c.Covered, 100*c.Width)
		}
		for i, v := range s.Verdicts {
			fmt.Fprintf(t, "%s\t%s\t%d\tright %.1f %%\tborderline %.1f %%\tfalse fits %.1f %% of %d\t\t\t\n", s.Aspect,
				sizing.LeaveOuts[i], v.Runs, 100*v.Right, 100*v.Borderline, 100*v.FalseFits, v.OutOfRoom)
		}
	}
}

// printRepeats prints how far runs of the same job are apart, where there are such.
func printRepeats(t *tabwriter.Writer, aspect sizing.Aspect, which string, r sizing.Repeats) {
	if r.Runs > 0 {
		fmt.Fprintf(t, "%s\trepeat runs differ by, %s\t%d\t\t%.1f %%\t\t\t\t\n", aspect, which, r.Runs, 100*r.Apart)
	}
}

// printScore prints a row for the cases that were excluded from the fit.
func printScore(t *tabwriter.Writer, aspect, excluded string, s sizing.Score) {
	fmt.Fprintf(t, "%s\t%s\t%d\t%.1f %%\t%.1f %%\t%.0f %%\t%.0f %%\t%.0f %%\t\n", aspect, excluded, s.Cases, 100*s.Mean,
		100*s.Median, 100*s.Within10, 100*s.Covered, 100*s.Width)
}

// builtinSizing returns the estimator of the built-in data.
func builtinSizing() (*sizing.Estimator, error) {
	d, err := seed.Builtin()
	if err != nil {
		return nil, err
	}
	return sizing.New(seed.Sizing(), catalog.NewSnapshot(0, d))
}
