package main

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestMCPOnStandardInputAndOutput speaks with the command as a client does that has started it.
func TestMCPOnStandardInputAndOutput(t *testing.T) {
	t.Chdir(t.TempDir()) // there is no database: the built-in data answer
	toServer, fromClient := io.Pipe()
	toClient, fromServer := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		c := &mcpCmd{DB: defaultDB, Origin: "https://cards.example"}
		e := &env{ctx: t.Context(), stdout: io.Discard, stderr: new(bytes.Buffer)}
		ended <- c.answer(e, &sdk.IOTransport{Reader: toServer, Writer: fromServer})
	}()
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(context.Background(), &sdk.IOTransport{Reader: toClient, Writer: fromClient}, nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := session.CallTool(context.Background(), &sdk.CallToolParams{Name: "resolve_name",
		Arguments: map[string]any{"q": "H100"}})
	if err != nil || r.IsError {
		t.Fatal(err, r)
	}
	text := r.Content[0].(*sdk.TextContent).Text
	for _, want := range []string{"nvidia-h100-sxm5-80gb", `"page":"https://cards.example/search?q=H100"`} {
		if !strings.Contains(text, want) {
			t.Errorf("got %.400s, want %s", text, want)
		}
	}
	if err := session.Close(); err != nil {
		t.Error(err)
	}
	if err := <-ended; err != nil {
		t.Errorf("got %v when the client hung up", err)
	}
}
