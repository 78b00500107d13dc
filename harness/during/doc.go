// Package during records what maintenance that somebody else does costs the clients of a Service: a command, or whatever is done by
// hand between begin and end, on any cluster. Nothing is done to the cluster by itself. It ends with an ordinary run folder.
//
// A recording is one process, the recorder. Others tell it over a socket in the run folder of steps, as marks, and that the
// maintenance is over.
package during
