# The commands of this repository. `make help` lists them.

GO       ?= go
# A count, not a duration: at the end of a duration Go's own coordinator can fail a target that found nothing (golang/go#75804).
FUZZTIME ?= 20000x
BENCH    ?= .
TAGS      = corpus,oracles,chaos,growth

# The folder with the test corpus, beside the checkout.
EINVOICED_SHARED ?= $(abspath ../shared)
export EINVOICED_SHARED

# What a release is called; make release VERSION=v0.2.0.
VERSION ?= v0.1.0

.PHONY: release help build test race corpus oracles fetched clients oracle conformance bench growth compare throughput e2e chaos fuzz lint shape

help: ## list the commands
	@sed -n 's/^\([a-z0-9]*\):.*## /\1\t/p' Makefile | expand -t 10

build: ## build the program
	$(GO) build ./...

release: ## static binaries for linux on amd64 and arm64, checksums and a bill of materials in dist/ (needs gcc-aarch64-linux-gnu); ARGS=-twice builds it again elsewhere and compares
	@GO="$(GO)" bash deploy/release.sh $(ARGS) "$(VERSION)" dist

test: ## run the tests; needs nothing but this checkout
	$(GO) test -timeout 30m ./...

# -short takes samples where a test repeats the same code over many inputs: make test takes all. What makes rulebooks starts no goroutine, and
# the checks of this repository start commands. make lint vets.
race: ## run the tests with the race detector
	$(GO) test -race -short -vet=off -timeout 30m $$($(GO) list ./... | grep -v -e /rulebooks -e /internal/repository$$)

# The other tests of these packages are those of make test.
corpus: ## run the tests that the corpus is for (EINVOICED_SHARED/corpus)
	@test -d "$(EINVOICED_SHARED)/corpus" || { \
		echo "make corpus: there is no corpus at $(EINVOICED_SHARED)/corpus; set EINVOICED_SHARED to the folder that holds it" >&2; exit 1; }
	@files=$$(grep -rl --include='*_test.go' '^//go:build.*corpus' .); \
		tests=$$(sed -n 's/^func \(Test[A-Za-z0-9_]*\).*/\1/p' $$files | sort -u | paste -s -d '|'); \
		$(GO) test -tags corpus -timeout 30m -run "^($$tests)\$$" $$(dirname $$files | sort -u)

oracles: ## judge the goldens with the official rules, write testdata/verified.json; official rule sets over corpus and mutants; receivers of webhooks in five languages; the Peppol network by peppol-commons; PDF files by veraPDF, qpdf and poppler (needs a JDK, Maven, Node.js, Perl, Python, OpenSSL, qpdf and poppler-utils)
	$(GO) test -tags corpus,oracles -count=1 -run '^TestJudge' ./test/oracles -update
	$(GO) test -count=1 ./test/oracles
	EINVOICED_RULES="$${EINVOICED_RULES:-$$($(GO) run ./test/oracles/cmd/rules)}"; export EINVOICED_RULES; \
		$(GO) test -tags oracles -count=1 -v -run '^TestOfficial' ./command && \
		$(GO) test -tags corpus,oracles -count=1 -run '^TestOfficial' ./core/engine/schematron ./core/rulebook
	$(GO) test -tags oracles -count=1 -run '^TestOfficial' ./core/engine/xsd ./core/pdf/block ./core/verifactu ./worker/deliver/signature
	$(GO) test -tags corpus,oracles -count=1 -v -run '^Test(Signed|Official)' ./core/hybrid
	$(GO) test -tags corpus,oracles -count=1 -v -run '^TestOfficial' ./core/peppol ./core/envelope/sbdh ./worker/peppol/lab
	$(GO) test -tags corpus,oracles -count=1 -v -run '^Test(Readers|Converters|Measured|Official)' ./core/operation

fetched: ## judge the goldens by the rule sets that Maven Central has in another version, in that of the corpus, and by the schemas that it has not: make fetched EINVOICED_RULES=FOLDER:FOLDER
	$(GO) test -tags oracles -count=1 -v -run '^TestFetched_' ./command -update

clients: ## look at the service as users do: pages in Chromium, the description with Redocly, generated clients in five languages (docs/clients.md; needs a JDK, Maven, Node.js 20, Python with pip, PHP with Guzzle, curl and Chromium)
	$(GO) test -tags oracles -count=1 -v ./test/oracles/clients

