package reports

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.com/rollcall/harness/dataplane"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/evidence/store"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/harness/verdict/kept"
	"example.com/rollcall/harness/verdict/phrase"
	"example.com/rollcall/reports/model"
)

// CutOff is what is in a run's Broken if it did not come to its end.
const CutOff = "the run was cut off, or has not ended"

// Load reads the run folder dir, and judges each recording without a verdict that this build made of it:
//
//	evidence/session.json
//	evidence/spans.jsonl
//	evidence/findings.json, of rollcall try
//	evidence/<mode>/cluster.json
//	evidence/<mode>/<suite>/<scenario>[-<attempt>]/{run.json,events.jsonl,verdict.json}
//	and beside these {hits,arrivals,connections,flows}.parquet
//
// Of the attempts of a scenario the last counts. A scenario that cannot be read is inconclusive; whatever else is missing or damaged is in
// the run's Broken, and so is [CutOff]. The error, one line, says that the folder has no session that this
// build can read.
func Load(dir string) (model.Report, error) { return newLoader(dir, nil).load() }

// Rejudge is [Load], and judges every recording.
func Rejudge(dir string) (model.Report, error) {
	l := newLoader(dir, nil)
	l.read = kept.Judge
	return l.load()
}

func (l *loader) load() (model.Report, error) {
	session, err := l.begin()
	if err != nil {
		return model.Report{}, err
	}
	if session.Ended.After(session.Began) {
		l.report.Summary.Seconds = seconds(session.Ended.Sub(session.Began))
	}
	if session.Ended.IsZero() {
		l.report.Run.Broken = append(l.report.Run.Broken, CutOff)
	}
	spans, err := store.ReadSpans(l.dir)
	l.broken(err)
	l.report.Run.Seconds = secondsByPart(spans, session.Began, session.Ended)
	modes, err := folders(evidence.Folder(l.dir))
	l.broken(err)
	slices.SortFunc(modes, compareModes)
	for _, mode := range modes {
		l.loadMode(mode)
	}
	l.report.Run.Broken = append(l.report.Run.Broken, SkippedWhole(session.Named, l.report.Scenarios)...)
	l.report.Claims = newClaims(l.report.Scenarios)
	l.report.Findings, err = tested(l.dir, l.report.Scenarios)
	l.broken(err)
	l.report.JudgedAgain = l.judgedAgain()
	return l.report, nil
}

// judgedAgain says of how many recordings no verdict that was kept fits; empty: of none.
func (l *loader) judgedAgain() string {
	var parts []string
	for _, misfit := range slices.Sorted(maps.Keys(l.misfits)) {
		parts = append(parts, fmt.Sprintf("%d (%s)", l.misfits[misfit], misfit))
	}
	if len(parts) == 0 {
		return ""
	}
	return "recordings judged again: " + strings.Join(parts, ", ")
}

// LoadScenario reads one scenario of a run folder, whose run may be under way, as [Load] does, and reports as if there were no other.
func LoadScenario(dir, mode, suite, scenario string, observer Observer) (model.Report, error) {
	l := newLoader(dir, observer)
	if _, err := l.begin(); err != nil {
		return model.Report{}, err
	}
	attempts, err := folders(filepath.Join(evidence.Folder(dir), mode, suite))
	attempt, recorded := lastAttempts(attempts)[scenario]
	if err != nil || !recorded {
		return model.Report{}, fmt.Errorf("%s: it has no recording of %s/%s in %s", dir, suite, scenario, mode)
	}
	l.addCluster(mode)
	l.add(l.scenario(place{mode, suite, scenario, attempt}))
	s, run := l.report.Scenarios[0], &l.report.Run
	run.Began, run.Ended, run.Expected = s.Began, s.Began.Add(time.Duration(s.Seconds*float64(time.Second))), 0
	l.report.Summary.Seconds = s.Seconds
	return l.report, nil
}

func readSession(dir string) (session evidence.Session, err error) {
	file := evidence.SessionPath(dir)
	if err := store.ReadJSON(file, &session); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			remedy := "name one, such as out/latest"
			if _, err := os.Stat(filepath.Join(dir, evidence.RunFile)); err == nil {
				remedy = "it is the recording of one scenario: name the run folder that it is in"
			}
			return session, fmt.Errorf("%s: it is not a run folder, as it has no %s: %s", dir,
				filepath.ToSlash(evidence.SessionPath("")), remedy)
		}
		return session, fmt.Errorf("%s: it cannot be read: %w", dir, err)
	}
	if session.Schema > evidence.SchemaVersion {
		return session, fmt.Errorf("%s: schema %d, this build reads up to %d: use a newer Rollcall",
			file, session.Schema, evidence.SchemaVersion)
	}
	return session, nil
}

// begin begins the report with the session of the run folder.
func (l *loader) begin() (evidence.Session, error) {
	session, err := readSession(l.dir)
	l.report = model.Report{
		APIVersion: model.APIVersion, Kind: model.Kind,
		Run: newRun(session), Clusters: []evidence.Cluster{}, Scenarios: []model.Scenario{},
	}
	return session, err
}

