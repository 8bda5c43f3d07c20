package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"text/tabwriter"
	"time"

	"github.com/alecthomas/kong"

	"tianti/catalog"
	"tianti/importer"
	"tianti/web/api/imports"
)

// datasetsCmd is tianti datasets.
type datasetsCmd struct {
	List datasetsListCmd `cmd:"" default:"withargs" help:"${datasets_list_help}"`

	Revisions  datasetsRevisionsCmd  `cmd:"" help:"List what was imported into a dataset."`
	Activate   datasetsActivateCmd   `cmd:"" help:"Show another revision of a dataset."`
	Deactivate datasetsDeactivateCmd `cmd:"" help:"Take a dataset out of the catalogue; its revisions stay."`
	Revert     datasetsRevertCmd     `cmd:"" help:"Take the last import of a dataset back."`
	Rank       datasetsRankCmd       `cmd:"" help:"Change whose figures are preferred."`
	File       datasetsFileCmd       `cmd:"" help:"Write out the file that a revision came from."`
}

// datasetsHelp is the help of commands that is too long for their tags.
var datasetsHelp = kong.Vars{
	"datasets_list_help": "List the datasets (what tianti datasets does without a command).",
}

// Help is the manual of tianti datasets.
func (datasetsCmd) Help() string {
	return `A dataset is a set of facts and prices of one origin. Each import adds a revision;
one revision is active, and none is ever deleted. Of several values of a figure the
one of the dataset with the highest rank is shown.

Examples:

    tianti datasets
    tianti datasets revisions skypilot
    tianti datasets revert skypilot
    tianti datasets activate skypilot 12
    tianti datasets rank skypilot 120
    tianti datasets file skypilot 12 --output vms.csv`
}

// datasetDB is the database of commands about datasets.
type datasetDB struct {
	DB dbPath `name:"db" placeholder:"FILE" default:"tianti.db" predictor:"file" help:"${db_help}"`
}

// read opens the database read-only.
func (c datasetDB) read(e *env, do func(database) error) error {
	db, err := openReadOnly(e.ctx, c.DB)
	if err != nil {
		return err
	}
	return errors.Join(do(db), db.Close())
}

// write opens the database, which must exist, for writing.
func (c datasetDB) write(e *env, do func(database, *importer.Importer) error) error {
	db, err := openExisting(e.ctx, c.DB)
	if err != nil {
		return err
	}
	return errors.Join(do(db, newImporter(db, func() *catalog.Snapshot { return nil })), db.Close())
}

type datasetsListCmd struct {
	datasetDB `embed:""`
	JSON      bool `name:"json" help:"Print JSON."`
}

// Run lists the datasets.
func (c *datasetsListCmd) Run(e *env) error {
	return c.read(e, func(db database) error {
		list, err := db.Datasets(e.ctx)
		if err != nil {
			return err
		}
		if c.JSON {
			out := imports.DatasetList{Items: []imports.DatasetItem{}}
			for _, d := range list {
				out.Items = append(out.Items, imports.DatasetOf(d))
			}
			return printJSON(e.stdout, out)
		}
		w := tabwriter.NewWriter(e.stdout, 0, 0, 2, ' ', 0)
		fmt.Fprintln(w, "DATASET\tRANK\tACTIVE\tREVISIONS\tTITLE")
		for _, d := range list {
			fmt.Fprintf(w, "%s\t%d\t%s\t%d\t%s\n", d.ID, d.Rank, revisionText(d.Active), d.Revisions, d.Title.En)
		}
		return w.Flush()
	})
}

func revisionText(n int64) string {
	if n == 0 {
		return "none"
	}
	return fmt.Sprint(n)
}

func printJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

type datasetsRevisionsCmd struct {
	Dataset   string `arg:"" help:"Id of the dataset."`
	datasetDB `embed:""`
	JSON      bool `name:"json" help:"Print JSON."`
}

// Run lists the revisions.
func (c *datasetsRevisionsCmd) Run(e *env) error {
	return c.read(e, func(db database) error {
		list, err := db.Revisions(e.ctx, c.Dataset)
		if err != nil {
			return err
		}
		if c.JSON {
			out := []imports.Revision{}
			for _, r := range list {
				out = append(out, imports.RevisionOf(r))
			}
			return printJSON(e.stdout, out)
		}
		w := tabwriter.NewWriter(e.stdout, 0, 0, 2, ' ', 0)
		fmt.Fprintln(w, "REVISION\tACTIVE\tWHEN\tBY\tCARDS\tFIGURES\tPRICES\tRATES\tFILE\tSHA-256\tNOTE")
		for _, r := range list {
			active := ""
			if r.Active {
				active = "*"
			}
			created := r.Created.Format(time.DateTime)
			fmt.Fprintf(w, "%d\t%s\t%s\t%s\t%d\t%d\t%d\t%d\t%s\t%.12s\t%s\n", r.Number, active, created, r.Author,
				r.Cards, r.Figures, r.Prices, r.Rates, r.File, r.SHA256, r.Note)
		}
		return w.Flush()
	})
}

