package evidence

import (
	"fmt"
	"path/filepath"
)

// Names of the files in a scenario's folder, and of those that describe the session and its clusters.
const (
	RunFile      = "run.json"
	HitsFile     = "hits.parquet"
	ArrivalsFile = "arrivals.parquet"
	FlowsFile    = "flows.parquet"
	EventsFile   = "events.jsonl"
	SessionFile  = "session.json"
	ClusterFile  = "cluster.json"
	SpansFile    = "spans.jsonl"
)

// Folder is the part of a run folder that evidence is in; the rest are reports on it.
func Folder(run string) string { return filepath.Join(run, "evidence") }

// SessionPath is where a run folder says what was run, when and by which build.
func SessionPath(run string) string { return filepath.Join(Folder(run), SessionFile) }

// SpansPath is where a run folder says what time was spent on.
func SpansPath(run string) string { return filepath.Join(Folder(run), SpansFile) }

// ClusterPath is where a run folder describes the cluster of a mode.
func ClusterPath(run, mode string) string { return filepath.Join(Folder(run), mode, ClusterFile) }

// ScenarioFolder is where a run folder has an attempt, from 1, at a scenario.
func ScenarioFolder(run, mode, suite, id string, attempt int) string {
	if attempt > 1 {
		id = fmt.Sprintf("%s-%d", id, attempt)
	}
	return filepath.Join(Folder(run), mode, suite, id)
}
