# make help lists the targets. Nothing but Go, make and a C compiler is needed.
GO      ?= go
BIN     := bin
FUZZTIME ?= 10s
BENCH   ?= .
COUNT   ?= 6
# Compilers run for a second each: collecting their garbage less often takes a fifth of their time away.
COMPILE  = GOGC=$(or $(GOGC),400) $(GO)

export CGO_ENABLED ?= 1

.DEFAULT_GOAL := help
.PHONY: $(shell sed -n "s/^\([a-z][a-z0-9.-]*\):.*/\1/p" $(firstword $(MAKEFILE_LIST)))

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: ## build the harness, the plugins and ONNX Runtime's library into bin/
	$(COMPILE) build -o $(BIN)/ ./cmd/harness
	$(COMPILE) build -o $(BIN)/plugins/ ./cmd/plugins/plumbline-plugin-...
	$(GO) run ./cmd/plugins/internal/ortlib -o $(BIN)/plugins

official-loadgen: build ## build harness-official with the official LoadGen from its sources (LOADGEN=checkout, its loadgen/, or source package)
	$(GO) run ./tools/officialloadgen -o $(BIN) "$(LOADGEN)"
	CGO_ENABLED=1 $(GO) build -tags officialloadgen -o $(BIN)/harness-official ./cmd/harness

# A busy machine may miss a limit of latency within seconds: a run that is INVALID (3) is shown with its reason, and the
# demo has worked all the same. All else fails it.
demo: build ## run the resnet50 benchmark in all four scenarios, with its accuracy, and show the result
	@code=0; $(BIN)/harness run resnet50 --out out/demo --force || code=$$?; \
	if [ $$code = 3 ]; then echo "A run is INVALID, for the reason above: the machine was busy, or it is slow. The demo is complete."; \
	else exit $$code; fi

# Runs go test with temporary files where tools/scratch.sh has them. GOGC is the compilers', not the tests'.
gotestsum = tmp=$$(tools/scratch.sh) && trap 'rm -rf "$$tmp"' EXIT && trap 'exit 130' INT TERM && \
	TMPDIR=$$tmp GOGC=$(or $(GOGC),400) $(BIN)/tools/gotestsum --format pkgname -- -exec 'env -u GOGC'

# -timeout is for hangs alone: a slow machine never reaches it. make check vets. Some packages wait more than they
# compute: two more of them run side by side than there are processors.
test: ## run all tests of all modules but the slowest; skips are listed and counted
	$(COMPILE) build -o $(BIN)/tools/ gotest.tools/gotestsum
	@$(gotestsum) -vet=off -count=1 -timeout 6h -p $$(($$(getconf _NPROCESSORS_ONLN) + 2)) work

test-all: ## test, with what is slow by nature (PLUMBLINE_ALL=1), and fuzz with 300 inputs each: before an issue is closed
	PLUMBLINE_ALL=1 $(MAKE) test
	$(MAKE) fuzz FUZZTIME=300x

# What needs more than Go, make and a C compiler: each name is a target extra.NAME or official.NAME below, with what it
# takes. Without a name, or with another one, make says them all.
EXTRA    = arm64 browser cpp dist gpu kills metrics network openai pace python searches servers serving-peers shares store
OFFICIAL = accuracy bfcl brats checker endpoints endpoints-1.0 endpoints-client loadgen products reasoning retrieval streamed submission
chosen = $(if $(filter 1,$(words $(filter $(2),$(OF)))),$(1).$(OF),$(1).unknown)

test-extra: ## test by what may not be here: OF=arm64, browser, cpp, dist, gpu, kills, metrics, network, openai, pace, python, searches, servers, serving-peers, shares or store
	@$(MAKE) --no-print-directory $(call chosen,extra,$(EXTRA))

test-official: ## compare with official programs: OF=accuracy, bfcl, brats, checker, endpoints, endpoints-1.0, endpoints-client, loadgen, products, reasoning, retrieval, streamed or submission
	@$(MAKE) --no-print-directory $(call chosen,official,$(OFFICIAL))

