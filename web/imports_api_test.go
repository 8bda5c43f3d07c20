package web_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"tianti/account"
	"tianti/catalog"
	"tianti/importer"
	"tianti/web"
	"tianti/web/api"
	"tianti/web/api/imports"
)

// importSite is a site whose catalogue follows its database, and a program with a
// token that may import.
type importSite struct {
	*site
	t     *testing.T
	token string
}

func newImportSite(t *testing.T) *importSite {
	t.Helper()
	var server *web.Server
	s := newSite(t, func(c *web.Config) {
		c.Importer = importer.New(importer.Config{Store: c.Datasets.(importer.Store), MaxBytes: 1 << 20,
			Snapshot: func() *catalog.Snapshot { return server.Snapshot() }})
	})
	server = s.web
	_, secret := s.site().token(t, "anna", account.ScopeImport, time.Time{})
	return &importSite{s, t, secret}
}

func (s *site) site() *site { return s }

// call asks with the token and decodes the answer into v.
func (s *importSite) call(method, path, body string, v any) *http.Response {
	s.t.Helper()
	return s.as("Bearer "+s.token, method, path, body, v)
}

func (s *importSite) as(authorization, method, path, body string, v any) *http.Response {
	s.t.Helper()
	req, err := http.NewRequest(method, s.URL+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	if authorization != "" {
		req.Header.Set("Authorization", authorization)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	if p, ok := v.(*string); ok {
		*p = string(text)
	} else if v != nil {
		if err := json.Unmarshal(text, v); err != nil {
			s.t.Fatalf("%s %s: %d %s: %v", method, path, res.StatusCode, text, err)
		}
	}
	return res
}

const importedPrices = "card,price,currency,kind,date\nsynthetic-000000,1000,USD,street,2026-11-01\n" +
	"Nothing Known,5,USD,street,2026-11-01\nsynthetic-000001,<script>,USD,street,2026-11-01\n"

func TestAFileIsPreviewedAppliedAndTakenBackByTheAPI(t *testing.T) {
	s := newImportSite(t)
	var p imports.Import
	res := s.call("POST", "/api/v1/imports?dataset=shop&file=a.csv", importedPrices, &p)
	at := "/api/v1/imports/" + strconv.FormatInt(p.ID, 10)
	if res.StatusCode != 201 || res.Header.Get("Location") != at || res.Header.Get("Cache-Control") != "no-store" ||
		res.Header.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("got %d %v", res.StatusCode, res.Header)
	}
	if p.State != "ready" || p.Summary.NewPrices() != 1 || p.File.Name != "a.csv" || p.By != "anna" ||
		p.Summary.Skipped["unknown"] != 1 {
		t.Errorf("got %+v", p)
	}
	var drafts imports.DraftList
	if s.call("GET", "/api/v1/imports", "", &drafts); len(drafts.Items) != 1 || drafts.Items[0].ID != p.ID {
		t.Errorf("got %+v", drafts)
	}
	var left imports.LeftOut
	if s.call("GET", at+"/left-out?limit=1", "", &left); left.Total != 2 || len(left.Items) != 1 || left.Next == nil ||
		*left.Next != at+"/left-out?from=1&limit=1" {
		t.Errorf("got %+v", left)
	}
	var table string
	if res := s.call("GET", at+"/left-out.csv?reason=unknown", "", &table); !strings.HasPrefix(table,
		"line,name,field,reason,message\n3,Nothing Known,") || res.Header.Get("Content-Disposition") == "" {
		t.Errorf("got %q", table)
	}
	var file string
	if res := s.call("GET", at+"/file", "", &file); file != importedPrices ||
		res.Header.Get("Content-Type") != "application/octet-stream" ||
		!strings.HasPrefix(res.Header.Get("Content-Disposition"), "attachment") {
		t.Errorf("got %q, %v", file, res.Header)
	}
	var rev imports.Revision
	if res := s.call("POST", at+"/apply?note=first", "", &rev); res.StatusCode != 200 || rev.Prices != 1 ||
		rev.Note != "first" || !rev.Active {
		t.Errorf("got %d %+v", res.StatusCode, rev)
	}
	if res := s.call("DELETE", at, "", nil); res.StatusCode != 404 {
		t.Errorf("got %d, want an applied revision to stay", res.StatusCode)
	}
	var ds imports.DatasetDetail
	if s.call("POST", "/api/v1/datasets/shop/rank?rank=120", "", &ds); ds.Rank != 120 {
		t.Errorf("got %+v", ds)
	}
	if s.call("POST", "/api/v1/datasets/shop/revert", "", &ds); ds.Active != 0 || len(ds.History) != 1 {
		t.Errorf("got %+v", ds)
	}
	if res := s.call("POST", "/api/v1/datasets/shop/revert", "", nil); res.StatusCode != 409 {
		t.Errorf("got %d, want a conflict when nothing is active", res.StatusCode)
	}
	number := strconv.FormatInt(rev.Number, 10)
	if s.call("POST", "/api/v1/datasets/shop/activate?revision="+number, "", &ds); ds.Active != rev.Number {
		t.Errorf("got %+v", ds)
	}
	if s.call("GET", "/api/v1/datasets/shop/revisions/"+number+"/file", "", &file); file != importedPrices {
		t.Errorf("got %q", file)
	}
	var list imports.DatasetList
	if s.call("GET", "/api/v1/datasets", "", &list); len(list.Items) != 1 {
		t.Errorf("got %+v", list)
	}
	var log imports.ChangeLog
	s.call("GET", "/api/v1/log?action=import&limit=1", "", &log)
	if len(log.Items) != 1 || log.Items[0].Actor != "anna" || log.Items[0].Via != "api" ||
		log.Items[0].Address != "127.0.0.1" {
		t.Errorf("got %+v", log)
	}
	if s.call("GET", "/api/v1/log.csv?q=shop", "", &table); !strings.Contains(table,
		",anna,api,127.0.0.1,import.apply,shop,") {
		t.Errorf("got %q", table)
	}
}

func TestWithoutADryRunAFileIsAppliedAtOnce(t *testing.T) {
	s := newImportSite(t)
	var p imports.Import
	if res := s.call("POST", "/api/v1/imports?dry_run=false&dataset=shop", importedPrices, &p); res.StatusCode != 201 ||
		p.State != "applied" || p.Revision == nil || !p.Revision.Active {
		t.Errorf("got %d %+v", res.StatusCode, p)
	}
	if res := s.call("POST", "/api/v1/imports?dry_run=false&dataset=shop", importedPrices, &p); res.StatusCode != 200 ||
		!p.Summary.Nothing {
		t.Errorf("got %d %+v, want nothing to have been done", res.StatusCode, p.Summary)
	}
	var drafts imports.DraftList
	if s.call("GET", "/api/v1/imports", "", &drafts); len(drafts.Items) != 0 {
		t.Errorf("got %+v, want no draft left", drafts)
	}
	var problem api.Problem
	if res := s.call("POST", "/api/v1/imports?dry_run=false&dataset=other", "was,wieviel\nx,1\n",
		&problem); res.StatusCode != 409 || len(problem.Errors) != 1 || problem.Errors[0].Code != "choice" {
		t.Errorf("got %d %+v", res.StatusCode, problem)
	}
}

func TestWhatIsWrongWithAnImportIsNamed(t *testing.T) {
	s := newImportSite(t)
	for _, c := range []struct {
		method, path, body string
		status             int
		parameter          string
	}{
		{"POST", "/api/v1/imports?dryrun=false", importedPrices, 400, "dryrun"},
		{"POST", "/api/v1/imports?dry_run=no", importedPrices, 400, "dry_run"},
		{"POST", "/api/v1/imports?dataset=a&dataset=b", importedPrices, 400, "dataset"},
		{"POST", "/api/v1/imports?dataset=builtin", importedPrices, 400, "dataset"},
		{"POST", "/api/v1/imports?currency=XXQ", importedPrices, 400, "currency"},
		{"POST", "/api/v1/imports?name=x", importedPrices, 400, "name"},
		{"POST", "/api/v1/imports?name=x%3Dnobody&name=y%3D", importedPrices, 400, "name"},
		{"POST", "/api/v1/imports?rank=many", importedPrices, 400, "rank"},
		{"POST", "/api/v1/imports", "", 422, "body"},
		{"POST", "/api/v1/imports", "card,price\n" + strings.Repeat("x", 2<<20), 413, ""},
		{"GET", "/api/v1/imports/99", "", 404, ""},
		{"GET", "/api/v1/imports/x", "", 404, ""},
		{"GET", "/api/v1/datasets/none", "", 404, ""},
		{"POST", "/api/v1/datasets/none/revert", "", 404, ""},
		{"POST", "/api/v1/datasets/none/activate", "", 400, "revision"},
		{"POST", "/api/v1/datasets/none/rank?rank=9999", "", 400, "rank"},
		{"GET", "/api/v1/datasets/none/revisions/1/file", "", 404, ""},
		{"GET", "/api/v1/log?limit=0", "", 400, "limit"},
		{"PUT", "/api/v1/imports", "", 405, ""},
	} {
		var p api.Problem
		res := s.call(c.method, c.path, c.body, &p)
		field := ""
		if len(p.Errors) > 0 {
			field = p.Errors[0].Parameter
		}
		if res.StatusCode != c.status || field != c.parameter || p.Detail == "" ||
			res.Header.Get("Content-Type") != "application/problem+json" ||
			res.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s %s: got %d, field %q: %s (%v)", c.method, c.path, res.StatusCode, field, p.Detail, res.Header)
		}
	}
}

