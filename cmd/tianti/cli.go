package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"
)

// cli is the command line. Each flag has an environment variable, see [envVar].
type cli struct {
	Serve serveCmd `cmd:"" default:"withargs" help:"Serve the pages and the API (what tianti does without a command)."`

	Check     checkCmd     `cmd:"" help:"Check data files, or the built-in data."`
	Export    exportCmd    `cmd:"" help:"Write the effective catalogue as YAML, JSON, CSV or SQLite."`
	Import    importCmd    `cmd:"" help:"Read a file, show what it would change, and apply that."`
	Refresh   refreshCmd   `cmd:"" help:"Look at feeds, and make drafts of what is new in them."`
	Datasets  datasetsCmd  `cmd:"" help:"List what was imported, and take it back."`
	Log       logCmd       `cmd:"" help:"Print the record of changes."`
	Eval      evalCmd      `cmd:"" help:"Compare estimates of memory or speed with measured runs."`
	Calibrate calibrateCmd `cmd:"" help:"Fit the estimates to the measured runs that the program carries."`

	Live liveCmd `cmd:"" help:"Print what the accelerators here are doing, beside what they are rated for."`

	MCP mcpCmd `cmd:"" name:"mcp" help:"Answer a program that speaks the Model Context Protocol."`

	Admin       adminCmd       `cmd:"" help:"Make and change accounts: who may sign in."`
	Token       tokenCmd       `cmd:"" help:"Make and revoke tokens: which programs may use the API."`
	Webhook     webhookCmd     `cmd:"" help:"Name addresses that are told of changes."`
	Migrate     migrateCmd     `cmd:"" help:"Bring a database to the schema of this version."`
	Backup      backupCmd      `cmd:"" help:"Copy the database while it is in use."`
	Publish     publishCmd     `cmd:"" help:"Publish the catalogue for servers that only read."`
	Healthcheck healthcheckCmd `cmd:"" help:"Ask a running server whether it is ready."`
	LiveProbe   liveProbeCmd   `cmd:"" hidden:"" help:"Print what the cards of this host are doing, for the server."`
	Licenses    licensesCmd    `cmd:"" help:"List what the program is made of, and print licences and notices."`
	Version     versionCmd     `cmd:"" help:"Print the version."`
	Completion  completionCmd  `cmd:"" help:"Print the code that turns on completion in your shell (bash, zsh, fish)."`
	Man         manCmd         `cmd:"" hidden:"" help:"Print the manual as a man page."`

	PrintVersion bool `name:"version" help:"Print the version."`
}

const description = `Tianti (天梯, "ladder") shows accelerator cards: what each one is, how they
compare, and which document every figure comes from. It is one program with
one database file; it loads nothing from other hosts but feeds and stores that
you name.

Usual beginnings:

  tianti                            serve at http://127.0.0.1:8080
  tianti serve --listen :80         serve to the network
  tianti check                      check the built-in data
  tianti check mine.yaml            check data files of your own
  tianti export --format csv        the whole catalogue as one table
  tianti import prices.csv          facts or prices from a file, with a preview
  tianti live --watch               what the accelerators of this host are doing
  tianti backup tianti-monday.db    copy the database while it is in use

Environment:

  Each flag can be given as TIANTI_ and its name in capitals, with an
  underscore for each hyphen: TIANTI_LISTEN for --listen, TIANTI_RATE_LIMIT
  for --rate-limit. Flags that may be repeated take a list with commas. A
  flag on the command line wins. The format of export is TIANTI_EXPORT_FORMAT,
  as TIANTI_FORMAT is that of files to import. Output has no colours, so that
  NO_COLOR changes nothing.

Files:

  tianti.db                 the database, made when it is missing; --db names
                            another. SQLite keeps tianti.db-wal and
                            tianti.db-shm beside it while it is in use.
  tianti.snapshots          folder for the last snapshot of tianti serve --from

Exit status:

  0  everything went well
  1  it failed, or check found something; one line on standard error says why
  2  the command line was not understood`

// command is a subcommand.
type command interface{ Run(*env) error }

