// Package reports turns a run folder into what people and machines read. It takes the verdicts that are kept beside the evidence, see
// package kept, and judges recordings that have none or one of another build. It has no opinion of its own: a report never disagrees with
// a replay.
package reports
