// Package testenv says whether tests run that need a cluster, or much time or memory: those whose group the environment variable
// ROLLCALL_TESTS names. The targets of the Makefile set it.
package testenv

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// Variable has the groups of tests to run, with commas in between.
const Variable = "ROLLCALL_TESTS"

// A Group is a set of tests that run only if they are asked for.
type Group struct{ name, needs, target string }

// The groups.
var (
	Benchmarks  = Group{"bench-long", "4 GiB and a minute", "bench"}
	Busy        = Group{"busy", "clusters and stress-ng", "busy"}
	Cases       = Group{"cases", "clusters", "cases"}
	Components  = Group{"components", "a cluster", "components"}
	Distrust    = Group{"distrust", "clusters", "distrust"}
	Lab         = Group{"lab", "a lab", "lab-test"}
	Mutants     = Group{"mutants", "clusters", "mutants"}
	Published   = Group{"published", "modules with install files, which are downloaded", "published"}
	Staging     = Group{"staging", "a cluster", "staging"}
	TrackRecord = Group{"track-record", "clusters", "track-record"}
)

var groups = []Group{Benchmarks, Busy, Cases, Components, Distrust, Lab, Mutants, Published, Staging, TrackRecord}

// Need skips a test or benchmark unless its group is to run.
func Need(t testing.TB, g Group) {
	t.Helper()
	asked := strings.FieldsFunc(os.Getenv(Variable), func(r rune) bool { return r == ',' || r == ' ' })
	for _, name := range asked {
		if !slices.ContainsFunc(groups, func(g Group) bool { return g.name == name }) {
			t.Fatalf("%s=%s: unknown group of tests: use some of %s", Variable, name, names())
		}
	}
	switch old := g.variable(); {
	case slices.Contains(asked, g.name):
	case os.Getenv(old) != "":
		t.Logf("%s will not be read after this release: set %s=%s", old, Variable, g.name)
	default:
		t.Skipf("it needs %s: make %s, or %s=%s", g.needs, g.target, Variable, g.name)
	}
}

func names() string {
	var all []string
	for _, g := range groups {
		all = append(all, g.name)
	}
	return strings.Join(all, ", ")
}

// variable returns the variable that the group had before there was one for all, such as ROLLCALL_TRACK_RECORD.
func (g Group) variable() string {
	return "ROLLCALL_" + strings.ToUpper(strings.ReplaceAll(g.name, "-", "_"))
}
