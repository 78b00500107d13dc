# Rollcall. `make` alone lists the targets.
SHELL       := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

# The recorded run that report, rejudge and the tables read.
RUN ?= out/latest

# Options of a run are variables, also from the environment: MODES=nftables make conformance. Those about an existing cluster,
# such as CONTEXT, count only on make's command line, whose variables this lists.
export ROLLCALL_GIVEN := $(strip $(foreach v,$(.VARIABLES),$(if $(filter command,$(firstword $(origin $v))),$v)))

# All programs are compiled with the flags of those in the images, so that shared packages are compiled once, and without
# debug information.
export CGO_ENABLED := 0
export GOFLAGS     := $(strip $(GOFLAGS) -trimpath -gcflags=all=-dwarf=false -ldflags=-s)
# The race detector needs cgo, and by default makes every test program sleep 1 s before it exits.
unit repeat: export CGO_ENABLED := 1
unit repeat: export GORACE      := atexit_sleep_ms=20

# With less garbage collection the compiler uses a fifth less CPU. Our own programs run with Go's default.
GO_BUILD := GOGC=400 go build

LINT_VERSION := v2.15.0
LINT         := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/rollcall/tools/golangci-lint-$(LINT_VERSION)
ROLLCALL     := out/bin/rollcall
ROLLCALL_HOST := out/bin/rollcall-host

##@ The two commands

.PHONY: conformance
conformance: $(ROLLCALL) setup ## Run the suites in every kube-proxy mode this host supports; PROFILE, MODES, SUITES, K8S, KEEP=1 select; CONTEXT attaches
	@$(ROLLCALL) run

.PHONY: test
test: lint smoke unit ## Lint, a smoke run on one real kind cluster, and the hermetic tests

##@ Parts of them

# The suites regressions and termination also have tests without a cluster: their tests with one are skipped.
# The tests of COMPUTES start no goroutine: the race detector finds nothing there, and takes six times as long.
COMPUTES  := reports/compare harness/verdict/statistics suites
COMPUTED  := $(COMPUTES:%=./%)
CONCURRENT = -race -skip '^Test(Regressions|Termination)$$' $(or $(PKG),$$(go list ./fixtures/... ./harness/... ./loadgen/... \
	./reports/... ./suites/regressions ./suites/termination | grep -v $(COMPUTES:%=-e /%$$)))

.PHONY: unit
unit: gcc browser ## Hermetic tests, with the race detector where there are goroutines
	CGO_ENABLED=0 go test $(COMPUTED)
	go test $(CONCURRENT)

# A test that fails by chance shows here. Ctrl-C ends it, with the sum so far.
.PHONY: repeat
repeat: gcc browser ## The same tests N=100 times, or those of one package: PKG=./harness/namespace
	@set +e; { $(if $(PKG),,CGO_ENABLED=0 go test -timeout=0 -count=$(or $(N),100) $(COMPUTED);) \
		go test -timeout=0 -count=$(or $(N),100) $(CONCURRENT); } | (trap '' INT; awk ' \
		/^--- FAIL/ { here++ } \
		/^(ok|FAIL) *\t/ { packages++; if ($$1 == "FAIL") failures += here ? here : 1; here = 0 } \
		{ print; fflush() } \
		END { print "packages: " packages + 0 ", runs of each: " $(or $(N),100) ", failures: " failures + 0; exit !packages || failures }')

# The race detector needs a C compiler.
.PHONY: gcc
gcc:
	@command -v gcc >/dev/null || { echo "installing gcc, which the race detector needs"; apt-get update -qq; apt-get install -y -qq gcc libc6-dev; }

# index.html is also tested in a real browser; without one these tests are skipped, with the reason.
.PHONY: browser
browser:
	@command -v chromium-headless-shell chromium chromium-browser google-chrome >/dev/null || { echo "installing a browser, in which index.html is tested"; \
		apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium-headless-shell >/dev/null || echo "no browser could be installed"; }

.PHONY: smoke
smoke: $(ROLLCALL) setup ## A rolling update of pods that sleep before SIGTERM, and one of pods that exit at once, on one kind cluster
	@SUITES="control rollout" $(ROLLCALL) run --profile=smoke --modes="$(or $(MODES),iptables)"

