// Package host finds out what this machine is and can run: its kernel, container engine, cores, memory and disks. It changes nothing
// of that: program rollcall-host does, from the packages below this one.
//
// # CPU scheduling of load agents
//
// The container of a pod on a kind node is six cgroups deep, and its processes wait for their turn
// in each of them. With both processors of a host busy, 1 % of a client's requests were 0.17 to
// 0.23 s late there, and 0.04 to 0.07 s late in the cgroup of Rollcall itself. So on cgroup v1
// [LeaveCPUCgroup] moves the processes of load agents to Rollcall's cgroup. On v2 that would
// lift their memory limit too; there they get the real-time policy, which waits for no cgroup
// (sched(7)): in a User-Mode Linux kernel on one processor 1 % of requests were 0.37 and 0.51 s late
// without it, and 0.02 to 0.03 s late with it.
package host
