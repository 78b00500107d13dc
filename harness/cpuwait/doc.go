// Package cpuwait measures how long the processes of kind nodes waited for a processor of this host, which is what tells a
// slow host from a slow cluster.
//
// The kernel counts for each thread how long it stood on a run queue (second number of /proc/<pid>/task/<tid>/schedstat,
// Documentation/scheduler/sched-stats.rst). A thread that sleeps, is stopped or waits for a lock does not stand on one, and
// so a pod that is stopped or deadlocked does not wait. A thread that a CPU limit of its own pod throttles stands on one, too: what
// the cgroup counts as throttled (cpu.stat) is taken off, and noted apart.
//
// What is noted is an [evidence.CPUWait] of a process, from a pod's container, kubelet or the control plane, for each stretch of
// time in which it waited about the same share. Of several threads it is the one that waited longest in each sample: a process
// whose other threads run goes on.
package cpuwait
