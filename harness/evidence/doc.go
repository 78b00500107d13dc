// Package evidence has the types of a recorded run: what each client saw (hits), what each server saw (arrivals), what the
// cluster did (events) and under which circumstances (run), and the paths of the files of a run folder. It imports neither
// Kubernetes nor the load generator nor a file format, and every other package may import it.
//
// All times in a recording are offsets from [Run.Began], in nanoseconds, on the clock of the recorder or of the named
// node: see [ClockReading]. Timestamps of the Kubernetes API have one-second steps (metav1.Time) and are never used for
// ordering.
package evidence
