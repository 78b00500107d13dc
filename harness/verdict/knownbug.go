package verdict

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict/phrase"
)

// A BugAnswer says whether a cluster has the bug of Kubernetes that a scenario would show.
type BugAnswer string

// The answers.
const (
	Affected    BugAnswer = "affected"     // the bug's own mechanism was seen
	NotAffected BugAnswer = "not affected" // it was tested, and everything was right
	CannotTell  BugAnswer = "cannot tell"
)

// answerBug says in a verdict about a scenario with a bug whether the cluster has that, and in its headline whether that is known.
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

// shows reports whether an expectation failed that the bug's mechanism fails.
func (v Verdict) shows(bug evidence.Bug, expected []Expectation) bool {
	for i, f := range v.Findings {
		if x := expected[i]; f.Outcome == Fail && x.Rule == bug.Rule && x.Fact == bug.Fact {
			return true
		}
	}
	return false
}

// AffectedOf are the releases with the bug, in this mode, of which one ran, if any did.
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

// VersionsRun are those of the component that would have a run's bug, or that of the API server where they were not found out;
// none where neither was.
func VersionsRun(run evidence.Run) []string {
	if len(run.ComponentVersions) == 0 && run.Kubernetes != "" {
		return []string{run.Kubernetes}
	}
	return run.ComponentVersions
}

// isOf reports whether a version is one of the releases; one that cannot be read is not.
func isOf(r evidence.Releases, version string) bool {
	older, newer, err := outsideOf(version, r.Since, r.Before)
	return !older && !newer && err == nil
}