%.unknown:
	@echo "OF=$(OF): want the name of a test of make test-$*:" >&2
	@awk -F '#: ' '/^$*[.][a-z0-9.-]+:.*#: / { name = $$1; sub(/^$*[.]/, "", name); sub(/:.*/, "", name); \
	  printf "  OF=%-13s %s\n", name, $$2 }' $(firstword $(MAKEFILE_LIST)) >&2
	@exit 2

extra.python: #: run the tests that need Python (PYTHON=interpreter with the requirements of the examples)
	PLUMBLINE_PYTHON=$(or $(PYTHON),python3) $(GO) test -count=1 -v -run Python ./e2e/plugins ./e2e/models ./plugins/internal/coderun ./plugins/reasoning

test-escape: ## let programs try to leave the sandbox and to write their verdict, as root and as a user (PYTHON=3.9 or newer)
	PLUMBLINE_PYTHON=$(or $(PYTHON),python3) $(GO) test -count=1 -v -timeout 2h ./internal/sandbox
	PLUMBLINE_PYTHON=$(or $(PYTHON),python3) $(GO) test -count=1 -v -timeout 2h -run 'Escapes|Hostile|Sandbox|Trapped' \
	./plugins/internal/coderun

extra.cpp: #: make and prove the backend in C++ that harness new writes (a C++17 compiler, protoc and gRPC for C++ needed)
	PLUMBLINE_CPP=1 $(GO) test -count=1 -v -run Cpp ./e2e/plugins

extra.openai: #: benchmark a real server with OpenAI's API, and ask it for chats (URL=http://HOST/v1; backends/openai/testdata/llamacpp.py starts one)
	PLUMBLINE_OPENAI_URL=$(URL) $(GO) test -count=1 -v -run TestRealServer ./backends/openai

extra.servers: #: benchmark MLServer, Triton and a two-node Ray Serve (MLSERVER_PYTHON= TRITON_PYTHON= RAY_PYTHON=, else python3)
	PLUMBLINE_MLSERVER_PYTHON=$(or $(MLSERVER_PYTHON),python3) PLUMBLINE_TRITON_PYTHON=$(or $(TRITON_PYTHON),python3) \
	PLUMBLINE_RAY_PYTHON=$(or $(RAY_PYTHON),python3) $(GO) test -count=1 -v -timeout 6h -run TestServers ./e2e/serving

extra.searches: #: search servers of known capacity by harness bench --find, half of them beside eight busy loops: half an hour (SEARCH=^500: those of 500 requests/s)
	PLUMBLINE_SEARCHES=1 $(GO) test -count=1 -v -timeout 3h -run 'TestSearches//$(SEARCH)' ./e2e/serving

extra.serving-peers: #: measure one mock by harness bench, AIPerf and GuideLLM (PEERS_PYTHON=interpreter with aiperf and guidellm)
	PLUMBLINE_PEERS_PYTHON=$(PEERS_PYTHON) $(GO) test -count=1 -v -timeout 6h -run TestServingPeers ./cmd/harness/internal/cli/serving

extra.store: #: run rgat with features at two servers of Redis (REDIS=program, default redis-server; Debian: redis-server), e2e-rag with passages in PostgreSQL with pgvector (PGVECTOR=postgres://..., whose table plumbline_passages is replaced)
	PLUMBLINE_REDIS=$(or $(REDIS),redis-server) PLUMBLINE_PGVECTOR="$(PGVECTOR)" $(GO) test -count=1 -p 1 -v -run TestStore ./plugins/rag ./plugins/rag/internal/pgvector ./e2e/models

official.checker: #: compare with the official submission checker (MLC=checkout, PYTHON= one with PyYAML, TREE= a tree of your own)
	PLUMBLINE_MLC=$(abspath $(MLC)) PYTHON=$(or $(PYTHON),python3) PLUMBLINE_TREE=$(abspath $(TREE)) $(GO) test -count=1 -v -timeout 6h \
	-run TestOfficialChecker ./internal/submission/official/checker

