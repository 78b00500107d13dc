// Package evidence holds the nouns of a recorded run: what each client saw
// (hits), what the cluster did (events) and under which circumstances (run),
// with their form on disk. It knows neither Kubernetes nor the load generator,
// and every other package may import it.
//
// All times inside a recording are offsets from [Run.Began], in nanoseconds,
// on the recorder's clock. Timestamps of the Kubernetes API have one-second
// steps (metav1.Time) and are never used for ordering.
package evidence
