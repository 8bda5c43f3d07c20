// Command clients calls every operation of the API by a client that oapi-codegen has generated from its document, and
// fails where an answer is not what the document says. api/api.gen.go is made before; test/contract runs both.
//
//	clients ADDRESS TOKEN
package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"reflect"
	"strings"

	"tianti/test/clients/api"
)

const card = "nvidia-h100-sxm5-80gb"

func main() {
	if err := run(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// caller remembers the first thing that was wrong.
type caller struct {
	err error
}

// answer holds what a call has returned against what the client made of it: a status of success, and of JSON the value
// that it was read into.
func (c *caller) answer(name string, response any, err error) {
	if c.err != nil {
		return
	}
	if err != nil {
		c.err = fmt.Errorf("%s: %w", name, err)
		return
	}
	v := reflect.ValueOf(response).Elem()
	r := v.FieldByName("HTTPResponse").Interface().(*http.Response)
	body := v.FieldByName("Body").Bytes()
	fmt.Println(r.Request.Method, r.Request.URL.Path)
	if r.StatusCode/100 != 2 {
		c.err = fmt.Errorf("%s: status %s: %.500s", name, r.Status, body)
		return
	}
	if !strings.HasPrefix(r.Header.Get("Content-Type"), "application/json") {
		return
	}
	if read := v.FieldByName(fmt.Sprintf("JSON%d", r.StatusCode)); !read.IsValid() || read.IsNil() {
		c.err = fmt.Errorf("%s: the answer of status %s was not read", name, r.Status)
	}
}

func ptr[T any](v T) *T { return &v }

func run(address, token string) error {
	ctx := context.Background()
	c, err := api.NewClientWithResponses(address, api.WithRequestEditorFn(func(_ context.Context,
		r *http.Request) error {
		r.Header.Set("Authorization", "Bearer "+token)
		return nil
	}))
	if err != nil {
		return err
	}
	k := &caller{}
	public(ctx, c, k)
	managed(ctx, c, k)
	told(ctx, c, k)
	if k.err != nil {
		return k.err
	}
	return stream(ctx, c)
}

func public(ctx context.Context, c *api.ClientWithResponses, k *caller) {
	ask := func(name string, response any, err error) { k.answer(name, response, err) }
	{
		r, err := c.ListArchitecturesWithResponse(ctx, nil)
		ask("list-architectures", r, err)
	}
	{
		r, err := c.ListCardsWithResponse(ctx, &api.ListCardsParams{Q: ptr("h100")})
		ask("list-cards", r, err)
	}
	{
		r, err := c.GetCardWithResponse(ctx, card, nil)
		ask("get-card", r, err)
	}
	{
		r, err := c.CompareCardsWithResponse(ctx, &api.CompareCardsParams{
			Card: []string{card, "nvidia-b200-sxm-180gb"}})
		ask("compare-cards", r, err)
	}
	{
		r, err := c.EstimateWithResponse(ctx, &api.EstimateParams{Model: ptr("llama-3.1-8b"), Card: []string{card}})
		ask("estimate", r, err)
	}
	{
		r, err := c.GetExportControlWithResponse(ctx, &api.GetExportControlParams{Card: card})
		ask("get-export-control", r, err)
	}
	{
		r, err := c.GetLadderWithResponse(ctx, "memory_gb", nil)
		ask("get-ladder", r, err)
	}
	{
		r, err := c.GetMeasuredLadderWithResponse(ctx, measured, nil)
		ask("get-measured-ladder", r, err)
	}
	{
		r, err := c.GetLiveWithResponse(ctx, nil)
		ask("get-live", r, err)
	}
	{
		r, err := c.ListChangesWithResponse(ctx, &api.ListChangesParams{From: ptr("2026-01-01")})
		ask("list-changes", r, err)
	}
	{
		r, err := c.ListMetricsWithResponse(ctx)
		ask("list-metrics", r, err)
	}
	{
		r, err := c.ListModelsWithResponse(ctx, nil)
		ask("list-models", r, err)
	}
	{
		r, err := c.ReadConfigWithBodyWithResponse(ctx, "application/json", strings.NewReader(config))
		ask("read-config", r, err)
	}
	{
		r, err := c.ListOffersWithResponse(ctx, &api.ListOffersParams{Card: ptr(card)})
		ask("list-offers", r, err)
	}
	{
		r, err := c.GetPeakWithResponse(ctx, &api.GetPeakParams{Device: "NVIDIA H100 80GB HBM3"})
		ask("get-peak", r, err)
	}
	{
		r, err := c.ListPricesWithResponse(ctx, &api.ListPricesParams{Card: ptr(card)})
		ask("list-prices", r, err)
	}
	{
		r, err := c.StreamPricesWithResponse(ctx, &api.StreamPricesParams{Card: ptr(card), From: ptr("2026-01-01")})
		ask("stream-prices", r, err)
	}
	{
		r, err := c.DownloadPricesWithResponse(ctx, &api.DownloadPricesParams{Card: ptr(card), From: ptr("2026-01-01")})
		ask("download-prices", r, err)
	}
	{
		r, err := c.RecommendWithResponse(ctx, &api.RecommendParams{Model: ptr("llama-3.1-8b")})
		ask("recommend", r, err)
	}
	{
		r, err := c.SearchWithResponse(ctx, &api.SearchParams{Q: "mi300x"})
		ask("search", r, err)
	}
	{
		r, err := c.ServeWithResponse(ctx, &api.ServeParams{Model: ptr("llama-3.1-8b")})
		ask("serve", r, err)
	}
	{
		r, err := c.ServePlanWithResponse(ctx, &api.ServePlanParams{Model: ptr("llama-3.1-8b"), Card: card})
		ask("serve-plan", r, err)
	}
	{
		r, err := c.ListSourcesWithResponse(ctx)
		ask("list-sources", r, err)
	}
}

const (
	measured = "blender-4.5"
	config   = `{"model_type":"llama","architectures":["LlamaForCausalLM"],"hidden_size":4096,"num_hidden_layers":32,` +
		`"num_attention_heads":32,"num_key_value_heads":8,"intermediate_size":14336,"vocab_size":128256,` +
		`"max_position_embeddings":8192,"torch_dtype":"bfloat16"}`
	prices = "gpu,price,kind,currency,date,provider\nH100 SXM,2.5,on_demand,USD,2026-11-01,x\n" +
		"No Such Card,1,spot,USD,2026-11-01,x\n"
)

// told goes from an address that is told of changes to its end.
func told(ctx context.Context, c *api.ClientWithResponses, k *caller) {
	made, err := c.CreateWebhookWithBodyWithResponse(ctx, "application/json",
		strings.NewReader(`{"url":"https://webhook.invalid/x","events":["prices.changed"]}`))
	k.answer("create-webhook", made, err)
	if k.err != nil {
		return
	}
	id := made.JSON201.Id
	{
		r, err := c.ListWebhooksWithResponse(ctx)
		k.answer("list-webhooks", r, err)
	}
	{
		r, err := c.TestWebhookWithResponse(ctx, id)
		k.answer("test-webhook", r, err)
	}
	{
		r, err := c.RotateWebhookSecretWithResponse(ctx, id)
		k.answer("rotate-webhook-secret", r, err)
	}
	{
		r, err := c.ChangeWebhookWithResponse(ctx, id, &api.ChangeWebhookParams{Enabled: ptr(false)})
		k.answer("change-webhook", r, err)
	}
	{
		r, err := c.GetWebhookWithResponse(ctx, id)
		k.answer("get-webhook", r, err)
	}
	{
		r, err := c.RemoveWebhookWithResponse(ctx, id)
		k.answer("remove-webhook", r, err)
	}
}

// managed goes from an upload to its end, and to that of another.
func managed(ctx context.Context, c *api.ClientWithResponses, k *caller) {
	upload := func(text string) int64 {
		r, err := c.CreateImportWithBodyWithResponse(ctx, &api.CreateImportParams{File: ptr("prices.csv"),
			Dataset: ptr("shop"),
			Name:    &[]string{"H100 SXM=" + card}}, "application/octet-stream", strings.NewReader(text))
		k.answer("create-import", r, err)
		if k.err != nil {
			return 0
		}
		return r.JSON201.Id
	}
	id := upload(prices)
	{
		r, err := c.ListImportsWithResponse(ctx)
		k.answer("list-imports", r, err)
	}
	{
		r, err := c.GetImportWithResponse(ctx, id, nil)
		k.answer("get-import", r, err)
	}
	{
		r, err := c.GetImportFileWithResponse(ctx, id)
		k.answer("get-import-file", r, err)
		if k.err == nil && string(r.Body) != prices {
			k.err = fmt.Errorf("the file of the import is %q", r.Body)
		}
	}
	{
		r, err := c.ListLeftOutWithResponse(ctx, id, nil)
		k.answer("list-left-out", r, err)
	}
	{
		r, err := c.DownloadLeftOutWithResponse(ctx, id, nil)
		k.answer("download-left-out", r, err)
	}
	{
		r, err := c.ApplyImportWithResponse(ctx, id, nil)
		k.answer("apply-import", r, err)
	}
	{
		r, err := c.ListDatasetsWithResponse(ctx)
		k.answer("list-datasets", r, err)
	}
	{
		r, err := c.GetDatasetWithResponse(ctx, "shop")
		k.answer("get-dataset", r, err)
	}
	{
		r, err := c.GetRevisionFileWithResponse(ctx, "shop", id)
		k.answer("get-revision-file", r, err)
	}
	{
		r, err := c.RankDatasetWithResponse(ctx, "shop", &api.RankDatasetParams{Rank: 60})
		k.answer("rank-dataset", r, err)
	}
	{
		r, err := c.ActivateRevisionWithResponse(ctx, "shop", &api.ActivateRevisionParams{Revision: 0})
		k.answer("activate-revision", r, err)
	}
	{
		r, err := c.ActivateRevisionWithResponse(ctx, "shop", &api.ActivateRevisionParams{Revision: id})
		k.answer("activate-revision", r, err)
	}
	second := upload(strings.ReplaceAll(prices, "11-01", "11-02"))
	{
		r, err := c.ApplyImportWithResponse(ctx, second, nil)
		k.answer("apply-import", r, err)
	}
	{
		r, err := c.RevertDatasetWithResponse(ctx, "shop", nil)
		k.answer("revert-dataset", r, err)
	}
	third := upload(strings.ReplaceAll(prices, "11-01", "11-03"))
	{
		r, err := c.DiscardImportWithResponse(ctx, third)
		k.answer("discard-import", r, err)
	}
	{
		r, err := c.GetLogWithResponse(ctx, nil)
		k.answer("get-log", r, err)
	}
	{
		r, err := c.DownloadLogWithResponse(ctx, nil)
		k.answer("download-log", r, err)
	}
}

// stream reads the first event of the readings.
func stream(ctx context.Context, c *api.ClientWithResponses) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	r, err := c.ClientInterface.(*api.Client).StreamLive(ctx, nil)
	if err != nil {
		return err
	}
	defer r.Body.Close()
	fmt.Println(r.Request.Method, r.Request.URL.Path)
	lines := bufio.NewScanner(io.LimitReader(r.Body, 1<<20))
	for lines.Scan() {
		if lines.Text() == "event: live" {
			return nil
		}
	}
	return fmt.Errorf("the stream of readings has no event: %v", lines.Err())
}
