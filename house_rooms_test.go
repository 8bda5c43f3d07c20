package tianti_test

// A room is a folder with its packages. Of ours, they import only what stands
// here; a room for the folders below it ends with "/...".
type room struct {
	folder string
	may    []string // folders; "*" is all
	pure   bool     // no I/O, no clock, no log
	why    string
}

var rooms = []room{
	{"account", nil, false, "who may do what: passwords, tokens and attempts; where they are kept and who asks is " +
		"for others"},
	{"sizing", []string{"sizing/kriging", "catalog"}, true, "estimates are computed from figures and measured cases " +
		"alone, so that anybody can check them"},
	{"sizing/serving", []string{"sizing", "catalog"}, true, "plans of a service are computed from estimates and " +
		"figures alone, so that anybody can check them"},
	{"sizing/sample", nil, true, "makes small sets of cases for tests"},
	{"sizing/kriging", nil, true, "statistics that know no domain"},
	{"catalog", nil, true, "the domain: everything else is around it, so it depends on nothing"},
	{"catalog/sample", []string{"catalog"}, true, "makes values of the domain"},
	{"exportcontrol", []string{"catalog"}, true, "rules and their arithmetic are computed from figures alone, so " +
		"that anybody can check them"},
	{"ladder", []string{"catalog"}, true, "an order of cards follows from values alone, so that anybody can check it"},
	{"diff", []string{"catalog"}, true, "what two revisions differ in follows from them and the catalogue alone"},
	{"tables", nil, false, "tables in files of other programs, whatever they are of"},
	{"format", []string{"catalog", "seed", "csvsafe", "tables"}, false, "reads files of others into values of the " +
		"domain; which cards they mean is decided by exact names"},
	{"newfile", nil, false, "files that are there whole or not at all, whatever is in them"},
	{"sorting", nil, true, "one sort for structs of all kinds"},
	{"hashes", nil, false, "numbers by hashes, as many as there are, whatever they are of"},
	{"audit", nil, false, "who did what: words that the store, commands and pages share"},
	{"importer", []string{"audit", "catalog", "diff", "format", "hashes"}, false, "the steps of an import, for " +
		"pages, the API and commands alike; it says what it needs of a database"},
	{"outbound", nil, false, "connections to hosts of others, which lead into no private network"},
	{"changes", []string{"audit", "catalog", "diff"}, false, "reads which revision was shown when"},
	{"webhook", []string{"changes", "outbound"}, false, "messages to addresses that administrators name; it says " +
		"what it needs of a database"},
	{"refresh", []string{"audit", "catalog", "format", "importer", "outbound"}, false, "feeds that are read again " +
		"and again; it says what it needs of a database, and reaches no host that is not named"},
	{"live", []string{"catalog"}, false, "readings of devices and what they are compared with; sources implement its " +
		"interface, and cmd chooses among them"},
	{"live/internal/normalize", []string{"live"}, true, "what vendors' tools report, in one form; only the sources " +
		"below live need it"},
	{"live/nvidiasmi", []string{"live", "live/internal/normalize", "live/recording"}, false, "a source: runs a " +
		"program and plays its logs"},
	{"live/probe", []string{"live", "live/recording"}, false, "a source: runs a child process that prints frames"},
	{"live/prometheus", []string{"live", "live/internal/normalize"}, false, "a source: the HTTP API of Prometheus " +
		"and the metrics of exporters"},
	{"live/recording", []string{"live"}, false, "a source, and the format of its files"},
	{"pack", nil, false, "archives of files that programs embed, whatever is in them"},
	{"pack/all", []string{"licenses", "pack", "seed"}, false, "packs the files of those that embed many, before a " +
		"release is built"},
	{"licenses", []string{"pack"}, true, "licences and notices, embedded: for commands and pages alike"},
	{"licenses/collect", []string{"licenses"}, false, "writes them, from the modules that the program is linked from"},
	{"live/sample", []string{"live"}, true, "makes frames of readings for tests and stories"},
	{"locale", nil, true, "texts and numbers in a language; it knows no domain, so that pages and commands can " +
		"share it"},
	{"migrations", nil, true, "SQL files, embedded"},
	{"plot", []string{"catalog"}, true, "points, fronts and rooflines are arithmetic on figures; how they look is " +
		"for pages"},
	{"static", nil, false, "files for browsers, embedded"},
	{"csvsafe", nil, true, "cells of tables that spreadsheets open: one place keeps formulas out, for pages, " +
		"commands and imports"},
	{"seed", []string{"catalog", "pack"}, true, "bytes to datasets and back; whoever calls it reads and writes files"},
	{"pricefile", []string{"catalog", "tablefile", "tables"}, false, "files of prices, written and read: who keeps " +
		"and who publishes prices know it, not each other"},
	{"store", []string{"account", "audit", "catalog", "changes", "format", "importer", "migrations", "newfile",
		"pricefile", "refresh", "webhook"}, false, "an adapter of the domain: keeps what imports and accounts are " +
		"made of, knows nothing of pages"},
	{"publish", []string{"pricefile", "publish/bucket"}, false, "carries snapshots from a writer to readers; what is " +
		"in them, and what is done with them, is for others"},
	{"publish/bucket", nil, false, "objects in a folder or a store, whatever is in them"},
	{"web/jsonld", nil, false, "things of schema.org"},
	{"web/ui", []string{"locale", "static", "web/jsonld"}, true, "what every page is built from shows strings and " +
		"numbers: no domain"},
	{"web/ui/uitest", []string{"locale", "web/ui"}, false, "tests of features hold their pages against golden files"},
	{"web/chart", nil, false, "drawings know lengths and inks, not cards; it reads fonts of the system"},
	{"web/api", []string{"catalog", "exportcontrol", "ladder", "live", "sizing", "sizing/serving", "webhook"}, false,
		"the contract of the JSON API is made of the domain alone, not of pages"},
	{"web/api/imports", []string{"audit", "catalog", "diff", "format", "importer"}, false, "the part of the " +
		"contract that is for administrators: it needs readers of files, which pages of everybody do without"},
	{"web/display", []string{"catalog", "locale", "sizing", "web/ui"}, true, "values as text: what a figure looks " +
		"like is the same on every page"},
	{"tablefile", []string{"csvsafe"}, true, "tables in formats of other programs: for pages and commands alike"},
	{"web/site", []string{"catalog", "csvsafe", "locale", "sizing", "tablefile", "web/api", "web/chart", "web/display",
		"web/ui"}, false, "from request to answer; it knows no feature"},
	{"web/session", []string{"account", "audit", "catalog", "locale", "static", "web/api", "web/site", "web/ui"},
		false, "who asks; features get the account, not the cookie"},
	{"web/filterform", []string{"catalog", "locale", "web/display", "web/site", "web/ui"}, false,
		"the form that chooses cards, for every feature that has one"},
	{"web/exportcontrol", []string{"catalog", "exportcontrol", "locale", "web/api", "web/display", "web/filterform",
		"web/site", "web/ui"}, false, "a feature: imports what stands below it, and no other feature"},
	{"web/reference", []string{"catalog", "locale", "web/api", "web/display", "web/site", "web/ui"}, false,
		"a feature: imports what stands below it, and no other feature"},
	{"web/bulk", []string{"catalog", "csvsafe", "locale", "tablefile", "web/api", "web/display", "web/jsonld",
		"web/site"}, false, "a feature: imports what stands below it, and no other feature"},
	{"web/licenses", []string{"catalog", "licenses", "web/api", "web/display", "web/site", "web/ui"}, false,
		"a feature: imports what stands below it, and no other feature"},
	{"web/job", []string{"catalog", "locale", "sizing", "web/api", "web/display", "web/site", "web/ui"}, false,
		"jobs and estimates in addresses, words and tables, for every feature that shows some"},
	{"web/jobform", []string{"catalog", "locale", "sizing", "web/display", "web/exportcontrol", "web/job", "web/site",
		"web/ui"}, false, "the form that asks for a job, for every feature that has one; destinations are those of " +
		"export rules"},
	{"web/jobform/sample", []string{"locale", "web/jobform", "web/ui"}, false, "forms for tests of features"},
	{"web/recommend", []string{"catalog", "exportcontrol", "locale", "sizing", "web/api", "web/chart", "web/display",
		"web/exportcontrol", "web/job", "web/jobform", "web/site", "web/ui"}, false, "a feature: a recommendation " +
		"asks whether a card may be exported"},
	{"web/estimate", []string{"catalog", "locale", "sizing", "web/api", "web/display", "web/job", "web/jobform",
		"web/site", "web/ui"}, false, "a feature: imports what stands below it, and no other feature"},
	{"web/mine", []string{"catalog", "locale", "sizing", "web/api", "web/job", "web/jobform", "web/site", "web/ui"},
		false, "a feature: imports what stands below it, and no other feature"},
	{"web/accuracy", []string{"catalog", "locale", "sizing", "web/api", "web/display", "web/site", "web/ui"}, false,
		"a feature: imports what stands below it, and no other feature"},
	{"web/calculator", []string{"catalog", "locale", "sizing", "web/api", "web/display", "web/site", "web/ui"}, false,
		"a feature: imports what stands below it, and no other feature"},
	{"web/serving", []string{"catalog", "exportcontrol", "locale", "sizing", "sizing/serving", "web/api", "web/chart",
		"web/display", "web/exportcontrol", "web/job", "web/jobform", "web/site", "web/ui"}, false,
		"a feature: plans of a service are shown with the parts of estimates"},
	{"web/live", []string{"catalog", "live", "locale", "sizing", "static", "web/api", "web/display", "web/job",
		"web/session", "web/site", "web/ui"}, false, "a feature: what fits into free memory is sizing; processes are " +
		"for people who have signed in"},
	{"web/prices", []string{"catalog", "locale", "sizing", "web/api", "web/chart", "web/display", "web/filterform",
		"web/site", "web/ui"}, false, "a feature: imports what stands below it, and no other feature"},
	{"web/ladders", []string{"catalog", "ladder", "locale", "sizing", "web/api", "web/chart", "web/display",
		"web/filterform", "web/site", "web/ui"}, false, "a feature: imports what stands below it, and no other " +
		"feature"},
	{"web/plot", []string{"catalog", "locale", "plot", "web/api", "web/chart", "web/display", "web/exportcontrol",
		"web/filterform", "web/site", "web/ui"}, false, "a feature: points are filtered by verdicts of export " +
		"control, too"},
	{"web/compare", []string{"catalog", "exportcontrol", "locale", "plot", "sizing", "sizing/serving", "web/api",
		"web/chart", "web/display", "web/exportcontrol", "web/live", "web/plot", "web/site", "web/ui"}, false,
		"a feature: says what fits, how fast it is and whether it may be exported, shows rooflines and what is in " +
			"this host"},
	{"web/search", []string{"catalog", "exportcontrol", "format", "locale", "sizing", "web/api",
		"web/display", "web/job", "web/ladders", "web/site", "web/ui"}, false,
		"a feature: says of two cards what their comparison says, of a model whether it fits"},
	{"web/cards", []string{"catalog", "exportcontrol", "locale", "sizing", "web/api", "web/chart", "web/display",
		"web/exportcontrol", "web/filterform", "web/jsonld", "web/ladders", "web/live", "web/plot", "web/prices",
		"web/site", "web/ui"}, false, "a feature: the page of a card has a section of each of these"},
	{"web/admin", []string{"account", "audit", "catalog", "csvsafe", "diff", "format", "importer", "locale", "refresh",
		"static", "web/api", "web/api/imports", "web/display", "web/session", "web/site", "web/ui"}, false,
		"the administration: nothing imports it but the server"},
	{"web/runs", []string{"catalog", "importer", "locale", "web/api", "web/job", "web/session", "web/site", "web/ui"},
		false, "a feature: runs that were entered beside estimates are kept by administrators"},
	{"web/webhooks", []string{"audit", "catalog", "locale", "web/api", "web/session", "web/site", "web/ui", "webhook"},
		false, "a feature: addresses that are told of changes, for administrators"},
	{"web/mcp", []string{"catalog", "exportcontrol", "locale", "web/api", "web/display", "web/site"}, false,
		"a feature: asks the API of its own site, and no other feature"},
	{"web/changes", []string{"catalog", "changes", "diff", "locale", "web/api", "web/display", "web/site", "web/ui"},
		false, "a feature: what has changed, and feeds"},
	{"web/cite", []string{"catalog", "locale", "web/api", "web/display", "web/site"}, false, "a feature: reads pages " +
		"as anybody does"},
	{"web/twin", []string{"web/api", "web/site"}, false, "a feature: reads pages as anybody does"},
	{"web/history", []string{"catalog", "web/api", "web/site"}, false, "a feature: a past state is a site of its " +
		"own, which the server makes; no feature knows of it"},
	{"web/monitor", []string{"account", "catalog", "live", "web/api", "web/live", "web/site"}, false,
		"health and metrics: nothing imports it but the server"},
	{"web/home", []string{"catalog", "exportcontrol", "locale", "web/api", "web/bulk", "web/compare", "web/display",
		"web/filterform", "web/jobform", "web/ladders", "web/plot", "web/reference", "web/site", "web/ui"}, false,
		"the start page, the API page and the sitemap lead everywhere"},
	{"web", []string{"account", "audit", "catalog", "changes", "importer", "live", "sizing", "static", "web/..."},
		false, "wires features together; declares what it needs of a database instead of importing store, and gets " +
			"it from cmd"},
	{"cmd/tianti", []string{"*"}, false, "wires everything together"},
	{"cmd/tianti/internal/export", []string{"catalog", "seed", "csvsafe", "tablefile", "web/api"}, true,
		"files of the whole catalogue, in the shapes of the API"},
	{"cmd/tianti/internal/nvml", []string{"live"}, false, "the driver's library, loaded at run time and read in a " +
		"process that may die of it"},
	{"cmd/tianti/internal/nvml/nvmltest", nil, false, "compiles a stand-in for the driver's library"},
	{"bench/live", []string{"bench/...", "live", "live/recording", "live/sample"}, false, "measures the program from " +
		"outside, with recordings of devices that it makes"},
	{"bench/import", []string{"audit", "bench/...", "catalog", "importer", "store"}, false, "measures the store " +
		"beside the program, with rows that need no reading"},
	{"bench/history", []string{"catalog", "seed"}, false, "makes prices of the built-in cards, which programs here " +
		"import"},
	{"bench/...", []string{"bench/...", "catalog", "catalog/sample", "static"}, false, "measures the program from " +
		"outside, as a process"},
	{"test/...", []string{"*"}, false, "looks at the program from outside"},
}