func TestOnlyWhoMayImportIsLetIn(t *testing.T) {
	s := newImportSite(t)
	_, reads := s.site.token(t, "anna", account.ScopeRead, time.Time{})
	_, bobs := s.site.token(t, "bob", account.ScopeImport, time.Time{})
	for _, o := range s.web.Operations() {
		if !o.Managed {
			continue
		}
		path := strings.NewReplacer("{id}", "1", "{dataset}", "shop", "{revision}", "1").Replace(o.Path)
		for authorization, want := range map[string]int{"": 401, "Bearer x": 401, "Basic x": 401,
			"Bearer " + reads: 403, "Bearer " + bobs: 403} {
			var p api.Problem
			res := s.as(authorization, o.HTTPMethod(), path, "", &p)
			if res.StatusCode != want || res.Header.Get("WWW-Authenticate") == "" ||
				res.Header.Get("Cache-Control") != "no-store" {
				t.Errorf("%s %s as %q: got %d, want %d", o.HTTPMethod(), path, authorization, res.StatusCode, want)
			}
		}
	}
}

func TestTheDocumentHasTheOperationsOfImports(t *testing.T) {
	s := newImportSite(t)
	doc := api.Document("test", "", s.web.Operations(), func(string, string) any { return nil })
	for _, o := range s.web.Operations() {
		item := doc.Paths[o.Path]
		if item == nil {
			t.Errorf("%s is not in the document", o.Path)
			continue
		}
		op := map[string]bool{"GET": item.Get != nil, "POST": item.Post != nil, "DELETE": item.Delete != nil}
		if !op[o.HTTPMethod()] {
			t.Errorf("%s %s is not in the document", o.HTTPMethod(), o.Path)
		}
	}
}
