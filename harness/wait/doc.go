// Package wait waits until only pods of a workload's current revision are behind its Service, and no other pod of the workload runs. It
// asks the API server alone: nodes route by their own rules, which follow the EndpointSlices by up to a second or so.
package wait
