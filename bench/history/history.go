// Package history makes files of prices as large as a program needs them: of day after day, that of every offer; and
// files of cards.
package history

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"tianti/catalog"
	"tianti/seed"
)

const columns = "card,kind,amount,currency,unit,cards,term_months,seller,instance,region,tax,date,source,note_en,note_zh"

// History is prices of offers, one a day of each, of all cards that are built in.
type History struct {
	offers int
	cards  []string
}

// New is the history of so many offers.
func New(offers int) (*History, error) {
	data, err := seed.Builtin()
	if err != nil {
		return nil, err
	}
	h := &History{offers: offers}
	for i := range data.Cards {
		h.cards = append(h.cards, data.Cards[i].ID)
	}
	return h, nil
}

// Card is the card of the i-th price.
func (h *History) Card(i int) string { return h.cards[i%h.offers%len(h.cards)] }

// Write writes n prices from one on to a file, as CSV.
func (h *History) Write(file string, from, n int) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<20)
	fmt.Fprintln(w, columns)
	for i := from; i < from+n; i++ {
		offer, day := i%h.offers, i/h.offers
		date := time.Date(2023, 6, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, day)
		price := catalog.Money{Micros: 1_000_000 + int64(offer)*1000 + int64(day%97), Currency: "USD"}
		fmt.Fprintf(w, "%s,on_demand,%s,USD,hour,1,,Seller %d,,region-%d,,%s,list,,\n", h.Card(i), price.Decimal(),
			offer/len(h.cards)%20, offer/len(h.cards), date.Format(time.DateOnly))
	}
	return errors.Join(w.Flush(), f.Close())
}

// WriteCards writes the cards of a dataset with their sources, as a data file in JSON.
func WriteCards(w io.Writer, d catalog.Dataset) error { return seed.EncodeJSON(w, d) }
