//go:build linux

// Noderules prints when each endpoint, a pod's address and port, appears in and leaves the rules by which
// kube-proxy routes on this node and, with -flows, to which pod each connection is routed. It runs in the node's
// network namespace and changes nothing.
//
// # Output
//
// Standard output has one line for each change, written at once. Fields are separated by one space, times are
// unix nanoseconds on the node's clock and do not decrease unless it is set back:
//
//	R <time> begin <mode> <method>     kube-proxy's mode is iptables, nftables or ipvs; the methods are below
//	R <time> none <why>                no kube-proxy answers here: there are no rules to observe
//	R <time> added <ip> <port>         the node began to route to the endpoint
//	R <time> gone <ip> <port>          the node no longer routes to it
//	R <time> sync <when> <family>      kube-proxy says it last synced at <when>, in unix nanoseconds
//	R <time> failed <syncs>            so many more syncs failed, kube-proxy says: it could not write its rules
//	R <time> load <busy> <tracked> <capacity> permille of the node's processor time in use since the last such line,
//	                                   connections in conntrack and those it can hold; about once a second
//	R <time> stolen <permille>         of that time other machines of the node's host had, which is in busy too; if any
//	R <time> flows                     every connection to the destinations asked for that begins from now on has a line
//	R <time> noflows <why>             connections cannot be seen here; of those asked for nothing follows
//	R <time> flow <client> <to> <pod> <age> ... one or more connections, four words each; the age is in microseconds
//	R <time> blind <since> <what> <why> what happened between <since> and now was seen late, or not at all
//	R <time> end                       the last line of an observer that was not killed
//
// The time of a line is when the change was noticed. The endpoints of added lines that carry the same time as the
// first one after begin were there before. An endpoint counts as long as a packet can be given it by any Service and
// any protocol; with two Services on one port of a pod the second one to leave is the one that is noted. What is of
// a blind line is "rules", "syncs", "loads" or "flows"; why is the rest of the line. After a blindness of rules the difference to what
// was known before it is written, with the time at which it was noticed. The family is IPv4, IPv6, or "-" where
// kube-proxy does not tell. Pod logs mix standard error in: a reader skips every line that does not begin with "R ".
//
// # Flows
//
// With -flows=10.96.0.10:80,[fd00::1]:80,:30080 it also tells of each TCP connection to one of these destinations, :30080 being
// that port of any address, to which pod it was routed, as the node's connection tracking has it: client and to are source and
// destination as the client sees them, the pod is who answers. All are an address and port: 10.244.1.2:8080 or [fd00::2]:8080.
// Flow lines are written four times a second at most, and before end; the event of a connection was received its age before the
// time of its line. A connection that was rejected or dropped before it was routed has no event. With
// -clients=10.244.1.5,172.18.0.1 it tells of those clients alone.
//
// What is lost where the kernel has no room for more events is a blind line of flows: connections that began between <since> and
// its time may have no line. Of these, the ones that were still in the table are told when it was read; the others are
// unknown. One that the pod refused is among the others: its entry goes with the reset (Linux v6.18,
// net/netfilter/nf_conntrack_proto_tcp.c, nf_conntrack_tcp_packet).
//
// # Methods
//
//	events   nf_tables announces each transaction: iptables (as iptables-nft) and nftables.
//	         The delay is that of waking up, typically under a millisecond.
//	entries  iptables-legacy announces nothing: all entries of its nat tables are read every 20 ms, since neither
//	         their number nor their size need change with them.
//	weights  IPVS announces nothing: /proc/net/ip_vs is read every 20 ms. A real server of weight 0 is gone:
//	         kube-proxy keeps it for the connections it has.
//
// The observer looks at least every 20 ms. Whenever more than 50 ms pass between two looks, because the node is
// busy or reading takes long, it says so in a blind line: a change noticed with it happened at some time since then.
// Where it must read again and again it slows down so that reading takes at most a fiftieth of a core. With events, it
// reads the rules once more at the end: a blind line from the beginning that says "check" means that the events did
// not add up to what there is.
//
// kube-proxy's mode and syncs are asked of localhost:10249, the latter half a second after a change of the rules, and
// every 10 s. Where nothing answers for 10 s, another program routes for Services, or none.
//
// With -sparing, for nodes on a slow machine, it looks and asks a fifth as often, and is late after 250 ms.
//
// # Needs
//
// CAP_NET_ADMIN, without which the kernel shows nothing of its rules and connections, and the node's network namespace; in
// Kubernetes user 0 too, since no other user of a container keeps an added capability. No other permission, no
// privilege escalation, no file to write, and the default seccomp profile suffices.
//
// # Exit codes
//
// 0 after SIGTERM, 1 when it cannot observe what there is, 2 for bad usage.
package main
