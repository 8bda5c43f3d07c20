package admin

import (
	"net/http"
	"strconv"

	"tianti/diff"
	"tianti/web/api/imports"
	"tianti/web/site"
)

// downloadChanges answers GET /admin/import/{id}/changes.csv: what a draft would change, or a revision has changed, a
// line for each part of a card.
func (h *Handler) downloadDiff(w http.ResponseWriter, r *site.Request) error {
	if err := r.Only(); err != nil {
		return err
	}
	id, err := draftID(r)
	if err != nil {
		return asProblem(err)
	}
	p, err := h.importer.Preview(r.Context(), id)
	if err != nil {
		return asProblem(err)
	}
	patient(w, r)
	out := table(w, "changes-"+strconv.FormatInt(id, 10)+".csv", "card", "name", "change", "field", "old", "new",
		"source", "source_before", "shown_before", "shown_before_dataset", "shown_after", "shown_after_dataset")
	for i := range p.Report.Cards {
		c := &p.Report.Cards[i]
		for _, f := range c.Identity {
			writeRow(out, c.ID, c.Name, string(c.Kind), f.Name, f.Old, f.New, "", "", "", "", "", "")
		}
		for j := range c.Figures {
			f := &c.Figures[j]
			shown := diff.Shown{}
			if f.Shown != nil {
				shown = *f.Shown
			}
			writeRow(out, c.ID, c.Name, string(f.Kind), f.Quantity, orEmpty(imports.FactText(f.Old)),
				orEmpty(imports.FactText(f.New)), f.Source, f.Before,
				shown.Before, shown.BeforeDataset, shown.After, shown.AfterDataset)
		}
	}
	out.Flush()
	return nil
}

func orEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
