# SPDX-License-Identifier: GPL-2.0-or-later
#
# `make help` lists the targets.  Everything that is built goes to O=, every
# result to RESULTS=, kernels and sources to ${XDG_CACHE_HOME:-~/.cache}/kverdict.

O       ?= .build
RESULTS ?= .results
PLAN    ?= default
V       ?= 0
# As in CI, so that `make check` after `make validate` compiles nothing twice.
WERROR  ?= ON

KVERDICT := $(O)/kverdict
CACHE    := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/kverdict
Q        := $(if $(filter 0,$(V)),@)
QUIET    := $(if $(filter 0,$(V)),--quiet)

# Shared with the kernel builds, so that a fresh clone compiles little.
export CCACHE_DIR        ?= $(CACHE)/ccache
export CCACHE_SLOPPINESS ?= pch_defines,time_macros
LAUNCHER  = $(if $(shell command -v ccache),-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)

.DELETE_ON_ERROR:
.PHONY: help validate check tools kernels series-check configs-check debug-check \
	load-check bisect-check selftests mutants model lint fuzz bench clean setup setup-check setup-series setup-trace

help:
	@echo 'Main targets:'
	@echo '  validate      build the kernels of PLAN, boot them in turn, print the verdict'
	@echo '  check         every test that does not take hours; prints N passed, N failed'
	@echo '  series-check  each patch of the series: style, warnings, build, boot, selftests'
	@echo '  configs-check the series in the configs in which its code differs'
	@echo '  debug-check   the series under KASAN, lockdep and failing allocations'
	@echo '  load-check    ten minutes of load on debug kernels, and under KCSAN'
	@echo '  selftests     the tests on before, regressed, fixed and a debug kernel, side by side'
	@echo '  mutants       each guard of the series taken out: which test notices'
	@echo '  model         the same for models of the series, in all their states (spin)'
	@echo '  bisect-check  git bisect finds the patch that brings the wait, and the cure'
	@echo
	@echo 'Parts:'
	@echo '  tools         the program kverdict, in $(O)'
	@echo '  kernels       the kernels of PLAN, into the cache'
	@echo '  lint          format, layers, licences, shell scripts, clang-tidy'
	@echo '  fuzz          the parsers under libFuzzer, FUZZ_SECONDS= each (60)'
	@echo '  bench         speed of the parsers and the statistics'
	@echo '  clean         remove $(O); the cache and the results stay'
	@echo
	@echo 'Variables: PLAN=default|full|exp-holdoff|virtual|reproduce|FILE, or with probes:'
	@echo '           cost|waits|latency|storm'
	@echo '           TRACE=1 (then say where the time goes, by bpftrace)'
	@echo '           FULL=1 (60 s runs, 10 blocks)  KDIR=TREE  O=DIR  RESULTS=DIR  V=1'
	@echo
	@echo 'Exit status: make turns every failure into 2; the verdict and its own'
	@echo 'status are in verdict.json in the result folder.'

setup:
	$(Q)scripts/setup run

setup-check setup-series setup-trace:
	$(Q)scripts/setup $(@:setup-%=%)

tools: setup
	@mkdir -p $(O)
	$(Q)cmake -S tools -B $(O) -G Ninja $(LAUNCHER) -DKV_TESTS=OFF \
		-DKV_WERROR=$(WERROR) $(if $(QUIET),> $(O)/cmake.log)
	@[ -x $(KVERDICT) ] || echo 'building kverdict (about two minutes)'
	$(Q)ninja -C $(O) $(QUIET) kverdict kverdict-init kverdict-probe

kernels: tools
	$(Q)$(KVERDICT) build --plan $(PLAN)

# With TRACE=1 the sentence of the trace follows the verdict, whatever that is.
validate: OUT := $(RESULTS)/$(basename $(notdir $(PLAN)))-$(shell date -u +%Y%m%dT%H%M%SZ)
validate: tools $(if $(TRACE),setup-trace)
	$(Q)status=0; $(KVERDICT) run $(PLAN) $(if $(FULL),--full) --out $(OUT) || status=$$?; \
	$(if $(TRACE),echo; $(KVERDICT) trace --plan $(PLAN) --out $(OUT)/trace || status=$$?;) \
	exit $$status

load-check: tools setup-series
	$(Q)O=$(O) RESULTS=$(RESULTS) scripts/load

selftests: tools setup-series
	$(Q)O=$(O) RESULTS=$(RESULTS) scripts/selftests selftests

mutants: tools setup-series
	$(Q)O=$(O) RESULTS=$(RESULTS) scripts/mutants

model: setup-check
	$(Q)O=$(O) scripts/model

bisect-check: tools
	$(Q)O=$(O) RESULTS=$(RESULTS) scripts/bisect

series-check configs-check debug-check: tools setup-series
	$(Q)O=$(O) RESULTS=$(RESULTS) scripts/stage $(@:-check=)

check: setup-check
	$(Q)O=$(O) V=$(V) scripts/check

lint: setup-check
	$(Q)O=$(O) scripts/lint

fuzz: setup-check
	$(Q)O=$(O) scripts/fuzz $(or $(FUZZ_SECONDS),60)

bench: setup-check
	@mkdir -p $(O)
	$(Q)cmake -S tools -B $(O)/bench -G Ninja $(LAUNCHER) -DKV_TESTS=OFF \
		-DKV_BENCH=ON -DCMAKE_BUILD_TYPE=Release > $(O)/cmake.log
	$(Q)ninja -C $(O)/bench $(QUIET)
	$(Q)for bench in $(O)/bench/*_bench; do $$bench || exit 1; done

clean:
	rm -rf $(O)
