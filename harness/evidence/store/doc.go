// Package store reads and writes evidence.
//
// During a recording the records are in segments, which are logs (package framelog) and lose a second at most if the process is
// killed. At the end they become hits.parquet, arrivals.parquet, connections.parquet, flows.parquet and events.jsonl, and run.json gets
// their checksums.
// Reading never takes a part for the whole: what is missing is in the Damage of the evidence.
package store
