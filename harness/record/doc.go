// Package record makes one recording of a scenario on a cluster, in stages: prepare, load, roll out, settle, collect, clean up.
// It writes the evidence into a folder, which is whole or says why it is not. It judges nothing.
package record