// everywhere are rooms that stand beside the standard library: all others may import them.
var everywhere = []string{"sorting"}

// A guest is an import that only some rooms may have.
type guest struct {
	path string // the import, and those below it
	in   []string
	why  string
}

var guests = []guest{
	{"database/sql", []string{"store", "tables", "bench/..."}, "only store knows our SQL; tables reads databases of " +
		"others, bench measures another program's tables beside ours"},
	{"modernc.org/sqlite", []string{"store", "tables", "bench/..."}, "only store knows our database; tables reads " +
		"those of others"},
	{"github.com/pressly/goose", []string{"store"}, "only store changes the schema"},
	{"github.com/jackc/pgx", []string{"store", "test/postgres"}, "only store knows SQL; tests start a server"},
	{"github.com/minio/minio-go", []string{"publish/bucket"}, "requests to a store are signed in one place"},
	{"github.com/gofrs/flock", []string{"publish", "publish/bucket"}, "folders that several processes may use are " +
		"locked where they are used"},
	{"github.com/go-chi/chi", []string{"web", "web/site"}, "routes are declared in one place; handlers see net/http"},
	{"github.com/danielgtaylor/huma", []string{"web/api"}, "the API document belongs to the contract"},
	{"github.com/a-h/templ", []string{"web/..."}, "HTML is made by pages"},
	{"github.com/alexedwards/scs", []string{"web/session"}, "sessions belong to browsers"},
	{"github.com/alexedwards/argon2id", []string{"account"}, "passwords are hashed in one place"},
	{"github.com/pquerna/otp", []string{"account"}, "codes of second factors are checked in one place"},
	{"github.com/boombuler/barcode", []string{"web/admin"}, "one page draws a QR code"},
	{"github.com/makiuchi-d/gozxing", nil, "another's reader, for the test of what is drawn"},
	{"github.com/maypok86/otter", []string{"web/site"}, "caches hold rendered pages; the domain is a snapshot and " +
		"needs none"},
	{"github.com/alecthomas/kong", []string{"cmd/tianti"}, "command lines are the command's"},
	{"gonum.org/v1/gonum", []string{"sizing", "sizing/kriging"}, "linear algebra belongs to the statistics of " +
		"estimates"},
	{"github.com/Rhymond/go-money", []string{"catalog"}, "which currencies there are is known to the domain's money"},
	{"git.sr.ht/~sbinet/gg", []string{"web/chart"}, "painting is for drawings"},
	{"golang.org/x/image", []string{"web/chart"}, "fonts are for paintings"},
	{"github.com/aclements/go-moremath", []string{"web/chart"}, "scales and ticks belong to drawings"},
	{"github.com/goccy/go-yaml", []string{"seed", "locale", "refresh", "web/cite"}, "YAML is the format of data " +
		"files, message catalogues, the file of feeds and CITATION.cff"},
	{"github.com/modelcontextprotocol/go-sdk", []string{"web/mcp", "cmd/tianti", "test/agents"},
		"one feature speaks the protocol; the command gives it standard input and output; tests call it"},
	{"github.com/JohannesKaufmann/html-to-markdown", []string{"web/twin"}, "pages are made as HTML; one feature " +
		"reads them back"},
	{"golang.org/x/net/html", []string{"tables", "web/twin", "web/history", "web/ui/uitest"}, "pages of others hold " +
		"tables; ours are read back as Markdown, at another time, and by tests"},
	{"github.com/google/licensecheck", []string{"licenses/collect"}, "licences are recognised when they are " +
		"collected, not when they are shown"},
	{"golang.org/x/tools/txtar", []string{"licenses", "licenses/collect"}, "the format of the collected texts"},
	{"github.com/parquet-go/parquet-go", []string{"pricefile", "store", "tables", "tablefile"}, "another's reader " +
		"and writer, for tests of what is written and read"},
	{"github.com/santhosh-tekuri/jsonschema", []string{"test/contract"}, "answers are held against the document from " +
		"outside"},
	{"github.com/moby/patternmatcher", []string{"test/image"}, "only the check of .dockerignore reads its patterns"},
	{"golang.org/x/text/encoding", []string{"format"}, "files of others come in their encodings; everything behind " +
		"is UTF-8"},
	{"github.com/ebitengine/purego", []string{"cmd/tianti/internal/nvml"}, "functions of C can end the process"},
	{"unsafe", []string{"cmd/tianti/internal/nvml"}, "memory is shared with C only"},
	{"C", nil, "the program builds without a C compiler"},
}

// outside is what pure rooms leave to others.
var outside = []string{"os", "net", "net/http", "io/ioutil", "log", "log/slog", "database/sql", "syscall",
	"os/exec", "os/signal"}
