package mcp

import (
	"context"
	"net/http"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"tianti/web/site"
)

// resources are addresses of this site that clients may read as a whole.
var resources = []struct{ uri, name, title, description, mime, address string }{
	{"tianti://methodology", "methodology", "How figures, prices and estimates are made",
		"What a figure is, which source wins, how prices are converted, how estimates are computed and how accurate " +
			"they are.",
		"text/markdown", "/methodology.md"},
	{"tianti://metrics", "metrics", "The metrics",
		"Every metric: id, unit, which way is better, definition in English and Chinese, and how many cards have a " +
			"value.",
		"application/json", "/api/v1/metrics"},
}

func (h *Handler) addResources(s *sdk.Server) {
	for _, res := range resources {
		s.AddResource(&sdk.Resource{URI: res.uri, Name: res.name, Title: res.title, Description: res.description,
			MIMEType: res.mime}, func(ctx context.Context, req *sdk.ReadResourceRequest) (*sdk.ReadResourceResult,
			error) {
			r, _ := ctx.Value(clientKey{}).(*http.Request)
			if h.site.State.Load() == nil {
				return nil, site.ErrNotLoaded
			}
			asked, err := h.site.Ask(ctx, r, res.address)
			if err != nil {
				return nil, err
			}
			if asked.Status != http.StatusOK {
				return nil, sdk.ResourceNotFoundError(res.uri)
			}
			return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{
				{URI: res.uri, MIMEType: res.mime, Text: string(asked.Body)},
			}}, nil
		})
	}
}
