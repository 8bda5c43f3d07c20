package main

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"os"

	"github.com/alecthomas/kong"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"tianti/catalog"
	"tianti/importer"
	"tianti/seed"
	"tianti/sizing"
	"tianti/web"
)

// mcpCmd is tianti mcp.
type mcpCmd struct {
	DB     dbPath `name:"db" placeholder:"FILE" default:"tianti.db" predictor:"file" help:"${export_db_help}"`
	Origin string `placeholder:"URL" help:"${mcp_origin_help}"`
}

// mcpHelp is the help of flags that is too long for their tags.
var mcpHelp = kong.Vars{
	"mcp_origin_help": "Where a server shows the same catalogue, such as https://cards.example: links in answers " +
		"lead there.",
}

// Help is the manual of tianti mcp.
func (mcpCmd) Help() string {
	return `Answers one client of the Model Context Protocol on standard input and output,
until it hangs up: the same tools, resources and prompts as POST /mcp of a server.
Nothing is written, and no other host is reached.

In the settings of a client:

    {"mcpServers": {"tianti": {"command": "tianti", "args": ["mcp", "--db", "/var/lib/tianti/tianti.db"]}}}

Without a database it is the built-in catalogue that answers.`
}

// validate checks the address.
func (c *mcpCmd) validate() error {
	if c.Origin != "" && !isOrigin(c.Origin) {
		return errors.New("--origin: want a scheme and a host, such as https://cards.example")
	}
	return nil
}

// Run answers until the client hangs up.
func (c *mcpCmd) Run(e *env) error {
	return c.answer(e, &sdk.IOTransport{Reader: os.Stdin, Writer: keepOpen{e.stdout}})
}

// answer answers the client of a transport.
func (c *mcpCmd) answer(e *env, t sdk.Transport) (err error) {
	snap, runs, err := c.catalogue(e.ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, runs.Close()) }()
	log := slog.New(slog.DiscardHandler)
	sizes := &learner{kept: runs, log: log}
	server := web.New(web.Config{Log: log, Origin: c.Origin, Version: version, ReadOnly: true,
		NewEstimator: func(s *catalog.Snapshot) (*sizing.Estimator, error) { return sizes.estimator(e.ctx, s) }})
	defer server.Close()
	server.Swap(snap)
	if err := server.MCP().Run(e.ctx, t); err != nil && !errors.Is(err, io.EOF) && e.ctx.Err() == nil {
		return err
	}
	return nil
}

// closingRuns are kept runs that may lie in a database.
type closingRuns interface {
	keptRuns
	io.Closer
}

// catalogue is that of the database, or the built-in one where there is none.
func (c *mcpCmd) catalogue(ctx context.Context) (*catalog.Snapshot, closingRuns, error) {
	db, err := openReadOnly(ctx, c.DB)
	if errors.Is(err, fs.ErrNotExist) && c.DB == defaultDB {
		d, err := seed.Builtin()
		if err != nil {
			return nil, nil, err
		}
		return catalog.NewSnapshot(0, d), noRuns{}, nil
	}
	if err != nil {
		return nil, nil, err
	}
	snap, err := db.Load(ctx, nil)
	if err != nil {
		return nil, nil, errors.Join(err, db.Close())
	}
	return snap, db, nil
}

// keepOpen is a writer that whoever gave it closes.
type keepOpen struct{ io.Writer }

func (keepOpen) Close() error { return nil }

// noRuns are those of no database.
type noRuns struct{}

func (noRuns) Runs(context.Context) ([]importer.Run, error) { return nil, nil }
func (noRuns) Close() error                                 { return nil }
