// Package loadgen sends the load of a run and records what each client saw. It is the only package that
// knows vegeta.
//
// An [Attack] drives one lane: vegeta paces it, open loop and at a constant rate, and a round tripper of our
// own carries every request, since vegeta keeps neither the typed error, nor the connection, nor the reply of
// a request that failed. What that round tripper saw becomes an [evidence.Hit]; nothing is ever retried, and a
// request in flight is never cancelled.
//
// An [Agent] runs attacks behind an HTTP API, in a pod on the node whose view they record; a [Remote] is how
// the harness speaks to it. Hits are fetched while they are recorded, as ranges of a lane's log, with [Remote.HitsOfLanes].
// With a spool the hits survive an agent that is killed: its next process continues and reports what it left out ([evidence.Absence]).
//
// To add a protocol, write an exchanger in a file of its own, and add a row to protocols and one to those of package evidence.
package loadgen