oracle: ## judge any files with the official rules: make oracle FILES="a.xml b.xml"
	@$(GO) run ./test/oracles/cmd/judge $(FILES)

conformance: ## write docs/conformance.md anew from the suites and official rule sets; review the difference (needs the corpus, a JDK and Maven)
	$(GO) test -p 1 -tags corpus -count=1 -run '^(TestQT3|TestW3C)' ./core/engine/xpath ./core/engine/xsd -update
	EINVOICED_RULES="$${EINVOICED_RULES:-$$($(GO) run ./test/oracles/cmd/rules)}" \
		$(GO) test -tags oracles -count=1 -run '^TestOfficial_Agree$$' ./command -update

bench: ## run the benchmarks: make bench BENCH=Parse
	$(GO) test -run '^$$' -bench '$(BENCH)' -benchmem ./...

# make test counts those of rules whole, which SHORT=1 therefore leaves to it.
growth: ## count how the work grows with each list of the invoice and each element of documents: ten times as many, eleven times the steps at most (ten minutes); SHORT=1 takes each list in a third of the syntaxes and samples the elements
	$(GO) test -tags growth -count=1 -timeout 30m $(if $(SHORT),-short -skip '^TestRules_',-v) ./test/growth

compare: ## measure the rule engine against Saxon-HE and xmllint: make compare ARGS="-sets be" (docs/speed.md; needs a JDK and Maven)
	@EINVOICED_RULES="$${EINVOICED_RULES:-$$($(GO) run ./test/oracles/cmd/rules)}" $(GO) run ./test/bench $(ARGS)

throughput: ## measure jobs a second from end to end beside bare asynq: make throughput ARGS="-jobs 5000" (docs/speed.md; needs the services)
	@$(GO) run ./test/bench/throughput $(ARGS)

# What end-to-end and chaos tests need: redis-server, PostgreSQL 15 and versitygw, which they start by themselves, and root for small file
# systems and namespaces.
e2e: ## run the end-to-end suite on both set-ups: one process on a folder, and many on PostgreSQL, Redis and S3
	$(GO) test -tags chaos -count=1 -timeout 15m -run '^TestEndToEnd' ./test/chaos

chaos: ## break everything, whole (docs/chaos.md; hours); SHORT=1 gives the sizes of a check of a change, ARGS="-run B2" some of it
	$(GO) test -tags chaos -count=1 $(if $(SHORT),-timeout 30m -parallel 6 -skip '^TestEndToEnd',-v -timeout 24h -parallel 1) ./test/chaos $(ARGS) $(if $(SHORT),,-args -whole)

# Packages are fuzzed beside each other, as many as there are processors. Each is built once; its targets take turns, each in one process.
fuzz: ## fuzz each target for FUZZTIME
	@grep -rl --include='*_test.go' '^func Fuzz' . | xargs -n 1 dirname | sort -u | xargs -P "$$(getconf _NPROCESSORS_ONLN)" -n 1 sh -c ' \
		program=$$(mktemp); trap "rm -f $$program" EXIT; failed=0; \
		cache=$$($(GO) env GOCACHE)/fuzz/$$($(GO) list "$$0") && $(GO) test -c -vet=off -fuzz . -o "$$program" "$$0" && cd "$$0" || exit; \
		for target in $$(sed -n "s/^func \(Fuzz[A-Za-z0-9_]*\).*/\1/p" *_test.go); do \
			said=$$("$$program" -test.run "^\$$" -test.fuzz "^$$target\$$" -test.fuzztime $(FUZZTIME) -test.fuzzminimizetime 50x \
				-test.parallel 1 -test.fuzzcachedir "$$cache" 2>&1) || failed=1; \
			echo "== $$target in $$0, $(FUZZTIME)"; echo "$$said"; \
		done; exit $$failed'

lint: ## formatting, vet and staticcheck, all build tags
	@unformatted=$$(gofmt -l .); test -z "$$unformatted" || { echo "gofmt would change:" $$unformatted >&2; exit 1; }
	$(GO) vet -tags $(TAGS) ./...
	$(GO) tool staticcheck -tags $(TAGS) ./...

shape: ## print the sizes of files and functions, comments and tests
	$(GO) test -count=1 -v -run '^TestShape$$' ./internal/repository