official.accuracy: #: let the official accuracy scripts score what yolo and pointpainting have logged (MLC=checkout, PYTHON= one with pycocotools, torchvision, shapely, numba)
	PLUMBLINE_MLC=$(abspath $(MLC)) PYTHON=$(or $(PYTHON),python3) $(GO) test -count=1 -v -timeout 6h -run TestOfficialAccuracy ./e2e/models

official.endpoints: #: let the official checker (MLC=checkout), and endpoints itself (ENDPOINTS=sources), read files and trees in endpoints' form
	PLUMBLINE_MLC=$(abspath $(MLC)) PLUMBLINE_ENDPOINTS=$(abspath $(ENDPOINTS)) PYTHON=$(or $(PYTHON),python3) $(GO) test -count=1 -v -run TestOfficialEndpoints ./internal/serving/formats/endpoints ./internal/submission/check

official.endpoints-1.0: #: compare check and bundle of submissions to MLPerf Endpoints with the official tools (PYTHON= one with endpoints-submission-cli 1.5.3.0 and mlperf-viz 2.0.0; TREES=300 SEED= random ones, TREE= ORG/SUBMISSION_ID of your own; that of the rehearsal of three curves is among them)
	@kept=$$(mktemp -d) && trap 'rm -rf "$$kept"' EXIT && \
	PLUMBLINE_KEEP_TREE=$$kept $(GO) test -count=1 -timeout 1h -run TestRehearsedCurves ./e2e/submission && \
	PLUMBLINE_ENDPOINTS_PYTHON=$(or $(PYTHON),python3) PLUMBLINE_TREE=$$kept/pending$(if $(TREE),:$(abspath $(TREE))) \
	TREES=$(TREES) SEED=$(SEED) \
	$(GO) test -count=1 -v -timeout 6h -run TestOfficialTools ./internal/submission/endpoints/results

official.endpoints-client: #: run points of a curve by the official client of MLPerf Endpoints, with short times (PYTHON= one with mlcommons/endpoints, 3.12 or newer)
	HF_HUB_OFFLINE=1 PLUMBLINE_ENDPOINTS_CLIENT=$(or $(PYTHON),python3) $(GO) test -count=1 -v -timeout 1h -run TestOfficialClient ./internal/submission/endpoints/drive

official.reasoning: #: let the official accuracy scripts of reasoning models score our logs (MLC=checkout, PRM800K= and LCB= its submodules, PYTHON=)
	PLUMBLINE_MLC=$(abspath $(MLC)) PLUMBLINE_PRM800K=$(abspath $(PRM800K)) PLUMBLINE_LCB=$(abspath $(LCB)) PYTHON=$(or $(PYTHON),python3) \
	$(GO) test -count=1 -v -timeout 6h -run TestOfficialReasoning ./e2e/models

official.bfcl: #: compare scores of function calls with bfcl-eval's (BFCL=folder in which bfcl_eval 2026.3.23 lies, ENDPOINTS=sources, PYTHON=)
	PLUMBLINE_BFCL=$(abspath $(BFCL)) PLUMBLINE_ENDPOINTS=$(abspath $(ENDPOINTS)) PYTHON=$(or $(PYTHON),python3) $(GO) test -count=1 -v -run 'TestOfficialBFCL|TestGoldenRequests' ./plugins/agentic ./datasets/bfcl

official.products: #: let the official script of qwen3-vl score our logs (MLC=checkout, PYTHON= one with pydantic, rapidfuzz, scikit-learn, pandas and mlcommons-loadgen)
	PLUMBLINE_MLC=$(abspath $(MLC)) PYTHON=$(or $(PYTHON),python3) $(GO) test -count=1 -v -timeout 6h -run TestOfficialProducts ./e2e/models

official.retrieval: #: let the official scripts of e2e-rag score our logs (MLC=checkout, PYTHON= one with pandas and requests)
	PLUMBLINE_MLC=$(abspath $(MLC)) PYTHON=$(or $(PYTHON),python3) $(GO) test -count=1 -v -timeout 6h -run TestOfficialRetrieval ./e2e/models

