package api

import (
	"fmt"
	"net/http"
	"strings"

	"tianti/catalog"
)

// A Problem is an error that the client can understand: what RFC 9457 calls a
// problem detail. It is the one error type of requests; pages show it in the
// reader's language, the API as application/problem+json.
type Problem struct {
	Type       string         `json:"type" doc:"what kind of problem it is: about:blank, or an address with an explanation" example:"about:blank"`
	Title      string         `json:"title" doc:"short text of the status" example:"Bad Request"`
	Status     int            `json:"status" doc:"HTTP status" example:"400"`
	Detail     string         `json:"detail,omitempty" doc:"what is wrong with this request and what is allowed"`
	Instance   string         `json:"instance,omitempty" doc:"id of the failure, to quote when reporting it"`
	Errors     []ProblemField `json:"errors,omitempty" doc:"each thing wrong with a parameter"`
	Candidates []candidate    `json:"candidates,omitempty" doc:"cards that may be meant; nothing is guessed"`

	Rates []statedRate `json:"rates,omitempty" doc:"rates that sources do state of the card, none of which was asked for"`

	// Nearest is the address of the nearest thing that there is.
	Nearest string `json:"nearest,omitempty" doc:"address of the nearest that there is"`

	// Params are the same errors as the catalogue reports them.
	Params []catalog.ParamError `json:"-"`
	// Message says it on a page, as a message with its arguments; empty for the usual words.
	Message string `json:"-"`
	Args    []any  `json:"-"`
	// Card is the id that no card has, when that is the problem.
	Card string `json:"-"`
}

// A statedRate is a rate of a card.
type statedRate struct {
	Metric string  `json:"metric" doc:"id of the metric" example:"fp4_matrix_dense_tflops"`
	Value  float64 `json:"value" doc:"as the source states it"`
	Unit   string  `json:"unit" doc:"unit of the value" example:"TFLOPS"`
	Source string  `json:"source" doc:"id of the source"`
	Standing
}

// A ProblemField is one thing wrong with one parameter.
type ProblemField struct {
	Parameter string   `json:"parameter" doc:"name of the query or path parameter"`
	Value     string   `json:"value,omitempty" doc:"what was given, shortened"`
	Code      string   `json:"code" doc:"machine-readable reason" example:"unknown_parameter"`
	Detail    string   `json:"detail" doc:"the reason in words"`
	Nearest   []string `json:"nearest,omitempty" doc:"the nearest valid names"`
}

// A Candidate is a card that a name may mean.
type candidate struct {
	ID   string `json:"id" doc:"card id" example:"nvidia-h100-sxm5-80gb"`
	Name string `json:"name" doc:"vendor and name"`
}

func (p *Problem) Error() string { return fmt.Sprintf("%d %s: %s", p.Status, p.Title, p.Detail) }

// NewProblem returns a problem with that status and detail.
func NewProblem(status int, format string, args ...any) *Problem {
	return &Problem{Type: "about:blank", Title: http.StatusText(status), Status: status,
		Detail: fmt.Sprintf(format, args...)}
}

// BadParams returns the 400 for wrong parameters.
func BadParams(errs []catalog.ParamError) *Problem {
	p := NewProblem(http.StatusBadRequest, "%s", "")
	p.Params = errs
	var details []string
	for _, e := range errs {
		f := ProblemField{Parameter: e.Param, Value: e.Value, Code: string(e.Code), Detail: explain(e),
			Nearest: e.Nearest}
		p.Errors = append(p.Errors, f)
		details = append(details, f.Detail)
	}
	p.Detail = strings.Join(details, " ")
	return p
}

