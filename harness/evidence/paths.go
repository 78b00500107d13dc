package evidence

import (
	"fmt"
	"path/filepath"
)

// Names of the files in a scenario's folder, and of the files that describe the session and its clusters.
const (
	RunFile         = "run.json"
	HitsFile        = "hits.parquet"
	ArrivalsFile    = "arrivals.parquet"
	ConnectionsFile = "connections.parquet"
	FlowsFile       = "flows.parquet"
	EventsFile      = "events.jsonl"
	VerdictFile     = "verdict.json"
	SessionFile     = "session.json"
	ClusterFile     = "cluster.json"
	SpansFile       = "spans.jsonl"
	FindingsFile    = "findings.json"
)

// DiagnosticsFolder is in the folder of a recording that did not pass, and has the state of the cluster after it.
const DiagnosticsFolder = "diagnostics"

// Folder returns the folder of the evidence in a run folder; the rest of that are reports.
func Folder(run string) string { return filepath.Join(run, "evidence") }

// SessionPath returns the path of the [Session] of a run folder.
func SessionPath(run string) string { return filepath.Join(Folder(run), SessionFile) }

// SpansPath returns the path of the [Span]s of a run folder.
func SpansPath(run string) string { return filepath.Join(Folder(run), SpansFile) }

// FindingsPath returns the path of what was found in the manifests that a run folder is about.
func FindingsPath(run string) string { return filepath.Join(Folder(run), FindingsFile) }

// ClusterPath returns the path of the [Cluster] of a mode.
func ClusterPath(run, mode string) string { return filepath.Join(Folder(run), mode, ClusterFile) }

// ScenarioFolder returns the folder of an attempt, counted from 1, at a scenario.
func ScenarioFolder(run, mode, suite, id string, attempt int) string {
	if attempt > 1 {
		id = fmt.Sprintf("%s-%d", id, attempt)
	}
	return filepath.Join(Folder(run), mode, suite, id)
}
