package exportcontrol

import (
	_ "embed"
	"encoding/csv"
	"fmt"
	"strings"
)

//go:embed stated.csv
var statedCSV string

// A Statement is a status that somebody states of a card: what [Evaluate] is
// checked against in public.
type Statement struct {
	Card, Day string
	Rule      *Rule
	Status    Status
	Exception bool   // a licence exception is stated to be open
	Basis     string // filing, authority, vendor, press or inference
	Address   string
}

var statements = readStatements(statedCSV)

// Statements lists them by rule and day. The caller must not change them.
func Statements() []Statement { return statements }

// readStatements reads the embedded table; it panics on a malformed one, which no
// build that passed its tests has.
func readStatements(text string) []Statement {
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		panic(fmt.Sprintf("exportcontrol: embedded table: %v", err))
	}
	var out []Statement
	for _, r := range rows[1:] {
		rule, ok := Find(r[2])
		if !ok {
			panic("exportcontrol: embedded table: no rule " + r[2])
		}
		out = append(out, Statement{Card: r[0], Day: r[1], Rule: rule, Status: Status(r[3]), Exception: r[4] == "yes",
			Basis: r[5], Address: r[6]})
	}
	return out
}

// Agreement is how a statement compares with what the figures give.
type Agreement string

const (
	Agrees        Agreement = "agrees"
	Disagrees     Agreement = "disagrees"
	NotComputable Agreement = "not_computable" // a figure that may decide is not known
	// the status rests on a name or the vendor's classification, not on figures
	ByItsOwnWord Agreement = "own_word"
)

// Compare evaluates the item for China on the statement's day.
func (s Statement) Compare(it *Item) (Evaluation, Agreement) {
	res := Evaluate(it, Question{AsOf: s.Day, Destination: "CN"})
	for _, e := range res.Evaluations {
		if e.Rule != s.Rule {
			continue
		}
		if e.Status == Unknown {
			return e, NotComputable
		}
		if e.Status != s.Status || s.Exception != (e.Exception != "") {
			return e, Disagrees
		}
		if e.Reason == ByName || e.Reason == ByECCN {
			return e, ByItsOwnWord
		}
		return e, Agrees
	}
	return Evaluation{}, NotComputable
}
