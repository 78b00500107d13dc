package verdict

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/mod/semver"

	"example.com/rollcall/harness/evidence"
)

// outOfScope returns why an expectation is for other modes or versions; empty when it is for this cluster. It returns an error if the
// expectation names a version and the cluster's cannot be parsed.
func (r Rule) outOfScope(x Expectation, run evidence.Run) (because string, err error) {
	if mode := run.ProxyMode(); len(x.Modes) > 0 && !slices.Contains(x.Modes, mode) {
		return fmt.Sprintf("expected in mode %s only, this is %s", strings.Join(x.Modes, " and "), mode), nil
	}
	return otherRelease(x, run.Kubernetes)
}

// OtherRelease returns why nothing can be judged on a cluster of a version: every expectation is for other versions. It is empty if one is
// for this one.
func OtherRelease(expect []Expectation, version string) (because string) {
	for _, x := range expect {
		other, err := otherRelease(x, version)
		if other == "" || err != nil {
			return ""
		}
		because = cmp.Or(because, other)
	}
	return because
}

func otherRelease(x Expectation, version string) (because string, err error) {
	switch older, newer, err := outsideOf(version, x.SinceRelease, x.BeforeRelease); {
	case older:
		return fmt.Sprintf("expected since Kubernetes %s, this is %s", x.SinceRelease, version), nil
	case newer:
		return fmt.Sprintf("expected before Kubernetes %s, this is %s", x.BeforeRelease, version), nil
	default:
		return "", err
	}
}

// lacking returns the feature that an expectation needs and the cluster lacks, if any. An expectation about the barrier, when no node's
// rules route to an old pod, needs node rules.
func (r Rule) lacking(x Expectation, run evidence.Run) (lack evidence.Feature, lacking bool) {
	i := slices.IndexFunc(run.Lacks, func(f evidence.Feature) bool {
		return f.Name == r.Feature || f.Name == x.Needs || f.Name == evidence.NodeRules && fromBarrier(x)
	})
	if i < 0 {
		return evidence.Feature{}, false
	}
	return run.Lacks[i], true
}

// outsideOf reports whether a version is older than the release since, or is the release before or a newer one; an empty release is no
// limit.
func outsideOf(version, since, before string) (older, newer bool, _ error) {
	if since != "" {
		order, err := compareVersions(version, since)
		if err != nil || order < 0 {
			return err == nil, false, err
		}
	}
	if before == "" {
		return false, false, nil
	}
	order, err := compareVersions(version, before)
	return false, err == nil && order >= 0, err
}

// compareVersions compares a version such as "v1.36.3" with a limit, a minor release such as "1.36" or a patch release. A suffix after
// the patch, as in v1.36.3-gke.100 and v1.36.0-rc.1, does not count.
func compareVersions(version, limit string) (int, error) {
	var read [2]string
	for i, text := range []string{version, limit} {
		read[i], _, _ = strings.Cut("v"+strings.TrimPrefix(text, "v"), "-")
		if !semver.IsValid(read[i]) {
			return 0, fmt.Errorf("version %q of Kubernetes cannot be read", text)
		}
	}
	return semver.Compare(read[0], read[1]), nil
}
