//go:build linux

// Noderules prints when each endpoint, a pod's address and port, is added to and removed from the rules by which
// a data plane routes on this node and, with -flows, to which pod each connection is routed. It runs in the node's
// network namespace and changes nothing.
//
// # Output
//
// Standard output has one line for each change, written at once. Fields are separated by one space; times are
// unix nanoseconds on the node's clock and do not decrease unless the clock is set back:
//
//	R <time> begin <plane> <method>    the data plane is iptables, nftables or ipvs; the methods are below
//	R <time> none <why>                no proxy of a data plane answers here: there are no rules to observe
//	R <time> added <ip> <port>         the node began to route to the endpoint
//	R <time> gone <ip> <port>          the node no longer routes to it
//	R <time> load <busy> <tracked> <capacity> permille of the node's processor time in use since the last such line,
//	                                   connections in the conntrack table and its capacity; about once a second
//	R <time> stolen <permille>         the part of it that other machines on the node's host used, counted in busy too; if any
//	R <time> flows                     from now on every new connection to the destinations in -flows has a line
//	R <time> noflows <why>             connections cannot be observed here; no flow lines follow
//	R <time> flow <client> <to> <pod> <age> ... one or more connections, four fields each; the age is in microseconds
//	R <time> blind <since> <what> <why> changes between <since> and now were noticed late, or not at all
//	R <time> end                       the last line of an observer that was not killed
//
// The time of a line is when the change was noticed. Added lines with the same time as the first one after begin are
// endpoints that existed before. An endpoint counts as long as any Service and protocol can route a packet to it; if two
// Services use one port of a pod, it is gone when the second one no longer does. The <what> of a blind line is "rules",
// "loads" or "flows"; <why> is the rest of the line. After a blind line of rules the difference to the rules known before is
// written, with the time at which it was noticed. Pod logs include standard error: a reader skips every line that does not
// begin with "R ".
//
// # Flows
//
// With -flows=10.96.0.10:80,[fd00::1]:80,:30080 it also prints to which pod each TCP connection to one of these destinations was
// routed, according to the node's connection tracking; :30080 means that port of any address. <client> and <to> are source and
// destination as the client sees them, <pod> is the endpoint that answers; each is an address and port: 10.244.1.2:8080 or
// [fd00::2]:8080. Flow lines are written at most four times a second, and before end; the event of a connection was received <age>
// before the time of its line. A connection that was rejected or dropped before it was routed has no event. With
// -clients=10.244.1.5,172.18.0.1 it prints connections from these clients only.
//
// If the kernel had no room for more events, there is a blind line of flows: connections that began between <since> and
// its time may have no line.
//
// # Methods
//
//	events   nf_tables announces each transaction: iptables (as iptables-nft) and nftables.
//	         The delay is the time to wake up, typically under a millisecond.
//	entries  iptables-legacy announces nothing: all entries of its nat tables are read every 20 ms, since entries can
//	         change without a change of their number and size.
//	weights  IPVS announces nothing: /proc/net/ip_vs is read every 20 ms. A real server of weight 0 is gone:
//	         kube-proxy keeps it for the connections it has.
//
// The observer looks at the rules at least every 20 ms. If more than 50 ms pass between two looks, because the node is
// busy or reading takes long, it writes a blind line: a change noticed with it happened at some time since <since>.
// If it must poll, it slows down so that reading takes at most a fiftieth of a core. With events, it
// reads the rules once more at the end: a blind line from the beginning that says "check" means that the events did
// not add up to the rules.
//
// It asks the HTTP servers of the proxies in package dataplane which plane they run. If none answers for 10 s, another program
// routes for Services, or none.
//
// With -sparing, for nodes on a slow machine, it looks a fifth as often, and writes a blind line after 250 ms.
//
// # Needs
//
// CAP_NET_ADMIN, without which the kernel shows neither rules nor connections, and the node's network namespace; in
// Kubernetes also user 0, since no other user of a container keeps an added capability. It needs no other permission, no
// privilege escalation and no writable file, and the default seccomp profile suffices.
//
// # Exit codes
//
// 0 after SIGTERM, 1 if it cannot observe, 2 for bad usage.
package main
