package verdict

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict/phrase"
)

// A BugAnswer says whether a cluster has the bug of Kubernetes that a scenario looks for.
type BugAnswer string

// The answers.
const (
	Affected    BugAnswer = "affected"     // the expectation failed that the bug's mechanism breaks
	NotAffected BugAnswer = "not affected" // the scenario passed
	CannotTell  BugAnswer = "cannot tell"
)

// answerBug fills in whether the cluster has the bug that the scenario looks for. If it has, the texts say whether its version is known to.
func (v Verdict) answerBug(run evidence.Run) Verdict {
	if run.Bug == nil {
		return v
	}
	bug := *run.Bug
	of, known := AffectedOf(bug, run)
	v.BugKnown, v.BugFixed = known, cmp.Or(of.Before, bug.Fixed)
	switch v.Bug = CannotTell; {
	case v.Outcome == Pass:
		v.Bug = NotAffected
	case v.Outcome == Fail && v.shows(bug, run.Expect):
		v.Bug = Affected
		is := fmt.Sprintf("known bug %s, fixed in %s", bug.Name(), v.BugFixed)
		if !v.BugKnown {
			is = fmt.Sprintf("as in %s, which %s %s is not known to have", bug.Name(), bug.Component, strings.Join(VersionsRun(run), " and "))
		}
		v.Headline = phrase.Headline(is + ": " + v.Headline)
		v.Because = is + ": " + v.Because
	}
	return v
}

// shows reports whether the expectation failed that the bug's mechanism breaks.
func (v Verdict) shows(bug evidence.Bug, expected []Expectation) bool {
	for i, f := range v.Findings {
		if x := expected[i]; f.Outcome == Fail && x.Rule == bug.Rule && x.Fact == bug.Fact {
			return true
		}
	}
	return false
}

// AffectedOf returns the releases known to have the bug that the cluster's version is one of, in its mode, if any.
func AffectedOf(bug evidence.Bug, run evidence.Run) (evidence.Releases, bool) {
	mode := run.ProxyMode()
	if len(bug.Modes) > 0 && !slices.Contains(bug.Modes, mode) || bug.Component == "kube-proxy" && mode == evidence.NoProxy {
		return evidence.Releases{}, false
	}
	i := slices.IndexFunc(bug.Affected, func(r evidence.Releases) bool {
		return (r.Setting == "" || slices.Contains(run.ClusterChanges, r.Setting)) &&
			slices.ContainsFunc(VersionsRun(run), func(version string) bool { return isOf(r, version) })
	})
	if i < 0 {
		return evidence.Releases{}, false
	}
	return bug.Affected[i], true
}

// VersionsRun returns the versions of the component that would have the run's bug; if they were not found out, the API server's, if known.
func VersionsRun(run evidence.Run) []string {
	if len(run.ComponentVersions) == 0 && run.Kubernetes != "" {
		return []string{run.Kubernetes}
	}
	return run.ComponentVersions
}

// isOf reports whether a version is one of the releases; one that cannot be parsed is not.
func isOf(r evidence.Releases, version string) bool {
	older, newer, err := outsideOf(version, r.Since, r.Before)
	return !older && !newer && err == nil
}
