# The tasks of this repository. A fresh machine needs Go and make; what else the
# tests need (Chromium, Chinese fonts, npm, a C compiler for the race detector)
# .ci/tools installs with apt-get where it is missing.

GO ?= go

# NVIDIA's header deprecates functions that we do not call: 85 lines of warnings.
export CGO_CFLAGS ?= -O2 -g -Wno-deprecated-declarations

# SQLite is C translated to Go: watching each of its memory accesses for races makes the
# tests that write databases eight times slower and finds nothing of ours.
RACE = -race -gcflags=modernc.org/...=-race=false
# Processes need not wait a second before they end.
export GORACE ?= atexit_sleep_ms=0

.PHONY: run test lint format vet staticcheck generated generate bench soak lighthouse tools

run: ## build and serve at http://127.0.0.1:8080
	$(GO) run ./cmd/tianti

test: lint tools ## everything that has to pass
	$(GO) test ./advisor
	TIANTI_BROWSER=required $(GO) test $(RACE) -timeout 20m ./...

lint: format vet staticcheck generated

format:
	@unformatted="$$(find . -name node_modules -prune -o -name '*.go' -exec gofmt -l {} +)"; \
	if [ -n "$$unformatted" ]; then echo "run gofmt -w on:" >&2; echo "$$unformatted" >&2; exit 1; fi

vet:
	$(GO) vet ./...

staticcheck:
	$(GO) tool staticcheck ./...

generated: ## the generated code is what its sources give
	.ci/generated

generate: ## write the generated code
	$(GO) generate ./...

tools:
	.ci/tools
	@$(MAKE) --no-print-directory test/a11y/node_modules/.package-lock.json

bench: ## rates beside a bare handler, start, memory; ARGS are the program's
	$(GO) run ./bench/load $(ARGS)

soak: ## mixed load for 20 minutes; ARGS="-for 2m" for less
	$(GO) run ./bench/soak $(ARGS)

lighthouse: ## scores of the main pages; ARGS are other pages
	.ci/tools
	test/lighthouse/run.sh $(ARGS)

%/node_modules/.package-lock.json: %/package-lock.json
	npm ci --prefix $* --no-audit --no-fund --ignore-scripts
	@touch $@
