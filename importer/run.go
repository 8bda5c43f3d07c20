package importer

import "time"

// A Run is a measured run that an administrator kept: it corrects estimates from then on.
type Run struct {
	Key   int64
	Query string // of the page of the estimate, with what was measured
	Note  string // of whoever kept it; may be empty
	By    string // name of the account
	At    time.Time
}
