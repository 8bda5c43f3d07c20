package view

import (
	"strconv"
	"strings"
)

// Live is what the devices here are doing.
type Live struct {
	Layout
	Status    LiveStatus
	Filter    []Link // by host; empty when there is only one
	Hosts     []LiveHost
	Total     int // devices of all hosts
	Left      int // devices that are not shown: a host is to be chosen
	ReloadURL string
	StreamURL string // of changes; empty: there is no source
	Shape     string // of hosts, devices and columns: when that of the stream is another, the page is to be loaded again
	MethodURL string
	Methods   []LiveMethod

	Models  []LiveModel // idle devices
	Room    []LiveRoom  // free memory
	Without string      // how many devices are left out of Room
	Fits    []LiveFits  // what fits into it

	ProcessNote   string // who may see processes, and that they are of the moment of loading
	ShowProcesses bool
	SignIn        Link // for those who may not; Href may be empty
	Processes     []LiveProcess
}

// LiveProcess is a process that uses a device.
type LiveProcess struct {
	Host, Device, DeviceName      string
	PID, Name, User, Memory, Kind string
}

// LiveStatus says how far the page may be trusted.
type LiveStatus struct {
	State  string // ok, stale, unavailable
	Reason string // why it is not ok, or not all
	Todo   string // what to do about it
	Detail string // what the driver said, in its own words
	Source string
	Order  string // of which moment the order of rows is; may be empty
	Taken  string // time, RFC 3339; empty: nothing was read
	Age    string // "3 seconds"
}

// LiveMethod is an explanation.
type LiveMethod struct{ ID, Title, Text string }

// LiveHost is the table of a host.
type LiveHost struct {
	ID      string
	Name    string
	Sub     string // driver
	Name0   LiveColumn
	Groups  []LiveGroup
	Devices []LiveDevice
}

// LiveGroup is the head of a column of cells with several readings each.
type LiveGroup struct {
	ID      string
	Label   string
	Columns []LiveColumn
}

// sort is the order of the group's column that rows are sorted by.
func (g LiveGroup) sort() Sort {
	for _, c := range g.Columns {
		if c.Sort != Unsorted {
			return c.Sort
		}
	}
	return Unsorted
}

// LiveColumn is the head of a reading.
type LiveColumn struct {
	ID          string
	Label       string
	Method      string // address of the explanation; may be empty
	MethodTitle string
	Sort        Sort
	SortURL     string
}

// LiveDevice is a row.
type LiveDevice struct {
	UUID       string
	Index      string
	Bus        string
	Name       string // as the driver says
	Part       bool   // a slice of the device above it
	Card       *Link
	Match      string // by what it was matched
	Candidates []Link
	Badges     []ExportWord
	Groups     []LiveCells // as many as groups of the host
}

// LiveCells is what a device tells for a group.
type LiveCells struct {
	ID    string
	Cells []LiveCell
}

// LiveCell is what a device tells for a column. Where Text is empty there is no reading.
type LiveCell struct {
	Column string
	Label  string
	Text   string
	Share  float64 // length of the bar, 0 to 1; below 0 there is none
	Old    bool    // the reading is older than it should be
	Notes  []string
	Spark  *Spark
}

// Spark is the history of a reading: Path in a field of 100 × 20, Most the value at
// its top, Step the seconds from one point to the next.
type Spark struct {
	Path string
	Most float64
	Step float64
}

func (s Spark) most() string { return strconv.FormatFloat(s.Most, 'g', -1, 64) }
func (s Spark) step() string { return strconv.FormatFloat(s.Step, 'g', -1, 64) }

// LiveModel counts devices of a model.
type LiveModel struct {
	Model                  Link
	Devices, Idle, Unknown string
}

// LiveRoom is free memory of a host and card.
type LiveRoom struct {
	Host string
	Card Link
	Free string // "at least 66.2 GiB"
	Each string // "2 cards"
}

// LiveFits is what fits into the free memory of some cards.
type LiveFits struct {
	Title string
	Note  string
	Rows  []FitRowView
}

// said is what is said of the state, to tell whether it has changed.
func (s LiveStatus) said() string { return strings.Join([]string{s.Reason, s.Detail, s.Todo}, "\n") }

// barWidth is the length of a bar in a field of 100.
func (c LiveCell) barWidth() string { return strconv.FormatFloat(max(0, c.Share)*100, 'f', 1, 64) }
