package site

import (
	"bytes"
	"net/http"
	"strings"

	"tianti/catalog"
	"tianti/locale"
	"tianti/tablefile"
	"tianti/web/api"
)

// markParam chooses whether CSV begins with a byte-order mark. In Chinese it does unless told otherwise: spreadsheets
// take a file without one for another encoding.
const markParam = "bom"

// parseMark takes the choice out of the parameters of a table.
func (r *Request) parseMark() error {
	if r.Format != AsCSV || r.As != "" {
		return nil
	}
	given, ok := r.Values[markParam]
	delete(r.Values, markParam)
	switch {
	case !ok:
		r.Mark = r.Loc == locale.Of("zh")
	case len(given) == 1 && (given[0] == "yes" || given[0] == "no"):
		r.Mark = given[0] == "yes"
	default:
		return api.BadParams([]catalog.ParamError{{Param: markParam, Value: catalog.Clip(given[0]),
			Code: catalog.UnknownValue, Allowed: "yes, no"}})
	}
	return nil
}

// remade is a plan whose CSV becomes what the request asks for.
func (r *Request) remade(p Plan) Plan {
	if r.As == "" && !r.Mark {
		return p
	}
	render := p.Render
	p.Key += " " + string(r.As) + " " + markParam
	p.Render = func() (Answer, error) {
		a, err := render()
		if err != nil || a.Status != 0 && a.Status != http.StatusOK || !strings.HasPrefix(a.ContentType, "text/csv") {
			return a, err
		}
		if r.As == "" {
			a.Body = append([]byte("\ufeff"), a.Body...)
			a.Sum = nil
			return a, nil
		}
		return remake(a, r.As)
	}
	return p
}

// TableTypes are the media types of tables.
var TableTypes = map[Format]string{
	AsJSONL:   "application/x-ndjson; charset=utf-8",
	AsXLSX:    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
	AsParquet: "application/vnd.apache.parquet",
}

// remake makes another file of the CSV of an answer.
func remake(a Answer, f Format) (Answer, error) {
	t, err := tablefile.FromCSV(bytes.NewReader(a.Body))
	if err != nil {
		return a, err
	}
	stem := strings.TrimSuffix(a.download, ".csv")
	a.ContentType, a.Sum, a.Link = TableTypes[f], nil, "" // the next page is another file
	switch f {
	case AsJSONL:
		a.Body = t.JSONL()
	case AsXLSX:
		a.Body = t.XLSX(stem)
	default:
		a.Body = t.Parquet()
	}
	if stem != "" {
		a.download = stem + "." + string(f)
	}
	return a, nil
}
