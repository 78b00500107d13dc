// Package evidence holds the nouns of a recorded run: what each client saw
// (hits), what each server saw (arrivals), what the cluster did (events) and
// under which circumstances (run), with their form on disk. It knows neither
// Kubernetes nor the load generator, and every other package may import it.
//
// While a scenario is recorded its records are in segments, files of checksummed
// frames that lose a second at most; at the end they become hits.parquet,
// arrivals.parquet and events.jsonl, and run.json gets their checksums. Reading
// never takes less for the whole: see [Evidence.Damage] and [Tape].
//
// All times inside a recording are offsets from [Run.Began], in nanoseconds, on
// the clock of the recorder or of the node named: see [ClockReading]. Timestamps
// of the Kubernetes API have one-second steps (metav1.Time) and are never used
// for ordering.
package evidence
