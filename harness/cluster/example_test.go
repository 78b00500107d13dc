package cluster_test

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/harness/evidence"
)

// A k3s is a cluster of one node that existed before the run.
type k3s struct {
	cluster.API
	name string
}

func (c *k3s) Name() string                              { return c.name }
func (c *k3s) Mode() string                              { return "iptables" }
func (c *k3s) Kubernetes() string                        { return "v1.36.3+k3s1" }
func (c *k3s) Workers(context.Context) ([]string, error) { return []string{c.name}, nil }
func (c *k3s) NodeName(name string) string               { return name }
func (c *k3s) Attached() bool                            { return true }
func (c *k3s) Temporary() bool                           { return false }
func (c *k3s) Features() []evidence.Feature              { return nil }
func (c *k3s) CannotObserve() string                     { return "a k3s node runs no privileged pods for us" }
func (c *k3s) CannotListen() string                      { return c.CannotObserve() }
func (c *k3s) LeaveCPUCgroup(*corev1.Pod) error          { return nil }
func (c *k3s) Close() error                              { return nil }

// Door returns the door of the one NodePort that is published on this host.
func (c *k3s) Door() cluster.Door {
	door := cluster.GivenURL("http://127.0.0.1:30080/")
	door.NodePort = 30080
	return door
}

func (c *k3s) Describe(context.Context) (evidence.Cluster, error) {
	return evidence.Cluster{Name: c.name, Mode: c.Mode(), Provider: "k3s", Kubernetes: c.Kubernetes(), Nodes: 1}, nil
}

func ExampleCluster() {
	config := &rest.Config{Host: "https://127.0.0.1:6443"}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		panic(err)
	}
	var c cluster.Cluster = &k3s{API: cluster.NewAPI(config, client), name: "laptop"}
	fmt.Println(c.Name(), c.Mode(), c.Kubernetes())
	// Output: laptop iptables v1.36.3+k3s1
}
