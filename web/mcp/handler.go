// Package mcp answers programs that speak the Model Context Protocol: the catalogue as tools, resources and prompts.
//
// There are no sessions. A tool asks the API of this very site within the process, so that both answer alike, from one
// page cache, within one rate limit and behind the same tokens.
package mcp

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"runtime/debug"
	"strings"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"tianti/web/api"
	"tianti/web/site"
)

// A Handler answers /mcp, /llms.txt and /llms-full.txt.
type Handler struct {
	site    *site.Site
	version string // of the program
	stream  http.Handler
}

// maxRequest bounds the body of a request, in bytes: the longest call that any schema here admits is a tenth of it.
const maxRequest = 256 << 10

// New returns a handler of a site; version is the program's.
func New(s *site.Site, version string) *Handler {
	h := &Handler{site: s, version: version}
	server := sync.OnceValue(h.server) // the operations are known once all features are
	h.stream = sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server() },
		&sdk.StreamableHTTPOptions{
			Stateless: true, JSONResponse: true, MaxRequestBodyBytes: maxRequest,
			PropagateRequestCancellation: true,
			// A proxy on this host passes on the name that users call, and there is nothing behind this address that a
			// page of the same name could not read anyway.
			DisableLocalhostProtection: true,
		})
	return h
}

// Routes are the addresses of the feature.
func (h *Handler) Routes() []site.Route {
	return []site.Route{
		{Pattern: "/mcp", Method: http.MethodPost, Serve: h.serve, Plain: true},
		{Pattern: "/llms.txt", Page: h.llms, Plain: true},
		{Pattern: "/llms-full.txt", Page: h.llmsFull, Plain: true},
	}
}

// Operations are those of the API: the feature has none of its own.
func (h *Handler) Operations() []site.Operation { return nil }

// clientKey is where the context has the HTTP request, whose client pays for what its calls cause.
type clientKey struct{}

func (h *Handler) serve(w http.ResponseWriter, r *http.Request) {
	site.NoteRoute(w, r)
	if h.site.State.Load() == nil {
		req := site.NewRequest(r)
		req.Format = site.AsJSON
		h.site.Fail(w, req, nil, site.ErrNotLoaded)
		return
	}
	h.stream.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), clientKey{}, r)))
}

// Run answers one client over a transport, such as standard input and output, until it hangs up or ctx ends.
func (h *Handler) Run(ctx context.Context, t sdk.Transport) error { return h.server().Run(ctx, t) }

// server makes what the protocol speaks with. It keeps nothing of its clients.
func (h *Handler) server() *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "tianti", Title: "Tianti", Version: h.version},
		&sdk.ServerOptions{Instructions: instructions, Capabilities: &sdk.ServerCapabilities{
			Tools: &sdk.ToolCapabilities{}, Resources: &sdk.ResourceCapabilities{}, Prompts: &sdk.PromptCapabilities{},
		}})
	s.AddReceivingMiddleware(h.admitted, h.guarded)
	doc := api.Document(h.version, h.site.Origin, site.Described(h.site.Operations),
		func(string, string) any { return nil })
	schemas := newSchemas(doc)
	for _, t := range tools {
		t.add(s, h, schemas)
	}
	h.addResources(s)
	addPrompts(s)
	return s
}

// guarded makes an error of a panic: the library calls methods in goroutines of its own, where a panic would end the
// process.
func (h *Handler) guarded(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (result sdk.Result, err error) {
		defer func() {
			if v := recover(); v != nil {
				r, ok := ctx.Value(clientKey{}).(*http.Request)
				if !ok { // over standard input
					r = (&http.Request{Method: http.MethodPost, URL: &url.URL{Path: "/mcp"}}).WithContext(ctx)
				}
				result, err = nil, h.site.Unexpected(r, fmt.Errorf("panic in %s: %v\n%s", method, v, debug.Stack()))
			}
		}()
		return next(ctx, method, req)
	}
}

// admitted bounds what is answered without asking the site; what asks it is bounded there.
func (h *Handler) admitted(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		r, _ := ctx.Value(clientKey{}).(*http.Request)
		asks := method == "tools/call" || method == "resources/read" || strings.HasPrefix(method, "notifications/")
		if r == nil || asks {
			return next(ctx, method, req)
		}
		leave, err := h.site.Admit(r, site.Light)
		if err != nil {
			return nil, err
		}
		defer leave()
		return next(ctx, method, req)
	}
}

// operation is one of the API's by its id.
func (h *Handler) operation(id string) api.Operation {
	for _, o := range h.site.Operations {
		if o.ID == id {
			return o.Operation
		}
	}
	panic(fmt.Sprintf("mcp: there is no operation %q", id)) // the tests call every tool
}

const instructions = `Tianti compares AI accelerators: figures with their sources, prices with their dates, export control
rules, and estimates of memory, speed and cost of a job. Every answer names the revision of the catalogue (snapshot),
the sources with their dates, what it does not cover (caveats) and the page that shows the same to people: cite that
page. A figure that is absent is unknown, not zero. Resolve names with resolve_name first; the other tools take card ids.`
