# Moirai for Hades. `make` lists the targets.

SHELL := /bin/sh

# The commit goes into the binaries where git can tell it (block message, D14).
BUILDVCS := $(shell git rev-parse HEAD >/dev/null 2>&1 && echo true || echo false)
GOBUILD  := CGO_ENABLED=0 go build -trimpath -buildvcs=$(BUILDVCS)

# Root leaves nothing in a clone that is another's: its owner could not build there again.
# The tests are built in root's own cache. What is installed is what the owner has built.
OWNER   := $(shell stat -c %u . 2>/dev/null || stat -f %u .)
ANOTHER := $(if $(filter 0,$(shell id -u)),$(filter-out 0,$(OWNER)))
CACHE   := $(if $(ANOTHER),$(shell echo ~root)/.cache/moirai,.cache)
HOOKS   := $(if $(ANOTHER),$(CACHE)/bin,bin)
TESTS   := $(CACHE)/tests
ifneq ($(ANOTHER),)
# What go caches must not land in the owner's home either, which sudo may have left us.
demo stress faults bench e2e e2e-matrix check vet cross race fuzz same: export HOME := $(shell echo ~root)
endif
PRODUCT  := go.mod moiraicore hades-session-load hades-gate operate docs README.md

STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
PLATFORMS   := darwin/arm64 darwin/amd64 linux/arm64
# A count and no time: go test can take the end of the time for a failure of the target.
FUZZCOUNT   := 100000x
FUZZ        := $(shell grep -oh 'func Fuzz[A-Za-z]*' moiraicore/*_test.go | cut -c6-)

.DEFAULT_GOAL := help
.PHONY: help build tests demo stress faults mutants bench e2e e2e-matrix mac-facts check needs format vet cross race fuzz shell same untouched \
	install uninstall wire unwire install-managed uninstall-managed wiring wiring-managed verify status fit probe-schedule dist clean

help: ## this list
	@sed -n 's/^\([a-z][a-z0-9-]*\):.*## \(.*\)/  make \1	\2/p' $(MAKEFILE_LIST) | expand -t 26

build: ## the shipped programs, into bin/
ifeq ($(ANOTHER),)
	$(build-hooks)
else
	@test -x bin/hades-gate || { echo "no bin/hades-gate here: make build first, as the owner of this clone (uid $(OWNER))" >&2; exit 1; }
	@new=$$(find $(PRODUCT) -type f -newer bin/hades-gate | head -1); \
		test -z "$$new" || { echo "$$new is newer than bin/: make build first, as the owner of this clone (uid $(OWNER))" >&2; exit 1; }
endif

define build-hooks
	@test -x $(HOOKS)/operate || echo "building…"
	@$(GOBUILD) -o $(HOOKS)/ ./hades-session-load ./hades-gate ./operate ./operate/moirai-hades-integrity
	@mkdir -p $(HOOKS)/docs && cp README.md $(HOOKS)/ && cp docs/*.md $(HOOKS)/docs/ && touch $(HOOKS)/hades-gate
endef

tests: $(if $(ANOTHER),,build)
	@command -v go >/dev/null || { echo "no go in PATH: $$PATH$(if $(ANOTHER), (sudo has one of its own: run it as yourself))" >&2; exit 1; }
	$(if $(ANOTHER),$(build-hooks))
	@mkdir -p $(TESTS)
	@CGO_ENABLED=0 go build -buildvcs=$(BUILDVCS) -o $(TESTS)/ ./stresstest/...

demo: tests ## play one session of a sample constellation; touches nothing [V=1]
	@$(TESTS)/demo -bin $(HOOKS) $(if $(V),-v)

stress: tests ## the ship gate: every black-box case against the built hooks [RUN=regexp] [LIVE=1]
	@$(TESTS)/stresstest -bin $(HOOKS) $(if $(RUN),-run '$(RUN)') $(if $(LIVE),-live)

faults: tests ## the fault matrix: nothing may fail open (strace for the system calls) [LIVE=1]
	@$(TESTS)/faults -bin $(HOOKS) $(if $(LIVE),-live)

mutants: tests ## every rule broken once: a case must see it; more than an hour [FILES="…"] [BASE=revision] [LIMIT=10m]
	@$(TESTS)/mutants -tests $(TESTS) $(if $(FILES),-files '$(FILES)') $(if $(BASE),-base '$(BASE)') $(if $(LIMIT),-limit '$(LIMIT)')

bench: tests ## what the hooks cost, in the client and by themselves [RUN=regexp] [TIMES=3] [WRITE=docs/SPEED.md] [LIVE=1]
	@$(TESTS)/bench -bin $(HOOKS) -cache $(CACHE)/client $(if $(RUN),-run '$(RUN)') $(if $(TIMES),-times $(TIMES)) $(if $(WRITE),-write '$(WRITE)') $(if $(LIVE),-live)

e2e: tests ## the real client, offline, every step of §5.2 [CLAUDE=/path/to/claude] [RUN=regexp] [LIVE=1]
	@$(TESTS)/e2e -bin $(HOOKS) -cache $(CACHE)/client $(if $(CLAUDE),-claude '$(CLAUDE)') $(if $(RUN),-run '$(RUN)') $(if $(LIVE),-live)

mac-facts: tests ## what only a Mac can tell, beside what the product relies on; to be pasted [CLAUDE=/path/to/claude] [LIVE=1]
	@$(TESTS)/macfacts -bin $(HOOKS); facts=$$?; \
		$(TESTS)/e2e -bin $(HOOKS) -cache $(CACHE)/client $(if $(CLAUDE),-claude '$(CLAUDE)') $(if $(LIVE),-live) -run 'how the client spells' >$(CACHE)/facts.log; client=$$?; \
		grep -E '^( +fact|  ok|  FAIL)' $(CACHE)/facts.log; exit $$((facts + client))

e2e-matrix: tests ## the same for several client versions; writes docs/CLIENT-CONTRACT.md [VERSIONS="…"]
	@$(TESTS)/e2e -bin $(HOOKS) -cache $(CACHE)/client -versions '$(or $(VERSIONS),default)' -write docs/CLIENT-CONTRACT.md

check: needs format vet cross race fuzz shell same stress faults ## all of what CI checks, but the real client

# First of all: what is missing is said before anything else runs.
needs:
	@missing=; for p in go git shellcheck $(if $(filter Linux,$(shell uname -s)),strace); do \
		command -v $$p >/dev/null || missing="$$missing $$p"; \
	done; \
	test -z "$$missing" || { echo "make check needs these, install them first:$$missing" >&2; exit 1; }
	@go run $(STATICCHECK) -version >/dev/null 2>&1 || \
		{ echo "make check needs $(STATICCHECK), and the go command cannot get it: is there a network?" >&2; exit 1; }

format:
	@test -z "$$(gofmt -l .)" || { gofmt -d . ; exit 1; }

vet:
	@go vet ./...
	@go run $(STATICCHECK) ./...

cross:
	@for p in $(PLATFORMS); do \
		export GOOS=$${p%/*} GOARCH=$${p#*/} CGO_ENABLED=0; echo "build and vet for $$p"; \
		go build -buildvcs=false -o /dev/null ./hades-session-load && go build -buildvcs=false ./... && go vet ./... || exit 1; \
	done

