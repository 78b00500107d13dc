// Package reports turns a run folder into what people and machines read. It loads the evidence, joins and judges it anew, and writes the
// result; it keeps no opinion of its own, so a report never disagrees with a replay.
package reports
