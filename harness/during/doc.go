// Package during records what somebody else's maintenance costs the clients of a Service: a command, or what is done by hand
// between begin and end, on any cluster. It does no maintenance itself, and writes an ordinary run folder.
//
// A recording is one process, the recorder. Other processes send it marks (the steps of the maintenance) and the end over a
// socket in the run folder.
package during
