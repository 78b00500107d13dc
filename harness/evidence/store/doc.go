// Package store reads and writes evidence.
//
// While a scenario is recorded its records are in segments, files of lines with checksums that lose a second at most; at the
// end they become hits.parquet, arrivals.parquet, flows.parquet and events.jsonl, and run.json gets their checksums. Reading never takes
// less for the whole: what is missing is in the Damage of the evidence.
package store
