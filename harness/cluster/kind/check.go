package kind

import (
	"context"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"

	"sigs.k8s.io/kind/pkg/apis/config/v1alpha4"

	"example.com/rollcall/harness/usage"
)

// CheckConfig returns an error for a configuration from which no cluster of the spec can be made. It checks nothing else.
func CheckConfig(s Spec) error {
	_, err := loadConfig(s)
	return err
}

// Check returns an error for what would prevent the creation of the cluster: host ports that are taken, or a cluster of the
// same name that is not ours or is kept.
func Check(ctx context.Context, s Spec) error {
	config, err := loadConfig(s)
	if err != nil {
		return err
	}
	if err := checkForeign(ctx, docker{}, s.Name); err != nil {
		return err
	}
	if !s.Keep { // else Open knows whether the kept one is of the spec, which has an image by then
		if err := checkKept(ctx, docker{}, s); err != nil {
			return err
		}
	}
	ours, err := docker{}.Containers(ctx, s.Name, true)
	if err != nil || len(ours) > 0 { // a cluster of ours holds the ports itself
		return err
	}
	return checkPorts(s.Config, config)
}

// checkPorts returns an error for a fixed host port that is taken.
func checkPorts(path string, config *v1alpha4.Cluster) error {
	if err := checkPort(path+": networking.apiServerPort", config.Networking.APIServerAddress, config.Networking.APIServerPort); err != nil {
		return err
	}
	for i, node := range config.Nodes {
		for j, port := range node.ExtraPortMappings {
			field := fmt.Sprintf("%s: nodes[%d].extraPortMappings[%d].hostPort", path, i, j)
			if err := checkPort(field, port.ListenAddress, port.HostPort); err != nil {
				return err
			}
		}
	}
	return nil
}

func checkPort(field, address string, port int32) error {
	if port <= 0 {
		return nil
	}
	listener, err := net.Listen("tcp", net.JoinHostPort(address, strconv.Itoa(int(port))))
	if err != nil {
		return usage.New(fmt.Sprintf("%s %d", field, port), "the port is taken", "choose another, or 0 for any free one")
	}
	return listener.Close()
}

// checkForeign returns an error for a cluster name whose node containers are not ours, or are another user's.
func checkForeign(ctx context.Context, e engine, name string) error {
	all, err := e.Containers(ctx, name, false)
	if err != nil {
		return err
	}
	ours, err := e.Containers(ctx, name, true)
	if err != nil {
		return err
	}
	if len(all) > len(ours) {
		return usage.New("cluster "+name, "a kind cluster of this name exists that Rollcall did not make",
			"delete it with `kind delete cluster --name "+name+"` if nobody needs it")
	}
	// All users of a host share the engine, while locks and state folders are per user.
	if state, _, err := paths(name); err != nil {
		return err
	} else if _, err := os.Stat(state); err != nil && len(ours) > 0 {
		return usage.New("cluster "+name, "another user's Rollcall made it",
			"wait for its end; if it was left behind, run: docker rm --force --volumes "+strings.Join(ours, " "))
	}
	return nil
}