# Programs are separate processes: races can be in what the hooks share and in the harness.
# What they run they build, which the cache of go test does not see.
race: tests
	@go test -race $$(go list ./moiraicore ./stresstest/... | grep -v /untouched)
	@go test -count=1 -timeout 30m ./operate/...

untouched: tests ## every program of ours beside a live session, where nothing can be isolated: it stays untouched; minutes
	@go test -count=1 -timeout 30m ./stresstest/untouched

fuzz:
	@mkdir -p $(CACHE)
	@for f in $(FUZZ); do echo "$$f"; go test ./moiraicore -run '^$$' -fuzz "^$$f\$$" -fuzztime $(FUZZCOUNT) >$(CACHE)/fuzz.log 2>&1 || { cat $(CACHE)/fuzz.log; exit 1; }; done

shell:
	@shellcheck .ci/run operate/release/install .ci/first stresstest/bench/others/hades-gate.sh

# The same commit and Go version give the same bytes, from another folder too.
same: tests
	@dir=$$(mktemp -d) && trap 'rm -rf "$$dir"' EXIT && \
		tar cf - --exclude=./bin --exclude=./.cache . | tar xf - -C "$$dir" && cd "$$dir" && \
		$(GOBUILD) -o bin/ ./hades-session-load ./hades-gate && \
		cmp bin/hades-gate '$(abspath $(HOOKS))/hades-gate' && cmp bin/hades-session-load '$(abspath $(HOOKS))/hades-session-load' && \
		echo "built twice, the same bytes"

