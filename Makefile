# The tasks of this repository; make help lists them. A fresh machine needs Go and make;
# what else the tests need (Chromium, Chinese fonts, npm, sqlite3, a C compiler for the
# race detector) .ci/tools installs with apt-get where it is missing.

GO ?= go

# SQLite is C translated to Go: watching each of its memory accesses for races makes the
# tests that write databases eight times slower and finds nothing of ours.
# Nobody debugs these builds: without DWARF they are compiled a seventh faster.
RACE = -race -gcflags=all=-dwarf=false -gcflags='modernc.org/...=-dwarf=false -race=false'
# The race detector makes tests five times slower, so it watches where goroutines are: in
# RACED all tests; in RACED_IN_PART, whose other tests render many pages or fill many databases
# one after the other, those that start goroutines or call slow.Raced, which test/raced finds;
# in RACED_SLOWLY, for which the whole program is compiled once more, those too, by test-slow.
# What is not in RACED runs without it, all of the other lists too. goroutines_test.go finds
# packages with goroutines that are in no list, and files of which no test is watched.
RACED = ./account ./changes ./cmd/tianti/internal/nvml ./live ./live/nvidiasmi ./live/probe ./publish \
	./publish/bucket ./test/postgres ./web/chart ./web/history ./web/site
RACED_IN_PART = ./catalog ./importer ./live/prometheus ./refresh ./store ./webhook
RACED_SLOWLY = ./cmd/tianti ./web
# The browser takes longest, so it comes first.
ALONE = ./test/browser $(filter-out ./test/browser $(RACED),$(patsubst tianti%,.%,$(shell $(GO) list ./...)))
# go vet, which lint runs, knows more than the checks that go test would make again.
GO_TEST = $(GO) test -vet=off -timeout 20m
# Tests live shortly: they need not collect garbage as often as a server does. Tests that bound memory set it back.
SELDOM = GOGC=200
# Where there are tests at full size.
SLOW = $(sort $(dir $(shell grep -rl --include='*_test.go' --exclude-dir=node_modules '^func TestFull' .)))

# Processes need not wait a second before they end.
export GORACE ?= atexit_sleep_ms=0

.PHONY: run build help test test-unwatched test-watched test-slow slow-packages mutants arm64 lint context admitted format lines vet staticcheck generated generate tools image dist bench soak attack fuzz answers lighthouse

run: ## build and serve at http://127.0.0.1:8080
	$(GO) run ./cmd/tianti

build: ## ./tianti as it is released, with its data packed
	$(GO) run ./pack/all
	CGO_ENABLED=0 $(GO) build -trimpath -tags packed \
		-gcflags=tianti/web/...=-l -gcflags=github.com/minio/...=-l -gcflags=github.com/modelcontextprotocol/...=-l \
		-gcflags=github.com/pressly/...=-l -gcflags=github.com/segmentio/...=-l -gcflags=github.com/google/...=-l \
		-gcflags=github.com/danielgtaylor/...=-l -gcflags=github.com/alecthomas/...=-l \
		-ldflags="-s -w -funcalign=16" ./cmd/tianti

help: ## list these tasks
	@awk -F ':.*## ' '/^[a-z][a-z0-9-]*:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# Vet compiles the packages that the rest is made of, once for all. Tests wait now and then, for the browser, for
# processes, for the last package: two lists at a time leave no core idle.
test: format lines generated vet tools ## everything that has to pass; ARGS=-count=1 runs again what has passed, too
	+$(MAKE) --no-print-directory -j2 --output-sync=line test-unwatched test-watched staticcheck admitted

test-unwatched: ## its tests that the race detector does not watch
	$(SELDOM) TIANTI_BROWSER=required $(GO_TEST) $(ARGS) $(ALONE)

test-watched: ## its tests that the race detector watches
	$(SELDOM) $(GO_TEST) $(RACE) $(ARGS) $(RACED)
	$(SELDOM) $(GO_TEST) $(RACE) $(ARGS) -run '$(shell $(GO) run ./test/raced $(RACED_IN_PART))' $(RACED_IN_PART)

test-slow: context ## large files, many readers, long times, of which make test has a smaller size
	TIANTI_SLOW=1 $(GO_TEST) $(ARGS) -run '^TestFull' $(SLOW)
	$(SELDOM) $(GO_TEST) $(RACE) $(ARGS) -run '$(shell $(GO) run ./test/raced $(RACED_SLOWLY))' $(RACED_SLOWLY)

slow-packages: ## print where those are
	@echo $(SLOW)

mutants: ## mutation tests of the pure packages, before a release; ARGS="ladder plot" for less
	.ci/mutants $(ARGS)

arm64: ## tests of the driver library for arm64, emulated
	GOARCH=arm64 CGO_ENABLED=0 CC=aarch64-linux-gnu-gcc $(GO) test -exec $(CURDIR)/.ci/arm64 ./cmd/tianti/internal/nvml

lint: format lines vet staticcheck generated ## formatting, length of lines, vet, staticcheck, generated code

format:
	@unformatted="$$(find . -name node_modules -prune -o -name '*.go' -exec gofmt -l {} +)"; \
	if [ -n "$$unformatted" ]; then echo "run gofmt -w on:" >&2; echo "$$unformatted" >&2; exit 1; fi

lines: ## no file gets more long lines than it has
	.ci/lines

vet:
	$(GO) vet ./...

staticcheck:
	GOGC=400 $(GO) tool staticcheck ./...

generated: ## the generated code is what its sources give
	.ci/generated

admitted: ## what goes into the image has all that the program is compiled from; make context compiles it
	$(GO) run ./test/image -resolve

context: ## the program can be built from what goes into the image
	.ci/context

generate: ## write the generated code
	$(GO) generate ./...

tools: ## install what the tests need besides Go
	.ci/tools
	@$(MAKE) --no-print-directory test/a11y/node_modules/.package-lock.json

image: ## build the container image, start and check it; ARGS=--local-bases without a registry
	test/image/run.sh $(ARGS)

dist: ## programs of this commit for Linux, macOS and Windows, with checksums, in dist/
	.ci/dist

bench: ## rates beside a bare handler, start, memory; ARGS are the program's
	$(GO) run ./bench/load $(ARGS)

soak: ## mixed load for 20 minutes; ARGS="-for 2m" for less
	$(GO) run ./bench/soak $(ARGS)

attack: ## how long others wait while eight connections ask for what is dearest
	$(GO) run ./test/attack $(ARGS)

fuzz: ## every fuzz target for 30 seconds of CPU; ARGS="60 Decode" for some of them, longer
	test/fuzz/run.sh $(ARGS)

answers: ## what this tree answers otherwise than another build; ARGS="-before FILE"
	$(GO) run ./bench/answers $(ARGS)

lighthouse: ## scores of the main pages; ARGS are other pages
	.ci/tools
	test/lighthouse/run.sh $(ARGS)

%/node_modules/.package-lock.json: %/package-lock.json
	npm ci --prefix $* --no-audit --no-fund --ignore-scripts
	@touch $@
