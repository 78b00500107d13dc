package streams

import (
	"time"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict"
)

// rpcs: a channel of gRPC is one connection, and so one pod, until the server says GOAWAY or the connection ends. GracefulStop of grpc-go
// says it and finishes RPCs in flight: clients lose none if the nodes' rules follow before, and if the RPCs end.
func rpcs() []harness.Scenario {
	return []harness.Scenario{
		unary("grpc-drained", "clients of gRPC see only OK while every pod is replaced, if pods stop gracefully", fixtures.Drain,
			verdict.NoFailures().OnKind(evidence.RPCs), verdict.ToldBeforeEnd().OnKind(evidence.RPCs)),
		unary("grpc-stopped", "those RPCs fail, and no others, which are in flight when a pod exits at SIGTERM", fixtures.Exit,
			verdict.CutAsPredicted(evidence.Fixed(rpcTakes), rpcSlack, leastCuts, cutOff...).OnKind(evidence.RPCs)),
		streamed("grpc-graceful-limit", "GracefulStop with a limit of 5 s ends with the server's status the streams that take longer",
			5*time.Second, 30*time.Second,
			verdict.CutAsPredicted(evidence.Fixed(streamTakes), killSlack, leastCuts, evidence.BadStatus).OnKind(evidence.StreamedRPCs)),
		streamed("grpc-graceful-endless", "GracefulStop alone waits for streams until the pod is killed, which cuts them off", time.Hour,
			killedAfter, verdict.CutAsPredicted(evidence.Fixed(streamTakes), killSlack, leastCuts, cutOff...).OnKind(evidence.StreamedRPCs),
			verdict.Between(evidence.PodSigterm, evidence.PodKilled, killedAfter-rpcHook-time.Second, killedAfter-rpcHook+2*time.Second).Scaled()),
	}
}

// cutOff are the faults of RPCs whose connection ended: Unavailable, without a status from the server.
var cutOff = []evidence.Fault{evidence.Closed, evidence.Reset}

const (
	// rpcTakes is how long an RPC takes. A pod that exits loses those that are in flight: of 25 a second from each of two nodes, 25 among
	// all pods, each of which exits once, and whose connections may move to one that is to exit. So 25 and more are expected to fail, and at
	// the lowest rate of 6 still 6.
	rpcTakes = 500 * time.Millisecond
	// rpcSlack is how wrong the time in flight may be: a busy node is late with the reply, and a client sends RPCs to a pod that has just
	// exited until it notices.
	rpcSlack = 200 * time.Millisecond
	// rpcHook is how long pods serve on after their deletion: for longer than nodes take to follow.
	rpcHook = 3 * time.Second
	// streamTakes is longer than any grace period or limit here leaves.
	streamTakes = 20 * time.Second
	// killedAfter is a grace period that ends before the streams do.
	killedAfter = 15 * time.Second
)

func unary(id, claim string, onTerm fixtures.OnTerm, judged ...evidence.Expectation) harness.Scenario {
	return harness.Update(harness.Scenario{
		ID: id, Claim: claim,
		App: fixtures.App{GRPC: true, Replicas: 3, OnTerm: onTerm, PreStopSleep: rpcHook, Linger: time.Second, DrainLimit: 10 * time.Second,
			HandlerDelay: rpcTakes},
		Kind: harness.UnderLoad{Also: []string{evidence.RPCs}}, Expect: judged,
	})
}

// streamed: of the streams that a pod has, 6 a second from each of two nodes among all pods, those that began in the last 5 s before a kill
// at the end of the grace period have to be cut, and those of the last 12 s before a limit of 5 s: 60 and 140 among all pods.
func streamed(id, claim string, limit, grace time.Duration, judged ...evidence.Expectation) harness.Scenario {
	return harness.Update(harness.Scenario{
		ID: id, Claim: claim,
		App: fixtures.App{GRPC: true, Replicas: 3, OnTerm: fixtures.Drain, PreStopSleep: rpcHook, DrainLimit: limit, Grace: grace,
			Stream: string(evidence.Fixed(streamTakes)), StreamEvery: 500 * time.Millisecond},
		Kind: harness.UnderLoad{Also: []string{evidence.StreamedRPCs}, Settle: 5 * time.Second,
			Streams: harness.Streams{Rate: 24, Longest: streamTakes + 10*time.Second}},
		Expect: append(judged, verdict.ToldBeforeEnd().OnKind(evidence.StreamedRPCs)),
	})
}
