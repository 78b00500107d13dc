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
	"rollcall/harness/verdict"
)

// evidenceFolder is the part of a run folder reports are made from.
const evidenceFolder = "evidence"

// Load reads the run folder dir and judges it anew:
//
//	evidence/session.json
//	evidence/<mode>/cluster.json
//	evidence/<mode>/<suite>/<scenario>[-<attempt>]/{run.json,hits.parquet,events.jsonl}
//
// Attempts of one scenario count as its last. An error is one line that names the file and what is
// wrong with it: not a run folder, half-written, or by a newer build.
func Load(dir string) (Report, error) {
	root := filepath.Join(dir, evidenceFolder)
	var session evidence.Session
	if err := evidence.ReadJSON(filepath.Join(root, evidence.SessionFile), &session); err != nil {
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
		Run:      Run{ID: session.ID, Began: session.Began.UTC(), Ended: session.Ended.UTC(), Version: session.Version, Command: session.Command, Broken: session.Broken},
		Clusters: []evidence.Cluster{}, Scenarios: []Scenario{},
	}
	if session.Ended.After(session.Began) {
		r.Summary.Seconds = seconds(session.Ended.Sub(session.Began))
	}
	modes, err := folders(root)
	if err != nil {
		return Report{}, fmt.Errorf("reports: load %s: %w", dir, err)
	}
	slices.SortFunc(modes, compareModes)
	for _, mode := range modes {
		if err := r.loadMode(root, mode); err != nil {
			return Report{}, fmt.Errorf("reports: load %s: %w", dir, err)
		}
	}
	return r, nil
}

func (r *Report) loadMode(root, mode string) error {
	var cluster evidence.Cluster
	file := filepath.Join(root, mode, evidence.ClusterFile)
	if err := evidence.ReadJSON(file, &cluster); err != nil {
		return err
	}
	if cluster.Mode != mode {
		return fmt.Errorf("%s: mode %q in the folder of mode %q", file, cluster.Mode, mode)
	}
	if cluster.Features == nil {
		cluster.Features = []evidence.Feature{}
	}
	r.Clusters = append(r.Clusters, cluster)
	suites, err := folders(filepath.Join(root, mode))
	if err != nil {
		return err
	}
	for _, suite := range suites {
		attempts, err := folders(filepath.Join(root, mode, suite))
		if err != nil {
			return err
		}
		last := lastAttempts(attempts)
		for _, scenario := range slices.Sorted(maps.Keys(last)) {
			if err := r.loadScenario(root, mode, suite, scenario, last[scenario]); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *Report) loadScenario(root, mode, suite, scenario string, attempt int) error {
	name := scenario
	if attempt > 1 {
		name += "-" + strconv.Itoa(attempt)
	}
	dir := filepath.Join(root, mode, suite, name)
	ev, err := evidence.Read(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("half-written: %w", err)
	}
	if err != nil {
		return err
	}
	run := ev.Run
	if run.Mode != mode || run.Suite != suite || run.Scenario != scenario || run.Attempt != attempt {
		return fmt.Errorf("%s: it is attempt %d of %s/%s/%s, the folder says otherwise",
			filepath.Join(dir, evidence.RunFile), run.Attempt, run.Mode, run.Suite, run.Scenario)
	}
	s, err := newScenario(ev, path.Join(evidenceFolder, mode, suite, name))
	if err != nil {
		return fmt.Errorf("%s: %w", dir, err)
	}
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
	for _, lane := range s.Lanes {
		r.Summary.Requests += lane.Requests
	}
	return nil
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