.PHONY: lint
lint: $(LINT) ## gofmt, go vet and golangci-lint
	@test -z "$$(gofmt -l .)" || { echo "not gofmt'ed:"; gofmt -l .; exit 1; }
	$(LINT) run ./...

##@ Host

# A run on an existing cluster, and one that only lists scenarios, need nothing of this host.
NO_HOST := $(filter CONTEXT KUBECONFIG DRY_RUN,$(ROLLCALL_GIVEN))

.PHONY: setup
setup: $(if $(NO_HOST),,$(ROLLCALL_HOST)) ## Install and start a container engine if there is none, and have it start privileged containers
	@$(if $(NO_HOST),,$(ROLLCALL_HOST) setup)

.PHONY: preflight
preflight: $(ROLLCALL) $(ROLLCALL_HOST) ## Set this host up as setup does, and say what it can run
	@$(ROLLCALL_HOST) setup || true; $(ROLLCALL) preflight

.PHONY: node-image
node-image: $(ROLLCALL_HOST) ## Get the node image for K8S, building it if no registry has it
	@$(ROLLCALL_HOST) node-image $(K8S)

.PHONY: clean
clean: $(ROLLCALL) ## Remove every cluster Rollcall made on this host, kept ones too, and out/bin
	@ROLLCALL_GIVEN= $(ROLLCALL) clean
	rm -rf out/bin

.PHONY: ipvs-lab
ipvs-lab: $(ROLLCALL) $(ROLLCALL_HOST) ## Run suites in ipvs mode where this host's kernel has no IP_VS, in a machine of its own; SUITES, K8S select
	@$(ROLLCALL) run --lab

.PHONY: lab-test
lab-test: ## See that a lab keeps to its folder, and that one that hangs is given up; 2 minutes once it is built
	ROLLCALL_TESTS=lab go test -count=1 -timeout 1h -v -run TestMachine ./harness/host/lab

.PHONY: clean-lab
clean-lab: $(ROLLCALL_HOST) ## Remove the lab
	@$(ROLLCALL_HOST) lab remove

# The programs inside a release, as <arch>/<name>.gz: see harness/layout.
INSIDE  := echo=./fixtures/echo grpcecho=./fixtures/grpcecho agent=./loadgen/agent grpcagent=./loadgen/grpcagent noderules=./harness/observe/noderules ociruntime=./harness/host/ociruntime
PACKED  := harness/layout/programs
RELEASE := out/release
PLATFORMS ?= linux/amd64 linux/arm64

