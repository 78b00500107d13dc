// Package evidence holds the nouns of a recorded run: what each client saw (hits), what each server saw (arrivals), what the
// cluster did (events) and under which circumstances (run), and where the files of a run folder are. It knows neither
// Kubernetes nor the load generator nor a file's format, and every other package may import it.
//
// All times inside a recording are offsets from [Run.Began], in nanoseconds, on the clock of the recorder or of the node
// named: see [ClockReading]. Timestamps of the Kubernetes API have one-second steps (metav1.Time) and are never used for
// ordering.
package evidence
