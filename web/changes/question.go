package changes

import (
	"cmp"
	"net/url"
	"strconv"
	"strings"
	"time"

	"tianti/catalog"
	"tianti/sorting"
)

const (
	usualDays = 30  // what changed in these is what the page shows without an address
	usualMost = 100 // cards on a page
	mostPage  = 1000
)

// A question is from when until when, and which part of the answer.
type question struct {
	from, to         catalog.Date // both or neither
	before, after    int64        // revisions of a dataset; after is 0 where days are asked for
	page, limit      int
	given            bool // days or revisions stand in the address
	usualFrom, today catalog.Date
}

// read reads an address. Days are those of UTC.
func read(values url.Values, today catalog.Date) (q question, errs []catalog.ParamError) {
	day, _ := time.Parse(time.DateOnly, string(today))
	q = question{today: today, usualFrom: catalog.Date(day.AddDate(0, 0, -usualDays).Format(time.DateOnly)), page: 1,
		limit: usualMost}
	from, to := strings.TrimSpace(values.Get("from")), strings.TrimSpace(values.Get("to"))
	q.given = from != "" || to != ""
	if isNumber(cmp.Or(from, to)) && isNumber(cmp.Or(to, from)) && q.given {
		q.before, q.after, errs = readRevisions(from, to)
	} else {
		errs = q.readDays(from, to)
	}
	for name, at := range map[string]*int{"page": &q.page, "limit": &q.limit} {
		if text := strings.TrimSpace(values.Get(name)); text != "" {
			n, err := strconv.Atoi(text)
			if err != nil || n < 1 || n > mostPage {
				errs = append(errs, catalog.ParamError{Param: name, Value: catalog.Clip(text), Code: catalog.OutOfRange,
					Allowed: "1 … " + strconv.Itoa(mostPage)})
				continue
			}
			*at = n
		}
	}
	return q, errs
}

func isNumber(text string) bool {
	return text != "" && strings.Trim(text, "0123456789") == ""
}

// readRevisions reads two numbers; the one before may be 0: nothing.
func readRevisions(from, to string) (before, after int64, errs []catalog.ParamError) {
	for _, p := range []struct {
		name, text string
		least      int64
		at         *int64
	}{{"from", from, 0, &before}, {"to", to, 1, &after}} {
		n, err := strconv.ParseInt(p.text, 10, 64)
		if err != nil || n < p.least {
			errs = append(errs, catalog.ParamError{Param: p.name, Value: catalog.Clip(p.text), Code: catalog.OutOfRange,
				Allowed: strconv.FormatInt(p.least, 10) + " … "})
			continue
		}
		*p.at = n
	}
	return before, after, errs
}

func (q *question) readDays(from, to string) (errs []catalog.ParamError) {
	q.from, q.to = q.usualFrom, q.today
	for _, p := range []struct {
		name, text string
		at         *catalog.Date
	}{{"from", from, &q.from}, {"to", to, &q.to}} {
		if p.text == "" {
			continue
		}
		day, err := time.Parse(time.DateOnly, p.text)
		if err != nil || day.Year() < 1990 || p.text > string(q.today) {
			errs = append(errs, catalog.ParamError{Param: p.name, Value: catalog.Clip(p.text), Code: catalog.BadDay,
				Allowed: "1990-01-01 … " + string(q.today)})
			continue
		}
		*p.at = catalog.Date(p.text)
	}
	if len(errs) == 0 && q.from > q.to {
		if from == "" { // an early end alone: the month before it
			day, _ := time.Parse(time.DateOnly, string(q.to))
			q.from = catalog.Date(day.AddDate(0, 0, -usualDays).Format(time.DateOnly))
			return nil
		}
		errs = append(errs, catalog.ParamError{Param: "from", Value: from, Code: catalog.OutOfRange,
			Allowed: "… " + string(q.to)})
	}
	return errs
}

// byDays reports whether days are asked for.
func (q *question) byDays() bool { return q.after == 0 }

// ends are the moments at which the days are over.
func (q *question) ends() (after, until time.Time) {
	end := func(d catalog.Date) time.Time {
		day, _ := time.Parse(time.DateOnly, string(d))
		return day.AddDate(0, 0, 1).Add(-time.Nanosecond)
	}
	return end(q.from), end(q.to)
}

// within reports whether a date, which may be of a month or a year, lies between the days: by its last day.
func (q *question) within() func(catalog.Date) bool {
	from, to := q.from.LastOrdinal(), q.to.LastOrdinal()
	return func(d catalog.Date) bool {
		if len(d) == len(q.from) { // both are of a day
			return d > q.from && d <= q.to
		}
		last := d.LastOrdinal()
		return last > from && last <= to
	}
}

// encode is the query of a page of the answer; empty for the first of the usual one.
func (q question) encode(page int) string {
	values := url.Values{}
	switch {
	case !q.byDays():
		values.Set("from", strconv.FormatInt(q.before, 10))
		values.Set("to", strconv.FormatInt(q.after, 10))
	case q.given:
		values.Set("from", string(q.from))
		values.Set("to", string(q.to))
	}
	if page > 1 {
		values.Set("page", strconv.Itoa(page))
	}
	if q.limit != usualMost {
		values.Set("limit", strconv.Itoa(q.limit))
	}
	return values.Encode()
}

// words are both ends as people write them.
func (q *question) words() (from, to string) {
	if q.byDays() {
		return string(q.from), string(q.to)
	}
	return strconv.FormatInt(q.before, 10), strconv.FormatInt(q.after, 10)
}

// part is one page of a list.
func part[T any](list []T, page, limit int) []T {
	from := min((page-1)*limit, len(list))
	return list[from:min(from+limit, len(list))]
}

// announced are the cards of the days, the latest first.
func (q *question) announced(s *catalog.Snapshot, launched *catalog.Quantity) []announcement {
	var out []announcement
	within := q.within()
	for row := range s.Len() {
		if day, ok := s.Text(launched, row); ok && within(catalog.Date(day)) {
			out = append(out, announcement{row, catalog.Date(day)})
		}
	}
	sorting.Func(out, func(a, b announcement) int { return cmp.Compare(b.date, a.date) })
	return out
}

// An announcement is a card with its day.
type announcement struct {
	row  int
	date catalog.Date
}

// mostLatest is how many prices are listed.
const mostLatest = 50

// prices are the offers whose latest price is of the days, the newest first, at most so many, and how many there are.
func (q *question) prices(s *catalog.Snapshot, stopped func() bool) (latest []*catalog.PriceInfo, total int) {
	all, within := s.LatestPrices(), q.within()
	kept := newest[*catalog.PriceInfo]{most: mostLatest}
	for i := range all {
		info := &all[i]
		if info.Kind == catalog.LaunchPrice || info.Date == "" || !within(info.Date) {
			continue
		}
		if total++; total%4096 == 0 && stopped() {
			break
		}
		kept.add(info.Date, info)
	}
	return kept.items, total
}
