// Calls the operations that programs read by a client in TypeScript, typed by openapi-typescript from the API's document:
// tsc holds the code against the document, node runs it. test/contract makes api.d.ts before.
//
//	node call.js ADDRESS TOKEN
import createClient from "openapi-fetch";
import type { paths } from "./api.js";

const [address, token] = process.argv.slice(2);
const client = createClient<paths>({ baseUrl: address, headers: { Authorization: `Bearer ${token}` } });
const card = "nvidia-h100-sxm5-80gb";

// the says what an answer holds, or what is wrong with it.
function the<T>(name: string, answer: { data?: T; error?: unknown; response: Response }): T {
	const url = new URL(answer.response.url);
	console.log("GET", url.pathname);
	if (answer.data === undefined || answer.error !== undefined) {
		throw new Error(`${name}: status ${answer.response.status}: ${JSON.stringify(answer.error)}`);
	}
	return answer.data;
}

const model = "llama-3.1-8b";
const compared = the("compare-cards", await client.GET("/api/v1/compare", { params: { query: { card: [card, "amd-instinct-mi300x"] } } }));
// A null stands where a card has no price, and nothing else: the document says so, and the compiler holds us to it.
for (const row of compared.rows) {
	for (const price of row.prices ?? []) {
		if (price !== null && !price.kind) throw new Error(`a price of ${row.metric} has no kind`);
	}
}
const cards = the("list-cards", await client.GET("/api/v1/cards", { params: { query: { q: "h100" } } }));
if (!cards.items.some((c) => c.id === card)) throw new Error("the card is not listed");
the("get-card", await client.GET("/api/v1/cards/{id}", { params: { path: { id: card } } }));
the("list-architectures", await client.GET("/api/v1/architectures"));
the("estimate", await client.GET("/api/v1/estimate", { params: { query: { model, card: [card] } } }));
the("get-export-control", await client.GET("/api/v1/export-control", { params: { query: { card } } }));
the("get-ladder", await client.GET("/api/v1/ladders/{basis}", { params: { path: { basis: "memory_gb" } } }));
the("get-live", await client.GET("/api/v1/live"));
the("list-metrics", await client.GET("/api/v1/metrics"));
the("list-models", await client.GET("/api/v1/models"));
the("list-offers", await client.GET("/api/v1/offers", { params: { query: { card } } }));
the("get-peak", await client.GET("/api/v1/peak", { params: { query: { device: "NVIDIA H100 80GB HBM3" } } }));
the("list-prices", await client.GET("/api/v1/prices", { params: { query: { card } } }));
const between = { card, from: "2026-01-01" };
the("download-prices", await client.GET("/api/v1/prices.csv", { params: { query: between }, parseAs: "text" }));
the("stream-prices", await client.GET("/api/v1/prices.jsonl", { params: { query: between }, parseAs: "text" }));
the("recommend", await client.GET("/api/v1/recommend", { params: { query: { model } } }));
the("search", await client.GET("/api/v1/search", { params: { query: { q: "mi300x" } } }));
the("serve", await client.GET("/api/v1/serve", { params: { query: { model } } }));
the("serve-plan", await client.GET("/api/v1/serve/plan", { params: { query: { model, card } } }));
the("list-sources", await client.GET("/api/v1/sources"));
the("list-datasets", await client.GET("/api/v1/datasets"));
the("list-imports", await client.GET("/api/v1/imports"));
the("get-log", await client.GET("/api/v1/log"));
