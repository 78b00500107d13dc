// Package harness runs scenarios: it puts an app on a cluster, drives load at it from every
// vantage, rolls it out meanwhile, and writes down what everybody saw. Judging what was written
// down is not its business (packages timeline and verdict); it only asks for the verdict.
package harness
