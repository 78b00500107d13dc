package evidence

import (
	"fmt"
	"path/filepath"
)

// Names of the files in a scenario's folder, and of the files that describe the session and its clusters.
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

// Folder returns the folder in a run folder that has the evidence; reports are beside it.
func Folder(run string) string { return filepath.Join(run, "evidence") }

// SessionPath returns the path of the file that says what was run, when and by which build: see [Session].
func SessionPath(run string) string { return filepath.Join(Folder(run), SessionFile) }

// SpansPath returns the path of the file that says what the time was spent on: see [Span].
func SpansPath(run string) string { return filepath.Join(Folder(run), SpansFile) }

// ClusterPath returns the path of the file that describes the cluster of a mode: see [Cluster].
func ClusterPath(run, mode string) string { return filepath.Join(Folder(run), mode, ClusterFile) }

// ScenarioFolder returns the folder of an attempt, counted from 1, at a scenario.
func ScenarioFolder(run, mode, suite, id string, attempt int) string {
	if attempt > 1 {
		id = fmt.Sprintf("%s-%d", id, attempt)
	}
	return filepath.Join(Folder(run), mode, suite, id)
}