type datasetsActivateCmd struct {
	Dataset   string `arg:"" help:"Id of the dataset."`
	Revision  int64  `arg:"" help:"Number of the revision."`
	datasetDB `embed:""`
}

// validate rejects numbers that are no revision.
func (c *datasetsActivateCmd) validate() error {
	if c.Revision < 1 {
		return fmt.Errorf("%d is no revision; tianti datasets deactivate shows none", c.Revision)
	}
	return nil
}

// Run shows another revision.
func (c *datasetsActivateCmd) Run(e *env) error {
	return c.write(e, func(db database, in *importer.Importer) error {
		if err := in.Revert(e.ctx, c.Dataset, c.Revision, byCommand()); err != nil {
			return err
		}
		return sayActive(e.ctx, e.stdout, db, c.Dataset)
	})
}

type datasetsDeactivateCmd struct {
	Dataset   string `arg:"" help:"Id of the dataset."`
	datasetDB `embed:""`
}

// Run takes a dataset out of the catalogue.
func (c *datasetsDeactivateCmd) Run(e *env) error {
	return c.write(e, func(db database, _ *importer.Importer) error {
		if err := db.Activate(e.ctx, c.Dataset, 0, byCommand()); err != nil {
			return err
		}
		return sayActive(e.ctx, e.stdout, db, c.Dataset)
	})
}

type datasetsRevertCmd struct {
	Dataset   string `arg:"" help:"Id of the dataset."`
	datasetDB `embed:""`
}

// Run takes the last import back.
func (c *datasetsRevertCmd) Run(e *env) error {
	return c.write(e, func(db database, in *importer.Importer) error {
		if err := in.Revert(e.ctx, c.Dataset, 0, byCommand()); err != nil {
			return err
		}
		return sayActive(e.ctx, e.stdout, db, c.Dataset)
	})
}

// A datasetLister knows the datasets and their revisions.
type datasetLister interface {
	Datasets(context.Context) ([]importer.Dataset, error)
	Revisions(ctx context.Context, dataset string) ([]importer.Revision, error)
}

// sayActive prints which revision of a dataset is active now.
func sayActive(ctx context.Context, w io.Writer, db datasetLister, dataset string) error {
	list, err := db.Datasets(ctx)
	if err != nil {
		return err
	}
	for _, d := range list {
		if d.ID == dataset && d.Active == 0 {
			_, err = fmt.Fprintf(w, "%s is not in the catalogue: no revision is active\n", dataset)
		} else if d.ID == dataset {
			_, err = fmt.Fprintf(w, "%s: revision %d is active\n", dataset, d.Active)
		}
	}
	return err
}

type datasetsRankCmd struct {
	Dataset   string `arg:"" help:"Id of the dataset."`
	Rank      int    `arg:"" help:"Whole number; the built-in data have 100."`
	datasetDB `embed:""`
}

// validate checks the rank.
func (c *datasetsRankCmd) validate() error {
	o := importer.Options{Rank: &c.Rank}
	return asFlag(o.Validate())
}

// Run ranks a dataset.
func (c *datasetsRankCmd) Run(e *env) error {
	return c.write(e, func(db database, _ *importer.Importer) error {
		if err := db.SetRank(e.ctx, c.Dataset, c.Rank, byCommand()); err != nil {
			return err
		}
		_, err := fmt.Fprintf(e.stdout, "%s has rank %d\n", c.Dataset, c.Rank)
		return err
	})
}

type datasetsFileCmd struct {
	Dataset   string `arg:"" help:"Id of the dataset."`
	Revision  int64  `arg:"" optional:"" help:"Number of the revision; the active one unless given."`
	Output    string `short:"o" placeholder:"FILE" predictor:"file" help:"${output_help}"`
	datasetDB `embed:""`
}

// Run writes a stored file out.
func (c *datasetsFileCmd) Run(e *env) error {
	return c.read(e, func(db database) error {
		rev, err := c.find(e.ctx, db)
		if err != nil {
			return err
		}
		file, _, err := db.OpenFile(e.ctx, rev.SHA256)
		if err != nil {
			return err
		}
		defer file.Close()
		if err := vacant(c.Output); err != nil {
			return err
		}
		return writeTo(c.Output, e.stdout, func(w io.Writer) error {
			_, err := io.Copy(w, file)
			return err
		})
	})
}

func (c *datasetsFileCmd) find(ctx context.Context, db datasetLister) (importer.Revision, error) {
	list, err := db.Revisions(ctx, c.Dataset)
	for _, r := range list {
		if r.Number != c.Revision && (c.Revision != 0 || !r.Active) {
			continue
		}
		if !r.HasFile {
			return r, fmt.Errorf("no file of revision %d of %s is kept: %w", r.Number, c.Dataset, fs.ErrNotExist)
		}
		return r, nil
	}
	if err == nil {
		err = fmt.Errorf("dataset %q has no such revision (tianti datasets revisions %s lists them): %w",
			c.Dataset, c.Dataset, fs.ErrNotExist)
	}
	return importer.Revision{}, err
}
