package sizing

// The load of a request where nobody says: the means of the ShareGPT requests that
// the suites of AccelMark send are far shorter than what is asked of services with
// documents; see docs/adr/0027-serving.md. An assumption, not a measurement.
const (
	DefaultPrompt = 1024
	DefaultOutput = 256
)