// parse parses the command line. The command is nil after help or completions were printed.
func parse(args []string, getenv func(string) string, stdout io.Writer) (cmd command, err error) {
	var c cli
	parser, err := newParser(&c, getenv, stdout)
	if err != nil {
		return nil, err
	}
	if line := getenv("COMP_LINE"); line != "" {
		// The shell asks for completions.
		point, err := strconv.Atoi(getenv("COMP_POINT"))
		if err != nil {
			point = len(line)
		}
		options, err := completed(parser, line, point)
		if err == nil {
			_, err = io.WriteString(stdout, options)
		}
		return nil, err
	}
	if len(args) == 1 && args[0] == "--version" {
		return versionCmd{}, nil
	}
	k, err := traced(parser, args)
	if err != nil {
		return nil, usageError{fmt.Errorf("%s (tianti --help explains)", withoutNothing(err.Error()))}
	}
	if k == nil {
		return nil, nil
	}
	cmd, ok := k.Selected().Target.Addr().Interface().(command)
	if !ok {
		return nil, fmt.Errorf("%s is no command", k.Command())
	}
	if c, ok := cmd.(*manCmd); ok {
		c.commands = k.Model.Children
	}
	return cmd, nil
}

func newParser(c *cli, getenv func(string) string, stdout io.Writer) (*kong.Kong, error) {
	values, texts := varsOf(accessHelp, adminHelp, checkHelp, databaseHelp, datasetsHelp, evalHelp, exportHelp,
		importHelp, logHelp, mcpHelp, operatingHelp, probeHelp, publishHelp, refreshHelp, serveHelp, sourcesHelp,
		tokenHelp, webhookHelp)
	return kong.New(c,
		kong.Name("tianti"),
		kong.Description(description),
		kong.Writers(stdout, stdout),
		kong.ConfigureHelp(kong.HelpOptions{
			NoAppDescFormat: true, Compact: true, NoExpandSubcommands: true, FlagsLast: true, WrapUpperBound: 100,
		}),
		values, kong.PostBuild(withTexts(texts)),
		kong.ValueFormatter(helpWithEnvVar),
		kong.Resolvers(kong.ResolverFunc(func(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
			if flag.Name == "help" || flag.Name == "version" {
				return nil, nil
			}
			if v := getenv(envVarOf(flag)); v != "" {
				return v, nil
			}
			return nil, nil
		})),
	)
}

// varsOf are the variables of the commands: values, which kong puts in, and texts of help, with a name that ends in
// _help, which withTexts does. kong would look through all texts again for each flag, which took longer than most
// commands.
func varsOf(all ...kong.Vars) (values, texts kong.Vars) {
	values, texts = kong.Vars{}, kong.Vars{}
	for _, vars := range all {
		for name, text := range vars {
			if strings.HasSuffix(name, "_help") {
				texts[name] = text
			} else {
				values[name] = text
			}
		}
	}
	return values, texts
}

// withTexts puts the texts of help where commands and flags name them.
func withTexts(texts kong.Vars) func(*kong.Kong) error {
	pairs := make([]string, 0, 2*len(texts))
	for name, text := range texts {
		pairs = append(pairs, "${"+name+"}", text)
	}
	put := strings.NewReplacer(pairs...)
	return func(k *kong.Kong) error {
		return kong.Visit(k.Model, func(at kong.Visitable, next kong.Next) error {
			switch at := at.(type) {
			case *kong.Node:
				at.Help = put.Replace(at.Help)
			case *kong.Value:
				at.Help = put.Replace(at.Help)
			}
			return next(nil)
		})
	}
}

// envVar is the environment variable of a flag. The env tag of kong would read the environment of the process; tests
// have their own.
func envVar(flag string) string {
	return "TIANTI_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// envVarOf is the environment variable of a flag: its tag var where the same name means two things in two commands.
func envVarOf(flag *kong.Flag) string {
	if name := flag.Tag.Get("var"); name != "" {
		return name
	}
	return envVar(flag.Name)
}

func helpWithEnvVar(v *kong.Value) string {
	if v.Flag == nil || v.Name == "help" || v.Name == "version" {
		return v.Help
	}
	return v.Help + " ($" + envVarOf(v.Flag) + ")"
}

// withoutNothing is an error without the choice that stands for what is left out, which nobody can type.
func withoutNothing(message string) string {
	return strings.NewReplacer(`one of "",`, "one of ", `,"" but got`, " but got").Replace(message)
}