// explain puts a parameter error into English words. (Pages have their own texts
// in both languages.)
func explain(e catalog.ParamError) string {
	s := map[catalog.ParamCode]string{
		catalog.UnknownParam: "There is no parameter %q.",
		catalog.Repeated:     "%q may be given only once.",
		catalog.BadRange: "%q takes 24..80, 24.., ..80, 80, >=300, <300, lists such as 24,48, !24, any or " +
			"none; dates as 2022, 2022-03 or 2022-03-22.",
		catalog.UnknownValue: "%q does not take this value.",
		catalog.BadDay:       "%q is not a day that can be asked for; write YYYY-MM-DD.",
		catalog.BadCountry:   "%q is not a country; write a two-letter code of ISO 3166-1, such as CN.",
		catalog.BadNumber:    "%q is not a number in range.",
		catalog.BadLimit:     "%q is not in range.",
		catalog.BadCursor:    "%q is not a page of this list; take it from the next field of an answer.",
		catalog.TooLong:      "%q is too long.",
		catalog.BadEncoding:  "%q is not valid UTF-8 or not a valid percent-encoding.",
		catalog.Missing:      "%q is required.",
		catalog.Ambiguous:    "%q: several cards have that name.",
		catalog.TooMany:      "%q has too many values.",
		catalog.Conflict:     "%q cannot be combined with another parameter.",
		catalog.NoDirection: "%q takes quantities of which more or less is better; this one has " +
			"no better direction.",
		catalog.NotText:          "%q is not valid text, or too long.",
		catalog.NotANumber:       "%q takes a number.",
		catalog.NotWhole:         "%q takes a whole number.",
		catalog.OutOfRange:       "%q is not in range.",
		catalog.Contradicts:      "%q does not go with another parameter.",
		catalog.NotForTask:       "%q is not for this task.",
		catalog.NeedsQuantised:   "%q must be a quantised format for QLoRA.",
		catalog.NeedsFullWeights: "%q must be a format of 16 bits or more for this task.",
		catalog.OneCard:          "%q divides a job, which takes more than one card, or offload.",
		catalog.OneKindServes: "%q: an engine works on cards of one kind. Ask /api/v1/serve/plan for each kind " +
			"and add up what they carry.",
		catalog.NotDivisible:   "%q does not divide what it is to divide.",
		catalog.NotByFramework: "%q is something that the framework does not do.",
		catalog.NoArchitecture: "%q is a model whose architecture is not known.",
		catalog.BeyondModel: "%q is more than the model was made for: it takes RoPE scaling or a release for " +
			"longer contexts.",
		catalog.NotJSON:     "%q is not one JSON object, or too deep.",
		catalog.IsEncoder:   "%q is an encoder, which writes no text.",
		catalog.IsEmbedding: "%q is an embedding model, which writes no text.",
		catalog.IsReranker:  "%q is a reranker, which writes no text.",
		catalog.IsVision:    "%q is a vision model, which writes no text.",
		catalog.IsDiffusion: "%q is a diffusion model, which is not sized as a language model.",
		catalog.IsSpeech:    "%q is a speech model, which is not sized as a language model.",
		catalog.NotForModel: "%q is not for models of this kind.",
		catalog.NoPipeline: "%q is a model of diffusion of which the pipeline is not known: its blocks, text " +
			"encoders and VAE.",
		catalog.MixedBases: "%q takes one: rates of different bases and prices of different kinds are " +
			"never set on one scale.",
	}[e.Code]
	s = fmt.Sprintf(s, e.Param)
	if e.Allowed != "" {
		s += " Allowed: " + e.Allowed + "."
	}
	if len(e.Nearest) > 0 {
		s += " Nearest: " + strings.Join(e.Nearest, ", ") + "."
	}
	return s
}

// JSON is the body of the problem.
func (p *Problem) JSON() []byte { return Encode(p) }

// candidates names cards by number.
func candidates(s *catalog.Snapshot, rows []int) []candidate {
	out := make([]candidate, len(rows))
	for i, row := range rows {
		c := s.Card(row)
		out[i] = candidate{c.ID, c.Vendor + " " + c.Name}
	}
	return out
}

// UnknownCard is the 404 for a card id that does not exist, with the nearest.
func UnknownCard(s *catalog.Snapshot, id string) *Problem {
	p := NewProblem(http.StatusNotFound, "There is no card %q.", catalog.Clip(id))
	if s.Day != "" {
		p = NewProblem(http.StatusNotFound, "There is no card %q as of %s.", catalog.Clip(id), s.Day)
	}
	p.Candidates = candidates(s, s.Suggest(id, 5))
	p.Card = catalog.Clip(id)
	return p
}
