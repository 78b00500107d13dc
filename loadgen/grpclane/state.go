package grpclane

import (
	"google.golang.org/grpc/balancer"
	"google.golang.org/grpc/balancer/pickfirst"
	"google.golang.org/grpc/connectivity"
)

// notesStates is the service config by which a channel notes its states. [grpc.ClientConn.WaitForStateChange] passes over those that do
// not last.
const notesStates = `{"loadBalancingConfig": [{"` + policy + `": {}}]}`

const policy = "rollcall_pick_first"

// A pickFirst builds grpc-go's pick_first for a channel that notes its states.
type pickFirst struct{}

// Name returns the name of the policy.
func (pickFirst) Name() string { return policy }

// Build builds it. The credentials of a channel lead to it.
func (pickFirst) Build(to balancer.ClientConn, options balancer.BuildOptions) balancer.Balancer {
	return balancer.Get(pickfirst.Name).Build(noting{to, options.DialCreds.(watched).of}, options)
}

// A noting is whom a balancer tells the states of a channel, which are noted on the way.
type noting struct {
	balancer.ClientConn
	of *channel
}

// UpdateState notes the state and passes it on.
func (n noting) UpdateState(s balancer.State) {
	n.of.enter(s.ConnectivityState)
	n.ClientConn.UpdateState(s)
}

// enter notes the state that the channel comes into, if it is another one.
func (c *channel) enter(s connectivity.State) {
	c.mu.Lock()
	was := c.state
	c.state = s
	c.mu.Unlock()
	if s != was {
		c.link.ChannelState(c.slot, s.String())
	}
}