official.streamed: #: let the official accuracy script of dlrm-v3 score our log (MLC=checkout, PYTHON= one with torch and torchrec 1.3.0)
	PLUMBLINE_MLC=$(abspath $(MLC)) PYTHON=$(or $(PYTHON),python3) $(GO) test -count=1 -v -timeout 6h -run TestOfficialStreamed ./e2e/models

official.brats: #: let the official accuracy script of BraTS score our log (MLC=checkout, PYTHON= one with nnunet 1.7.1 and SimpleITK)
	PLUMBLINE_MLC=$(abspath $(MLC)) PYTHON=$(or $(PYTHON),python3) $(GO) test -count=1 -v -timeout 6h -run TestOfficialBraTS ./e2e/models

official.submission: #: walk docs/submission.md by the official LoadGen and checker, 2 h: LOADGEN=sources MLC=checkout PYTHON= (SHORT=1: seconds)
	PLUMBLINE_SUBMISSION_OFFICIAL=$(if $(SHORT),short,full) PLUMBLINE_PACE=$(or $(PACE),1ms) PLUMBLINE_MLC=$(abspath $(MLC)) \
	PLUMBLINE_OFFICIAL_LOADGEN="$(abspath $(LOADGEN))" PYTHON=$(or $(PYTHON),python3) \
	$(GO) test -count=1 -v -timeout 6h -run TestSubmissionByTheOfficialLoadGen ./e2e/submission

test-published: ## read whole published rounds (RESULTS=folder of inference_results_v5.1 and others, see CONTRIBUTING.md; OUT=folder for the lists)
	PLUMBLINE_RESULTS=$(abspath $(RESULTS)) PLUMBLINE_OUT=$(abspath $(OUT)) $(GO) test -count=1 -v -timeout 6h -run TestPublished \
	./internal/submission/internal/published

extra.metrics: #: let Prometheus scrape runs and compare with their results (PROMETHEUS=program; Debian: prometheus)
	PLUMBLINE_PROMETHEUS=$(or $(PROMETHEUS),$(shell command -v prometheus)) $(GO) test -count=1 -v -run TestPrometheus ./e2e/runs

extra.gpu: #: run benchmarks of ONNX Runtime on GPUs, answers near their cards: GPU=cuda:0,cuda:1 ORT=libonnxruntime.so built for CUDA
	PLUMBLINE_GPU=$(or $(GPU),cuda:0) PLUMBLINE_GPU_ORT=$(abspath $(ORT)) $(GO) test -count=1 -v -timeout 6h -run TestGPU ./e2e/models

extra.pace: #: test the binaries as on another machine: models that answer at once (PACE=once), or take ten times as long (PACE=10)
	PLUMBLINE_PACE=$(or $(PACE),once) $(GO) test -count=1 -timeout 6h ./e2e/...

extra.kills: #: kill either side of a run at any moment, KILLS times (default 200), and so often each command that makes several runs
	PLUMBLINE_KILLS=$(or $(KILLS),200) $(GO) test -count=1 -timeout 6h -v -run TestInterruptIsAlwaysTold ./cmd/harness/internal/cli/runs
	PLUMBLINE_KILLS=$(or $(KILLS),200) $(GO) test -count=1 -timeout 6h -v -run TestKills ./e2e/faults

extra.browser: #: look at a report of each benchmark in Chromium (BROWSER=chromium, Debian's package; OUT=folder of the screenshots)
	@mkdir -p "$(or $(OUT),out/screenshots)"
	PLUMBLINE_BROWSER=$(or $(BROWSER),$(shell command -v chromium chromium-browser | head -n 1)) \
	PLUMBLINE_SCREENSHOTS="$(abspath $(or $(OUT),out/screenshots))" $(GO) test -count=1 -v -timeout 6h -run TestBrowser ./e2e/runs

extra.network: #: the Network division between network namespaces of this machine (root and ip needed)
	PLUMBLINE_TEST_NETNS=1 $(GO) test -count=1 -v -run Network ./e2e/serving

