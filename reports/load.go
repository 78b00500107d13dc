package reports

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"rollcall/harness/evidence"
	"rollcall/harness/evidence/store"
	"rollcall/harness/verdict"
)

// evidenceFolder is the part of a run folder reports are made from.
const evidenceFolder = "evidence"

// Load reads the run folder dir and judges it anew:
//
//	evidence/session.json
//	evidence/spans.jsonl
//	evidence/<mode>/cluster.json
//	evidence/<mode>/<suite>/<scenario>[-<attempt>]/{run.json,hits.parquet,arrivals.parquet,events.jsonl}
//
// Attempts of one scenario count as its last. A scenario that cannot be read is inconclusive; what
// else is missing or damaged is in the run's Broken. The error, one line, is for a folder without a
// session this build can read.
func Load(dir string) (Report, error) {
	root := filepath.Join(dir, evidenceFolder)
	var session evidence.Session
	if err := store.ReadJSON(filepath.Join(root, evidence.SessionFile), &session); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return Report{}, fmt.Errorf("reports: load %s: not a run folder: it has no %s", dir, path.Join(evidenceFolder, evidence.SessionFile))
		}
		return Report{}, fmt.Errorf("reports: load %s: %w", dir, err)
	}
	if session.Schema > evidence.SchemaVersion {
		return Report{}, fmt.Errorf("reports: load %s: schema %d, this build reads up to %d: use a newer Rollcall",
			filepath.Join(root, evidence.SessionFile), session.Schema, evidence.SchemaVersion)
	}
	r := Report{
		APIVersion: APIVersion, Kind: Kind,
		Run: Run{ID: session.ID, Began: session.Began.UTC(), Ended: session.Ended.UTC(), Version: session.Version, Command: session.Command, Broken: session.Broken,
			Pace: session.Pace, Calibration: newCalibration(session.Calibration),
			Profile: session.Profile, LeftOut: session.LeftOut, Expected: thousandths(session.Expected),
			Jobs: session.Jobs, Rate: session.Rate, Steps: session.Steps},
		Clusters: []evidence.Cluster{}, Scenarios: []Scenario{},
	}
	if session.Ended.After(session.Began) {
		r.Summary.Seconds = seconds(session.Ended.Sub(session.Began))
	}
	spans, err := store.ReadSpans(dir)
	r.broken(dir, err)
	r.Run.Seconds = secondsByPart(spans, session.Began, session.Ended)
	modes, err := folders(root)
	r.broken(dir, err)
	slices.SortFunc(modes, compareModes)
	for _, mode := range modes {
		r.loadMode(dir, mode)
	}
	return r, nil
}

func (r *Report) loadMode(dir, mode string) {
	root := filepath.Join(dir, evidenceFolder, mode)
	cluster, err := readCluster(root, mode)
	r.broken(dir, err)
	r.Clusters = append(r.Clusters, cluster)
	suites, err := folders(root)
	r.broken(dir, err)
	for _, suite := range suites {
		attempts, err := folders(filepath.Join(root, suite))
		r.broken(dir, err)
		last := lastAttempts(attempts)
		for _, scenario := range slices.Sorted(maps.Keys(last)) {
			r.add(newScenario(dir, place{mode, suite, scenario, last[scenario]}))
		}
	}
}

// readCluster is a cluster of which only the mode is known when there is an error.
func readCluster(root, mode string) (evidence.Cluster, error) {
	unknown := evidence.Cluster{Mode: mode, Features: []evidence.Feature{}}
	file := filepath.Join(root, evidence.ClusterFile)
	var c struct {
		Schema int `json:"schema"` // not yet written
		evidence.Cluster
	}
	switch err := store.ReadJSON(file, &c); {
	case err != nil:
		return unknown, fmt.Errorf("%w: the cluster is not known: record the mode again", err)
	case c.Schema > evidence.SchemaVersion:
		return unknown, fmt.Errorf("%s: schema %d, this build reads up to %d: use a newer Rollcall", file, c.Schema, evidence.SchemaVersion)
	case c.Mode != mode:
		return unknown, fmt.Errorf("%s: mode %q in the folder of mode %q: move it back", file, c.Mode, mode)
	}
	if c.Features == nil {
		c.Features = unknown.Features
	}
	return c.Cluster, nil
}

// broken notes an error about the run folder dir.
func (r *Report) broken(dir string, err error) {
	if err != nil {
		r.Run.Broken = append(r.Run.Broken, within(dir, err))
	}
}

// add adds a scenario and counts it.
func (r *Report) add(s Scenario) {
	r.Scenarios = append(r.Scenarios, s)
	switch s.Outcome {
	case verdict.Pass:
		r.Summary.Pass++
	case verdict.Fail:
		r.Summary.Fail++
	case verdict.Inconclusive:
		r.Summary.Inconclusive++
	case verdict.Skipped:
		r.Summary.Skipped++
	}
	if s.RecordedFor != "" {
		return // its requests are that scenario's
	}
	for _, lane := range s.Lanes {
		r.Summary.Requests += lane.Requests
	}
}

// within is an error as one line in which paths are relative to the run folder dir, so that the same
// folder says the same wherever it lies.
func within(dir string, err error) string {
	root := filepath.Join(dir, evidenceFolder)
	return oneLine(strings.ReplaceAll(err.Error(), root, evidenceFolder))
}

// lastAttempts maps each scenario to its last attempt. Scenario ids are free of digits, so a
// number at the end of a folder's name is an attempt.
func lastAttempts(names []string) map[string]int {
	last := make(map[string]int)
	for _, name := range names {
		scenario, attempt := name, 1
		if i := strings.LastIndexByte(name, '-'); i > 0 {
			if n, err := strconv.Atoi(name[i+1:]); err == nil && n > 1 {
				scenario, attempt = name[:i], n
			}
		}
		last[scenario] = max(last[scenario], attempt)
	}
	return last
}

// folders lists the visible folders in dir, by name.
func folders(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if e.IsDir() && !strings.HasPrefix(e.Name(), ".") {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

// compareModes puts iptables, nftables and ipvs first, in this order, and any other by name.
func compareModes(a, b string) int {
	lastToFirst := []string{"ipvs", "nftables", "iptables"} // any other has index -1
	return cmp.Or(cmp.Compare(slices.Index(lastToFirst, b), slices.Index(lastToFirst, a)), cmp.Compare(a, b))
}
