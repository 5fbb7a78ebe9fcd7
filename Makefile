# Moirai for Hades. `make` lists the targets.

SHELL := /bin/sh

# The commit goes into the binaries where git can tell it (block message, D14).
BUILDVCS := $(shell git rev-parse HEAD >/dev/null 2>&1 && echo true || echo false)
GOBUILD  := CGO_ENABLED=0 go build -trimpath -buildvcs=$(BUILDVCS)
TESTS    := .cache/tests
PRODUCT  := go.mod moiraicore hades-session-load hades-gate operate docs README.md

STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
PLATFORMS   := darwin/arm64 darwin/amd64 linux/arm64
# A count and no time: go test can take the end of the time for a failure of the target.
FUZZCOUNT   := 100000x
FUZZ        := $(shell grep -oh 'func Fuzz[A-Za-z]*' moiraicore/*_test.go | cut -c6-)

.DEFAULT_GOAL := help
.PHONY: help build tests demo stress faults bench e2e e2e-matrix check format vet cross race fuzz shell same \
	install uninstall install-managed uninstall-managed wiring wiring-managed verify status fit clean

help: ## this list
	@sed -n 's/^\([a-z][a-z0-9-]*\):.*## \(.*\)/  make \1	\2/p' $(MAKEFILE_LIST) | expand -t 26

build: ## the shipped programs, into bin/
	@$(GOBUILD) -o bin/ ./hades-session-load ./hades-gate ./operate ./operate/moirai-hades-integrity
	@mkdir -p bin/docs && cp README.md bin/ && cp docs/*.md bin/docs/ && touch bin/hades-gate

tests: build
	@mkdir -p $(TESTS)
	@CGO_ENABLED=0 go build -o $(TESTS)/ ./stresstest/...

demo: tests ## play one session of a sample constellation; touches nothing
	@$(TESTS)/demo -bin bin

stress: tests ## the ship gate: every black-box case against the built hooks [RUN=regexp] [LIVE=1]
	@$(TESTS)/stresstest -bin bin $(if $(RUN),-run '$(RUN)') $(if $(LIVE),-live)

faults: tests ## the fault matrix: nothing may fail open (strace for the system calls)
	@$(TESTS)/faults -bin bin

bench: tests ## what a hook costs, against an empty Go program
	@$(TESTS)/bench -bin bin

e2e: tests ## the real client, offline, every step of §5.2 [CLAUDE=/path/to/claude] [RUN=regexp]
	@$(TESTS)/e2e -bin bin $(if $(CLAUDE),-claude '$(CLAUDE)') $(if $(RUN),-run '$(RUN)')

e2e-matrix: tests ## the same for several client versions; writes docs/CLIENT-CONTRACT.md [VERSIONS="…"]
	@$(TESTS)/e2e -bin bin -versions '$(or $(VERSIONS),default)' -write docs/CLIENT-CONTRACT.md

check: format vet cross race fuzz shell same stress faults ## all of what CI checks, but the real client

format:
	@test -z "$$(gofmt -l .)" || { gofmt -d . ; exit 1; }

vet:
	@go vet ./...
	@go run $(STATICCHECK) ./...

cross:
	@for p in $(PLATFORMS); do \
		export GOOS=$${p%/*} GOARCH=$${p#*/} CGO_ENABLED=0; echo "build and vet for $$p"; \
		go build -o /dev/null ./hades-session-load && go build ./... && go vet ./... || exit 1; \
	done

# Programs are separate processes: races can be in what the hooks share and in the harness.
# What they run they build, which the cache of go test does not see.
race: build
	@go test -race ./moiraicore ./stresstest/...
	@go test -count=1 ./operate/...

fuzz:
	@mkdir -p .cache
	@for f in $(FUZZ); do echo "$$f"; go test ./moiraicore -run '^$$' -fuzz "^$$f\$$" -fuzztime $(FUZZCOUNT) >.cache/fuzz.log 2>&1 || { cat .cache/fuzz.log; exit 1; }; done

shell:
	@shellcheck .ci/run

# The same commit and Go version give the same bytes, from another folder too.
same: build
	@dir=$$(mktemp -d) && trap 'rm -rf "$$dir"' EXIT && \
		tar cf - --exclude=./bin --exclude=./.cache . | tar xf - -C "$$dir" && cd "$$dir" && \
		$(GOBUILD) -o bin/ ./hades-session-load ./hades-gate && \
		cmp bin/hades-gate '$(CURDIR)/bin/hades-gate' && cmp bin/hades-session-load '$(CURDIR)/bin/hades-session-load' && \
		echo "built twice, the same bytes"

install: build ## copy the hooks to ~/.local/libexec/moirai and link them [ROOT=constellation]
	@bin/operate install $(if $(ROOT),-root '$(ROOT)')

uninstall: build ## undo install; what it found comes back [FORCE=1]
	@bin/operate uninstall $(if $(FORCE),-force)

wiring: build ## print the hooks for user settings
	@bin/operate wiring

wiring-managed: build ## print the managed drop-in
	@bin/operate wiring-managed

# As root a build would leave files of root in the clone: it is made only where there is none.
install-managed: $(if $(wildcard bin/hades-gate),,build) ## as root: hooks and drop-in out of every user's reach
	@new=$$(find $(PRODUCT) -type f -newer bin/hades-gate | head -1); \
		test -z "$$new" || { echo "$$new is newer than bin/: make build first, as the owner of this clone" >&2; exit 1; }
	@bin/operate install-managed

uninstall-managed: $(if $(wildcard bin/hades-gate),,build) ## as root: undo install-managed
	@bin/operate uninstall-managed

verify: build ## check what is wired, and run it [ROOT=constellation]
	@bin/operate verify $(if $(ROOT),-root '$(ROOT)')

status: build ## why a session is blocked, and what to do [SESSION=id]
	@bin/operate status $(if $(SESSION),-session '$(SESSION)')

fit: build ## how many pages the rule files need (ROOT=constellation)
	@bin/operate fit -root '$(or $(ROOT),$(error make fit ROOT=/path/to/constellation-hades))'

clean: ## remove what make built; an installation stays
	@rm -rf bin .cache