extra.shares: #: one load from several machines: network namespaces (root and ip needed), launchers, two nodes of Ray (RAY_PYTHON=)
	PLUMBLINE_TEST_NETNS=1 PLUMBLINE_RAY_PYTHON=$(or $(RAY_PYTHON),python3) $(GO) test -count=1 -v -run TestShares ./e2e/serving

official.loadgen: official-loadgen #: test with the official LoadGen as the driver (LOADGEN=its sources, as official-loadgen)
	PLUMBLINE_OFFICIAL_LIBRARY=$(CURDIR)/$(BIN)/plumbline-official-loadgen.so CGO_ENABLED=1 \
	$(GO) test -count=1 -v -tags officialloadgen -run Official ./loadgen ./loadgen/official
	PLUMBLINE_OFFICIAL_LOADGEN="$(abspath $(LOADGEN))" $(GO) test -count=1 -v -timeout 6h -run Official ./e2e/runs ./e2e/models ./e2e/submission

bench-official: official-loadgen ## measure the driver and the official LoadGen alone in turn, and a null plugin with either LoadGen (LOADGEN=its sources)
	$(GO) run ./tools/officialloadgen -null -o $(BIN) "$(LOADGEN)"
	$(GO) test -c -tags officialloadgen -o $(BIN)/tools/official.test ./loadgen/official
	$(GO) test -c -tags officialloadgen -o $(BIN)/tools/host.test ./sdk/host
	@library=$(CURDIR)/$(BIN)/plumbline-official-loadgen.so; for i in $$(seq $(COUNT)); do \
	  PLUMBLINE_OFFICIAL_LIBRARY=$$library PLUMBLINE_OFFICIAL_NULL=$(CURDIR)/$(BIN)/official-null \
	  $(BIN)/tools/official.test -test.run '^$$' -test.bench NullSUT -test.benchtime 1x || exit 1; \
	  for driver in "" $$library; do echo "null plugin, $${driver:-our LoadGen}"; export PLUMBLINE_OFFICIAL_LIBRARY=$$driver; \
	    $(BIN)/tools/host.test -test.run '^$$' -test.bench LoadGenSingleStream/ring -test.benchtime 1x -test.cpu 1 && \
	    $(BIN)/tools/host.test -test.run '^$$' -test.bench 'LoadGen(Server|Offline)/ring' -test.benchtime 1x || exit 1; \
	  done; \
	done

race: ## all tests under the race detector
	$(COMPILE) build -o $(BIN)/tools/ gotest.tools/gotestsum
	@$(gotestsum) -race -count=1 -timeout 6h work

stress: ## all tests in a random order, beside BUSY processes (default 3) that take the cores
	$(GO) build -o $(BIN)/tools/ gotest.tools/gotestsum
	@busy=; for i in $$(seq $(or $(BUSY),3)); do (while :; do :; done) & busy="$$busy $$!"; done; trap "kill $$busy" EXIT INT TERM; \
	$(BIN)/tools/gotestsum --format pkgname -- -shuffle=on -count=1 -timeout 6h work

# Vets for a system on arm64 the packages that build there without cgo.
vet_pure = export GOOS=$(1) GOARCH=arm64 CGO_ENABLED=0; \
	$(GO) vet $$($(GO) list work | grep -v -e /plumbline/backends/ort -e /plumbline/cmd/plugins)

check: ## gofmt, vet (for Linux and macOS on arm64 too), tidy go.mod files, generated code up to date
	@test -z "$$(gofmt -l .)" || { echo "gofmt these files:"; gofmt -l .; exit 1; }
	$(COMPILE) vet work
ifneq ($(LINT),quick)
	$(call vet_pure,linux)
	$(call vet_pure,darwin)
endif
	@for dir in $$($(GO) list -m -f '{{.Dir}}'); do (cd $$dir && GOWORK=off $(GO) mod tidy -diff) || exit 1; done