# What several commands of operate take.
PAGING := $(if $(ROOT),-root '$(ROOT)') $(if $(PAGES),-pages '$(PAGES)')
ASKING := $(if $(YES),-yes)

install: build ## copy the hooks to ~/.local/libexec/moirai and link them [ROOT=constellation] [YES=1]
	@bin/operate install $(if $(ROOT),-root '$(ROOT)') $(ASKING)

uninstall: build ## undo install; what it found comes back [FORCE=1]
	@bin/operate uninstall $(if $(FORCE),-force)

wire: build ## install, and put the hooks into each account's settings [ROOT=constellation] [PAGES=N] [YES=1] [ALL=1] [STATUSLINE=1]
	@bin/operate wire $(PAGING) $(ASKING) $(if $(ALL),-all) $(if $(STATUSLINE),-statusline)

unwire: build ## take them out of the settings; what wire found comes back [YES=1] [ALL=1]
	@bin/operate unwire $(ASKING) $(if $(ALL),-all)

wiring: build ## print the hooks for user settings, to be pasted [ROOT=constellation] [PAGES=N]
	@bin/operate wiring $(PAGING)

wiring-managed: build ## print the managed drop-in [ROOT=constellation] [PAGES=N]
	@bin/operate wiring-managed $(PAGING)

install-managed: build ## as root: hooks and drop-in out of every user's reach [ROOT=constellation] [PAGES=N] [STRICT=1] [YES=1]
	@bin/operate install-managed $(PAGING) $(if $(STRICT),-strict) $(ASKING)

uninstall-managed: build ## as root: undo install-managed
	@bin/operate uninstall-managed

verify: build ## check what is wired, and run it [ROOT=constellation]
	@bin/operate verify $(if $(ROOT),-root '$(ROOT)')

status: build ## why a session is blocked, and what to do [SESSION=id]
	@bin/operate status $(if $(SESSION),-session '$(SESSION)')

probe-schedule: build ## print what runs the probe every hour; | sh sets it [ROOT=constellation]
	@bin/operate schedule $(if $(ROOT),-root '$(ROOT)')

fit: build ## how many pages the rule files need (ROOT=constellation)
	@bin/operate fit -root '$(or $(ROOT),$(error make fit ROOT=/path/to/constellation-hades))'

# The same commit and Go version give the same archives.
DIST := dist
RELEASES := $(PLATFORMS) linux/amd64

dist: ## one archive for each platform, with programs, pages and sums, into dist/; unpacked, ./install needs no Go
	@version=$$(git describe --tags --always --dirty 2>/dev/null || echo unknown); at=$$(git log -1 --format=%ct 2>/dev/null || echo 0); \
	stage=$$(mktemp -d) && trap 'rm -rf "$$stage"' EXIT && for p in $(RELEASES); do \
		dir=$$stage/$$p && mkdir -p $$dir/docs && \
		GOOS=$${p%/*} GOARCH=$${p#*/} $(GOBUILD) -o $$dir/ ./hades-session-load ./hades-gate ./operate ./operate/moirai-hades-integrity && \
		cp README.md LICENSE operate/release/install $$dir/ && cp docs/*.md $$dir/docs/ && \
		go run ./operate/release -dir $$dir -name moirai-hades-$$version-$${p%/*}-$${p#*/} -out $(DIST) -time $$at || exit 1; \
	done

clean: ## remove what make built; an installation stays
	@rm -rf $(if $(ANOTHER),$(CACHE),bin .cache)
