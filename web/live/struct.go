package live

import (
	"strconv"
	"strings"

	"tianti/web/job"
	"tianti/web/ui"
)

// liveData is what the devices here are doing.
type liveData struct {
	ui.Layout
	Status    liveStatusData
	Filter    []ui.Link // by host; empty when there is only one
	Fleet     liveFleetData
	Tiles     []liveTile
	Heat      []liveStrip
	Span      string  // length of histories, in words
	More      ui.Link // to what is folded away; Href may be empty
	Table     bool    // whether there is the table
	Hosts     []liveHostData
	Total     int // devices of all hosts
	Left      int // devices that are not shown: a host is to be chosen
	ReloadURL string
	StreamURL string // of changes; empty: there is no source
	// of hosts, devices and columns: when that of the stream is another, the page is to be loaded again
	Shape     string
	MethodURL string
	Methods   []liveMethod

	Models  []liveModel    // idle devices
	Room    []liveRoomData // free memory
	Without string         // how many devices are left out of Room
	Fits    []liveFits     // what fits into it

	ProcessNote   string // who may see processes, and that they are of the moment of loading
	ShowProcesses bool
	SignIn        ui.Link // for those who may not; Href may be empty
	Processes     []liveProcess
}

// liveProcess is a process that uses a device.
type liveProcess struct {
	Host, Device, DeviceName      string
	PID, Name, User, Memory, Kind string
}

// liveStatusData says how far the page may be trusted.
type liveStatusData struct {
	State  string // ok, stale, unavailable
	Reason string // why it is not ok, or not all
	Todo   string // what to do about it
	Detail string // what the driver said, in its own words
	Source string
	Order  string // of which moment the order of rows is; may be empty
	Taken  string // time, RFC 3339; empty: nothing was read
	Age    string // "3 seconds"
}

// liveMethod is an explanation.
type liveMethod struct{ ID, Title, Text string }

// liveHostData is the table of a host.
type liveHostData struct {
	ID      string
	Name    string
	Sub     string // driver
	Name0   liveColumnData
	Groups  []liveGroup
	Devices []liveDevice
}

// liveGroup is the head of a column of cells with several readings each.
type liveGroup struct {
	ID      string
	Label   string
	Columns []liveColumnData
}

// sort is the order of the group's column that rows are sorted by.
func (g liveGroup) sort() ui.Sort {
	for _, c := range g.Columns {
		if c.Sort != ui.Unsorted {
			return c.Sort
		}
	}
	return ui.Unsorted
}

// liveColumnData is the head of a reading.
type liveColumnData struct {
	ID          string
	Label       string
	Method      string // address of the explanation; may be empty
	MethodTitle string
	Sort        ui.Sort
	SortURL     string
}

// liveDevice is a row.
type liveDevice struct {
	UUID       string
	Index      string
	Bus        string
	Name       string // as the driver says
	Part       bool   // a slice of the device above it
	Card       *ui.Link
	Match      string // by what it was matched
	Candidates []ui.Link
	Badges     []ui.ExportWord
	Groups     []liveCells // as many as groups of the host
}

// liveCells is what a device tells for a group.
type liveCells struct {
	ID    string
	Cells []liveCellData
}

// liveCellData is what a device tells for a column. Where Text is empty there is no reading.
type liveCellData struct {
	Column string
	Label  string
	Text   string
	Share  float64 // length of the bar, 0 to 1; below 0 there is none
	Old    bool    // the reading is older than it should be
	Notes  []string
}

// spark is the history of a reading: Path in a field of sparkSlots × sparkHeight through
// Means, Most the value at its top, Step the seconds from one mean to the next.
type spark struct {
	Path  string
	Means []float64
	Most  float64
	Step  float64
}

func (s spark) most() string { return strconv.FormatFloat(s.Most, 'g', -1, 64) }

func (s spark) step() string { return strconv.FormatFloat(s.Step, 'g', -1, 64) }

// liveModel counts devices of a model.
type liveModel struct {
	Model                  ui.Link
	Devices, Idle, Unknown string
}

// liveRoomData is free memory of a host and card.
type liveRoomData struct {
	Host string
	Card ui.Link
	Free string // "at least 66.2 GiB"
	Each string // "2 cards"
}

// liveFits is what fits into the free memory of some cards.
type liveFits struct {
	Title string
	Note  string
	Rows  []job.FitRow
}

// said is what is said of the state, to tell whether it has changed.
func (s liveStatusData) said() string {
	return strings.Join([]string{s.Reason, s.Detail, s.Todo}, "\n")
}

// barWidth is the length of a bar in a field of 100.
func (c liveCellData) barWidth() string { return strconv.FormatFloat(max(0, c.Share)*100, 'f', 1, 64) }