.PHONY: programs
programs: ## Compile what a release has inside, before goreleaser makes one
	rm -rf $(PACKED); for arch in amd64 arm64; do mkdir -p $(PACKED)/$$arch; for program in $(INSIDE); do \
		echo "compiling $${program%=*} for $$arch" >&2; GOOS=linux GOARCH=$$arch go build -buildvcs=false -ldflags="-s -w" -o $(PACKED)/program $${program#*=}; \
		gzip -9n <$(PACKED)/program >$(PACKED)/$$arch/$${program%=*}.gz; rm $(PACKED)/program; done; done; \
	cp kind-config.yaml $(PACKED)/

.PHONY: release
release: ## Make rollcall in out/release: for each of PLATFORMS a file that needs no clone and no Go; clusters are made on Linux alone
	trap 'rm -rf $(PACKED)' EXIT; $(MAKE) --no-print-directory programs; mkdir -p $(RELEASE); \
	for platform in $(PLATFORMS); do echo "compiling rollcall for $$platform" >&2; \
		GOOS=$${platform%/*} GOARCH=$${platform#*/} go build -tags release -o $(RELEASE)/rollcall-$${platform%/*}-$${platform#*/} \
			./harness/rollcall; done; ls -l $(RELEASE)

.PHONY: image
image: $(ROLLCALL) ## Push the images to IMAGE_REPO and write out/nightly, a job that runs every night in a cluster
	@$(ROLLCALL) image

.PHONY: cleanup
cleanup: $(ROLLCALL) ## Remove what runs left on the cluster of CONTEXT, and nothing else
	@$(ROLLCALL) clean --context="$(if $(filter CONTEXT,$(ROLLCALL_GIVEN)),$(CONTEXT))"

##@ Reports

.PHONY: report
report: $(ROLLCALL) ## Rewrite the reports of a recorded run, by today's rules; RUN=out/<run-id>
	@$(ROLLCALL) report $(RUN)

.PHONY: rejudge
rejudge: $(ROLLCALL) ## Say what today's rules would change about a recorded run, and change nothing; RUN=out/<run-id>
	@$(ROLLCALL) report --dry-run $(RUN)

# Tables of runs. go test prints the output of tests only if it runs in the directory of their package.
TABLE := cd suites && ROLLCALL_RUNS="$(abspath $(RUN))" go test -count=1 -run

.PHONY: claims
claims: ## Print which seed claims a recorded run covers, as Markdown tables; RUN="out/<run-id>..."
	@$(TABLE) TestClaimsTable

.PHONY: claims-table
claims-table: ## Write the tables of `make claims` into suites/CLAIMS.md
	@$(TABLE) TestClaimsTable -update

.PHONY: disruptions-table
disruptions-table: ## Put what disruptions cost into suites/disruption/README.md, in the place of the table there; RUN="out/<run-id>..."
	@$(TABLE) TestDisruptionsTable -update

.PHONY: modes-table
modes-table: ## Put what a rolling update costs in each mode into harness/host/lab/README.md, likewise
	@$(TABLE) TestModesTable -update

.PHONY: picture
picture: $(ROLLCALL) ## Draw the timeline of one scenario of RUN, as RUN/timeline.svg; SCENARIO=<mode>/<suite>/<scenario>
	@$(ROLLCALL) report $(RUN) --picture=$(or $(SCENARIO),iptables/control/undrained-rolling-update) >$(RUN)/timeline.svg

##@ Development

# chrt, where allowed, protects a measurement from other processes of a shared machine.
CHRT := $(shell chrt -r 1 true 2>/dev/null && echo chrt -r 1)

.PHONY: bench
bench: browser ## Evidence core, index.html, measured outages against true ones, a request of a lane against one of net/http's, on an idle machine
	go test ./reports/page -count=1 -run Million -bars -v
	ROLLCALL_TESTS=bench-long go test ./harness/evidence/store ./harness/verdict -run '^$$' -bench 'Hits|Arrivals|JoinAndJudge|Events' -benchtime 3x
	$(CHRT) go test ./loadgen -run '^$$' -bench Recording -count 3
	$(CHRT) go test ./loadgen -run '^$$' -bench Outages -benchtime 5x

.PHONY: distrust
distrust: setup ## Damage the harness on real clusters, in MODES, and see that nothing is judged then; 2 minutes per mode
	ROLLCALL_TESTS=distrust go test -count=1 -timeout 1h -v -run TestDistrust ./harness/run

.PHONY: waiters
waiters: $(ROLLCALL) setup ## Measure for how long old pods answer after each command that waits for a rollout, on a kept cluster, in MODES; 15 minutes per mode
	ROLLCALL_TESTS=cases go test -count=1 -timeout 3h -v -run TestWaitersOnACluster ./harness/cases

.PHONY: mutants
mutants: setup ## Damage cluster, app and rig on real clusters, in MODES, and see that each is told by its cause; RUN=<pattern> selects; 25 minutes, 12 in nftables mode
	ROLLCALL_TESTS=mutants go test -count=1 -timeout 3h -v -run 'TestMutants/.*/$(if $(filter file,$(origin RUN)),,$(RUN))' ./harness/run

.PHONY: mutants-table
mutants-table: ## Put what is in out/mutants.json into the tables of harness/mutants/README.md
	go test ./harness/mutants -count=1 -run TestTablesInTheGuide -update

.PHONY: track-record
track-record: setup ## Run suite regressions on components with and without each bug, in MODES, and write its table; RUN=<pattern> selects; 12 minutes per mode
	ROLLCALL_TESTS=track-record go test -count=1 -timeout 3h -v -run 'TestTrackRecord/.*/$(if $(filter file,$(origin RUN)),,$(RUN))' ./harness/run
	go test ./harness/mutants -count=1 -run TestTrackRecordGuide -update

.PHONY: cases
cases: $(ROLLCALL) setup ## Do what went wrong for users, by try and during, on a kept cluster, in MODES; RUN=<pattern> selects; 2 hours per mode
	ROLLCALL_TESTS=cases go test -count=1 -timeout 8h -v -run 'TestCasesOnACluster/.*/$(if $(filter file,$(origin RUN)),,$(RUN))' ./harness/cases

.PHONY: published
published: ## Have check and try --dry-run read install files that others published, from modules that are downloaded; a minute
	ROLLCALL_TESTS=published go test -count=1 -v -run TestPublished ./harness/cases

.PHONY: busy
busy: $(ROLLCALL) setup ## Keep all processors busy during runs of the twins, and see that nothing is judged wrongly; 10 minutes
	@command -v stress-ng >/dev/null || { apt-get update -qq && apt-get install -y -qq --no-install-recommends stress-ng >/dev/null; }
	ROLLCALL_TESTS=busy go test -count=1 -timeout 1h -v -run TestBusyHost ./harness/run

.PHONY: staging
staging: $(ROLLCALL) setup ## Run on a kind cluster as on somebody else's, with only the shipped roles and images from a registry; SUITES and PART select
	ROLLCALL_TESTS=staging go test -count=1 -timeout 2h -v -run 'TestStaging/.*/$(PART)' ./harness/run

.PHONY: components
components: setup ## Have nodes of real clusters run components of other versions, and see that afterwards they are what they were
	ROLLCALL_TESTS=components go test -count=1 -timeout 1h -v -run TestComponents ./harness/run

.PHONY: generate golden
golden: generate # the target's name of earlier releases
generate: ## Write the golden files, and the parts of guides that are made of Go values; `make unit` fails where one is not up to date
	go generate ./...

# The folders of Go packages. PATH on make's command line also replaces the search path of commands, so `module` restores make's own.
FOLDERS := fixtures|harness|loadgen|reports|suites

.PHONY: module
module: ## Rename the Go module wherever its path stands; PATH=example.com/rollcall
	@new="$(if $(filter command,$(firstword $(origin PATH))),$(PATH))"; \
	while IFS= read -r -d '' v; do [[ $$v != PATH=* ]] || export "$$v"; done </proc/$$PPID/environ \
		|| export PATH="$$(command -p getconf PATH):/usr/local/go/bin"; \
	[[ $$new =~ ^[A-Za-z0-9._~/-]+$$ ]] || { echo "the path of the module is none: make module PATH=example.com/rollcall"; exit 2; }; \
	old="$$(sed -n 's/^module //p' go.mod)"; pattern="$${old//./\\.}"; \
	sed -i "s|^module $$pattern\$$|module $$new|" go.mod; \
	sed -i -E "s#(pkg: |\[|, |^ +)$$pattern(/($(FOLDERS))|, desc)#\1$$new\2#g" .golangci.yml; \
	grep -rlE --include='*.go' "\"$$pattern/($(FOLDERS))" $(subst |, ,$(FOLDERS)) | xargs sed -i -E "s#\"$$pattern(/($(FOLDERS)))#\"$$new\1#g"; \
	gofmt -l . | xargs -r gofmt -w

.PHONY: help
help: ## This list
	@awk 'BEGIN {FS = ":.*## "} /^##@/ {printf "\n%s\n", substr($$0, 5)} /^[a-z-]+:.*## / {printf "  %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: $(ROLLCALL) $(ROLLCALL_HOST)
$(ROLLCALL): PROGRAM := ./harness/rollcall
$(ROLLCALL_HOST): PROGRAM := ./harness/host/rollcall-host
$(ROLLCALL) $(ROLLCALL_HOST):
	@echo "compiling $@ (2 minutes the first time)" >&2
	@$(GO_BUILD) -o $@ $(PROGRAM)

$(LINT):
	GOBIN=$(dir $@)$(LINT_VERSION) go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(LINT_VERSION)
	mv $(dir $@)$(LINT_VERSION)/golangci-lint $@ && rmdir $(dir $@)$(LINT_VERSION)