# The folders whose results depend on the processor, and tests among them that start themselves as a process or count
# allocations, which an emulator does not let them.
ARM64 = accuracy datasets preprocess loadgen
ARM64_SKIP = TestDiskFillsUpInMidRun|TestMemoryPerSample
ARM64_RUN = GOOS=linux GOARCH=arm64 CC=aarch64-linux-gnu-gcc CXX=aarch64-linux-gnu-g++

extra.arm64: #: unit tests and a benchmark for arm64, emulated (Debian: qemu-user, gcc-aarch64-linux-gnu, g++-aarch64-linux-gnu)
	tools/arm64/emulator.sh $(BIN)/arm64
	$(ARM64_RUN) CGO_ENABLED=0 $(GO) test -count=1 -timeout 6h -skip '$(ARM64_SKIP)' -exec $(CURDIR)/$(BIN)/arm64/emulate $(ARM64:%=./%/...)
	$(ARM64_RUN) $(GO) build -o $(BIN)/arm64/ ./cmd/harness
	$(ARM64_RUN) $(GO) build -o $(BIN)/arm64/real/ ./cmd/plugins/plumbline-plugin-resnet50
	$(GO) run ./cmd/plugins/internal/ortlib -o $(BIN)/arm64/real -arch arm64
	$(BIN)/arm64/emulate $(BIN)/arm64/harness run resnet50 --plugin-dir $(BIN)/arm64/plugins --mode accuracy --scenario Offline --count 20 --out out/arm64 --force

# Programs that look at the code are modules by version, from the module cache or its proxy. One that cannot be had is
# said, and passed over. LINT=quick, as .ci/run has it, asks for complexity alone of the Go: golangci-lint, which looks at
# complexity too, takes minutes to compile and minutes to run, govulncheck needs its database, and vet for two more
# systems compiles everything twice more.
GOCYCLO  = github.com/fzipp/gocyclo@v0.6.0
ACTIONLINT = github.com/rhysd/actionlint@v1.7.7
GOLANGCI = github.com/golangci/golangci-lint/v2@v2.15.0
VULN     = golang.org/x/vuln@v1.9.0
# VULNDB=address is another database of vulnerabilities, file:///folder too.
GOVULNCHECK = $(GO) run $(subst @,/cmd/govulncheck@,$(VULN)) $(if $(VULNDB),-db "$(VULNDB)")
# command is the program $(3) of the module $(1) at its version, with arguments; $(2) is what it looks for.
command = if $(GO) mod download $(1) >/dev/null 2>&1; then $(GO) run $(subst @,$(3)@,$(1)) $(4); \
	else echo "skipped: $(2) is not looked at: $(1) cannot be downloaded, and is not in the module cache"; fi

schema = "$(or $(CHECK_JSONSCHEMA),check-jsonschema)" --builtin-schema vendor.$(1) $(2)

lint: check ## check, golangci-lint and govulncheck where they can be had (LINT=quick: complexity, on this system alone), ruff for the Python (RUFF=program) and check-jsonschema for .github (CHECK_JSONSCHEMA=program) where they are installed
ifeq ($(LINT),quick)
	@$(call command,$(GOCYCLO),complexity,/cmd/gocyclo,-over 15 -ignore '_test[.]go$$|testdata/|[.]pb[.]go$$' .)
else
	@$(call command,$(GOLANGCI),the Go,/cmd/golangci-lint,run $$($(GO) list -m -f '{{.Dir}}/...'))
	@if ! $(GO) mod download $(VULN) >/dev/null 2>&1; then \
	echo "skipped: known vulnerabilities are not looked for: $(VULN) cannot be downloaded, and is not in the module cache"; \
	else case "$$(cd loadgen && $(GOVULNCHECK) . 2>&1)" in \
	*"fetching vulnerabilities"*) \
		echo "skipped: known vulnerabilities are not looked for: their database cannot be had (VULNDB=address)" ;; \
	*) for dir in $$($(GO) list -m -f '{{.Dir}}'); do (cd $$dir && $(GOVULNCHECK) ./...) || exit 1; done ;; esac; fi
