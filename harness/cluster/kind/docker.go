package kind

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/kind/pkg/apis/config/v1alpha4"
	"sigs.k8s.io/kind/pkg/cluster"
	"sigs.k8s.io/kind/pkg/cluster/constants"
	"sigs.k8s.io/kind/pkg/cluster/nodes"
	"sigs.k8s.io/kind/pkg/cluster/nodeutils"
	"sigs.k8s.io/kind/pkg/exec"

	"example.com/rollcall/harness/command"
)

const (
	// Network is the Docker network of our nodes and of nothing else, so it identifies them.
	Network = "rollcall-kind"

	clusterLabel = "io.x-k8s.kind.cluster" // set by kind on every node container, to the cluster's name
)

// docker is the engine: Docker, and kind on our own network.
type docker struct{}

func provider() *cluster.Provider {
	os.Setenv("KIND_EXPERIMENTAL_DOCKER_NETWORK", Network) // kind has no other way to choose the network
	return cluster.NewProvider(cluster.ProviderWithDocker())
}

func (docker) Clusters(ctx context.Context) ([]string, error) {
	out, err := command.Run(ctx, "docker ps --all --filter network=%s --format {{.Labels}}", Network)
	if err != nil {
		return nil, fmt.Errorf("cluster: list node containers: %w", err)
	}
	names := map[string]bool{}
	for _, label := range strings.FieldsFunc(out, func(r rune) bool { return r == ',' || r == '\n' }) {
		if name, ok := strings.CutPrefix(label, clusterLabel+"="); ok {
			names[name] = true
		}
	}
	return slices.Sorted(maps.Keys(names)), nil
}

func (docker) Containers(ctx context.Context, cluster string, ours bool) ([]string, error) {
	line := "docker ps --all --quiet --filter label=" + clusterLabel + "=" + cluster
	if ours {
		line += " --filter network=" + Network
	}
	out, err := command.Run(ctx, "%s", line)
	if err != nil {
		return nil, fmt.Errorf("cluster: list node containers: %w", err)
	}
	return strings.Fields(out), nil
}

func (docker) Start(ctx context.Context, ids []string) error {
	_, _ = command.Run(ctx, "docker unpause %s", strings.Join(ids, " ")) // fails for containers that are not paused
	_, err := command.Run(ctx, "docker start %s", strings.Join(ids, " "))
	return err
}

func (docker) Remove(ctx context.Context, ids []string) error {
	_, err := command.Run(ctx, "docker rm --force --volumes %s", strings.Join(ids, " "))
	return err
}

func (docker) Create(config *v1alpha4.Cluster, kubeconfig string) error {
	return withOutput(provider().Create(config.Name, cluster.CreateWithV1Alpha4Config(config), cluster.CreateWithKubeconfigPath(kubeconfig),
		cluster.CreateWithRetain(true), cluster.CreateWithDisplayUsage(false), cluster.CreateWithDisplaySalutation(false)))
}

func (docker) Kubeconfig(cluster string) ([]byte, error) {
	text, err := provider().KubeConfig(cluster, false)
	return []byte(text), err
}

func (docker) Client(config *rest.Config) (kubernetes.Interface, error) {
	return kubernetes.NewForConfig(config)
}

func (docker) Nodes(cluster string) ([]node, error) {
	all, err := provider().ListInternalNodes(cluster)
	list := make([]node, len(all))
	for i, n := range all {
		list[i] = dockerNode{n}
	}
	return list, err
}

func (docker) CollectLogs(cluster, dir string) error { return provider().CollectLogs(cluster, dir) }

// A dockerNode is a node container that kind made.
type dockerNode struct{ nodes.Node }

func (n dockerNode) ControlPlane() (bool, error) {
	role, err := n.Role()
	return role == constants.ControlPlaneNodeRoleValue, err
}

func (n dockerNode) Address(ipv6 bool) (string, error) {
	v4, v6, err := n.IP()
	if ipv6 {
		return v6, err
	}
	return v4, err
}

func (n dockerNode) Published(ctx context.Context, port int) string {
	out, err := command.Run(ctx, "docker port %s %d/tcp", n, port)
	if err != nil {
		return ""
	}
	address, _, _ := strings.Cut(out, "\n")
	return address
}

func (n dockerNode) SetShares(ctx context.Context, shares int) error {
	_, err := command.Run(ctx, "docker update --cpu-shares %d %s", shares, n)
	return err
}

func (n dockerNode) Exec(ctx context.Context, script, stdin string) (string, error) {
	var out strings.Builder
	err := n.CommandContext(ctx, "sh", "-c", script).SetStdin(strings.NewReader(stdin)).SetStdout(&out).Run()
	return strings.TrimSpace(out.String()), withOutput(err)
}

func (n dockerNode) CopyFile(ctx context.Context, file, path string) error {
	_, err := command.Run(ctx, `docker cp "%s" "%s:%s"`, file, n, path)
	return err
}

func (n dockerNode) LoadImage(archive []byte) error {
	return withOutput(nodeutils.LoadImageArchive(n, bytes.NewReader(archive)))
}

// withOutput adds to an error of kind what the failed command printed.
func withOutput(err error) error {
	if run := exec.RunErrorForError(err); run != nil {
		return fmt.Errorf("%w: %s", err, command.LastLines(string(run.Output), 5))
	}
	return err
}