func newRun(s evidence.Session) model.Run {
	return model.Run{
		ID: s.ID, Began: s.Began.UTC(), Ended: s.Ended.UTC(), Version: s.Version, Command: s.Command, Broken: s.Broken,
		Profile: s.Profile, LeftOut: s.LeftOut, Expected: thousandths(s.Expected),
		Jobs: s.Jobs, Rate: s.Rate, Steps: s.Steps,
	}
}

// SkippedWhole returns a sentence for each mode that was asked for and in which every scenario was skipped, or for the whole run if no mode
// was asked for: a skip is never a pass.
func SkippedWhole(asked []string, scenarios []model.Scenario) (broken []string) {
	if len(asked) == 0 {
		asked = []string{""}
	}
	for _, mode := range asked {
		all := slices.DeleteFunc(slices.Clone(scenarios), func(s model.Scenario) bool { return mode != "" && s.Mode != mode })
		judged := func(s model.Scenario) bool { return s.Outcome != verdict.Skipped }
		if len(all) > 0 && !slices.ContainsFunc(all, judged) {
			broken = append(broken, strings.TrimPrefix(fmt.Sprintf("%s: everything was skipped, which shows nothing: %s",
				mode, all[0].Because), ": "))
		}
	}
	return broken
}

// A loader makes the report on a run folder.
type loader struct {
	dir      string
	observer Observer
	read     func(folder string, watch kept.Watch, asked ...timeline.HitID) (kept.Recording, error)
	taken    func(place) (model.Scenario, bool) // returns the scenario that was judged before, if it was
	keeps    bool                               // verdicts
	misfits  map[string]int                     // how many verdicts do not fit, by why
	report   model.Report
}

// newLoader returns a loader of a run folder; the observer may be nil.
func newLoader(dir string, observer Observer) *loader {
	none := func(place) (s model.Scenario, ok bool) { return s, false }
	return &loader{dir: dir, observer: cmp.Or[Observer](observer, nobody{}), read: kept.Read, taken: none, misfits: map[string]int{}}
}

func (l *loader) loadMode(mode string) {
	l.addCluster(mode)
	root := filepath.Join(evidence.Folder(l.dir), mode)
	suites, err := folders(root)
	l.broken(err)
	for _, suite := range suites {
		attempts, err := folders(filepath.Join(root, suite))
		l.broken(err)
		last := lastAttempts(attempts)
		for _, scenario := range slices.Sorted(maps.Keys(last)) {
			l.add(l.scenario(place{mode, suite, scenario, last[scenario]}))
		}
	}
}

func (l *loader) addCluster(mode string) {
	cluster, err := readCluster(evidence.ClusterPath(l.dir, mode), mode)
	l.broken(err)
	l.report.Clusters = append(l.report.Clusters, cluster)
}

// readCluster reads a cluster from its file; with an error, only the cluster's mode is known.
func readCluster(file, mode string) (evidence.Cluster, error) {
	unknown := evidence.Cluster{Mode: mode, Features: []evidence.Feature{}}
	var c evidence.Cluster
	switch err := store.ReadJSON(file, &c); {
	case err != nil:
		return unknown, fmt.Errorf("%w: the cluster is not known: record the mode again", err)
	case c.Mode != mode:
		return unknown, fmt.Errorf("%s: mode %q in the folder of mode %q: move it back", file, c.Mode, mode)
	}
	if c.Features == nil {
		c.Features = unknown.Features
	}
	return c, nil
}

// broken adds an error about the run folder, if there is one, to what broke.
func (l *loader) broken(err error) {
	if err != nil {
		l.report.Run.Broken = append(l.report.Run.Broken, within(l.dir, err))
	}
}

// add adds a scenario and counts it.
func (l *loader) add(s model.Scenario) {
	l.report.Scenarios = append(l.report.Scenarios, s)
	l.report.Summary.Add(s.Outcome)
	if s.RecordedFor == "" { // else the requests are counted for that scenario
		l.report.Summary.Requests += s.Requests()
	}
}

// within returns an error as one line with paths relative to the run folder dir, so that reports do not depend on where the folder is.
func within(dir string, err error) string {
	return phrase.Printable(strings.ReplaceAll(err.Error(), evidence.Folder(dir), evidence.Folder("")))
}

// lastAttempts maps each scenario to its last attempt. Scenario ids have no digits: a number at the end of a folder is an attempt.
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

// compareModes orders modes: first those that clusters are made with, then any other by name.
func compareModes(a, b string) int {
	lastToFirst := dataplane.Names()
	slices.Reverse(lastToFirst) // any other has index -1
	return cmp.Or(cmp.Compare(slices.Index(lastToFirst, b), slices.Index(lastToFirst, a)), cmp.Compare(a, b))
}