endif
	@$(call command,$(ACTIONLINT),.github/workflows,/cmd/actionlint,)
	@if command -v "$(or $(CHECK_JSONSCHEMA),check-jsonschema)" >/dev/null; then \
	$(call schema,github-workflows,.github/workflows/*.yml) && $(call schema,dependabot,.github/dependabot.yml) && \
	$(call schema,github-issue-config,.github/ISSUE_TEMPLATE/config.yml) && \
	$(call schema,github-issue-forms,$$(ls .github/ISSUE_TEMPLATE/*.yml | grep -v config)) && \
	$(call schema,citation-file-format,CITATION.cff --default-filetype yaml); \
	else echo "skipped: the files of .github are not held to their schemas, for check-jsonschema is not installed (pip install check-jsonschema)"; fi
	@if command -v "$(or $(RUFF),ruff)" >/dev/null; then "$(or $(RUFF),ruff)" check; \
	else echo "skipped: the Python is not linted, for $(or $(RUFF),ruff) is not installed (pip install ruff)"; fi

packages: ## write docs/packages.md from the package comments
	$(GO) run ./tools/packages

docs: packages ## make a site of the documents in dist/site/
	$(GO) run ./tools/site -o dist/site

# What VERSIONING.md promises: names of these packages keep compiling.
PROMISED = bench bench/plan bench/record loadgen loadgen/mllog sdk sdk/backend sdk/manifest sdk/option sdk/serve
APIDIFF  = golang.org/x/exp@v0.0.0-20261113113407-e3970619a1a4

api: ## compare the names that VERSIONING.md promises with the last release's, or with BASE=commit
	@GOBIN=$(CURDIR)/$(BIN)/tools GOFLAGS= $(GO) install $(subst @,/cmd/apidiff@,$(APIDIFF))
	@tools/apidiff.sh "$(BASE)" $(PROMISED)

bench: ## run the Go benchmarks (BENCH=regexp COUNT=n) into bench.txt for benchstat
	$(GO) test -run '^$$' -bench '$(BENCH)' -benchmem -count $(COUNT) work | tee bench.txt

cards: build ## measure the embedded models (PLUGINS=names, else all) and write their figures into the cards
	$(GO) run ./tools/cards $(PLUGINS)

bench-loadgen: ## compare LoadGen with the official one (PYTHON=interpreter with mlcommons-loadgen: beside it)
	$(GO) run ./tools/benchloadgen $(if $(PYTHON),-python $(PYTHON))

fuzz: ## fuzz every parser for FUZZTIME (default 10s) each
	@$(GO) list -f '{{.ImportPath}} {{.Dir}}' work | while read -r pkg dir; do \
	  for f in $$(sed -n 's/^func \(Fuzz[A-Za-z0-9]*\)(.*/\1/p' $$dir/*_test.go 2>/dev/null); do \
	    echo "$$pkg $$f"; $(GO) test -run '^$$' -fuzz "^$$f$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 20x $$pkg </dev/null || exit 1; \
	  done; \
	done

dist: ## make the archives and packages of a release for Linux in dist/: VERSION=v1.2.3 ARCHES=amd64,arm64 (wants gcc-aarch64-linux-gnu) ORT=wheel
	$(GO) run ./tools/dist -o dist $(if $(VERSION),-version $(VERSION)) $(if $(ORT),-ort $(ORT)) -arch $(or $(ARCHES),amd64,arm64)

release: ## write all modules as VERSION=v1.2.3 will have them into a module proxy of files, dist/proxy, and print the tags
	$(GO) run ./tools/release -o dist/proxy $(VERSION)

extra.dist: #: make all packages twice, compare; install, run and remove each without Go; install the modules from a proxy (PYTHON=for wheels)
	PLUMBLINE_TEST_DIST=1 PLUMBLINE_PYTHON=$(or $(PYTHON),python3) $(GO) test -count=1 -v -timeout 6h ./tools/dist ./tools/release

clean: ## remove what make built and the demo's results
	rm -rf $(BIN) out dist bench.txt
