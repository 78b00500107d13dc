// Package change has what scenarios may change about a cluster of ours, and takes it back.
package change
