package run

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/harness/cluster/kind"
	"example.com/rollcall/harness/command"
)

// A guest is a user of a kind cluster who does not own it, and has only the rights of the shipped roles.
type guest struct {
	*testing.T
	ctx context.Context
	cluster.Cluster
	repo, ca string // of the registry that the nodes pull from
}

// in returns the guest for a part of the test.
func (g guest) in(t *testing.T) guest {
	g.T = t
	return g
}

func (g guest) run(format string, args ...any) string {
	g.Helper()
	out, err := command.Run(g.ctx, format, args...)
	if err != nil {
		g.Fatal(err)
	}
	return out
}

// administrator returns the node that has the administrator's kubeconfig.
func (g guest) administrator() string { return g.Name() + "-control-plane" }

// kubectl runs as the cluster's administrator.
func (g guest) kubectl(args ...string) string { return g.kubectlWith("", args...) }

// kubectlWith does the same with standard input.
func (g guest) kubectlWith(stdin string, args ...string) string {
	g.Helper()
	out, err := g.tryKubectl(stdin, args...)
	if err != nil {
		g.Fatal(err)
	}
	return out
}

func (g guest) tryKubectl(stdin string, args ...string) (string, error) {
	cmd := exec.CommandContext(g.ctx, "docker",
		append([]string{"exec", "-i", g.administrator(), "kubectl", "--kubeconfig=/etc/kubernetes/admin.conf"}, args...)...)
	cmd.Stdin = strings.NewReader(stdin)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("kubectl %s: %w: %s", strings.Join(args, " "), err, &stderr)
	}
	return strings.TrimSpace(string(out)), nil
}

// copied copies a folder of the repository to the administrator's node, where kubectl can apply it.
func (g guest) copied(folder string) string {
	g.Helper()
	const there = "/rollcall/"
	g.run("docker exec %s mkdir -p %s", g.administrator(), filepath.Dir(there+folder))
	g.run("docker exec %s rm -rf %s", g.administrator(), there+folder)
	g.run("docker cp %s %s:%s", filepath.Join("..", "..", folder), g.administrator(), there+folder)
	return there + folder
}

// write writes a file on the administrator's node.
func (g guest) write(file, text string) {
	g.Helper()
	cmd := exec.CommandContext(g.ctx, "docker", "exec", "-i", g.administrator(), "cp", "/dev/stdin", file)
	cmd.Stdin = strings.NewReader(text)
	if out, err := cmd.CombinedOutput(); err != nil {
		g.Fatalf("write %s: %v: %s", file, err, out)
	}
}

// granted applies a kustomization of fixtures/staging until the end of the test.
func (g guest) granted(name string) {
	g.Helper()
	folder := g.copied("fixtures/staging") + "/" + name
	g.kubectl("apply", "--kustomize", folder)
	g.Cleanup(func() {
		g.kubectl("delete", "--ignore-not-found", "--kustomize", folder)
	})
}

// account returns a kubeconfig with the token of the shipped service account, or with another token.
func (g guest) account(token string) string {
	g.Helper()
	if token == "" {
		token = g.kubectl("--namespace=rollcall", "create", "token", "rollcall", "--duration=4h")
	}
	config := clientcmdapi.NewConfig()
	config.Clusters["staging"] = &clientcmdapi.Cluster{Server: g.REST().Host, CertificateAuthorityData: g.REST().CAData}
	config.AuthInfos["rollcall"] = &clientcmdapi.AuthInfo{Token: token}
	config.Contexts["staging"] = &clientcmdapi.Context{Cluster: "staging", AuthInfo: "rollcall"}
	file := filepath.Join(g.TempDir(), "kubeconfig")
	if err := clientcmd.WriteToFile(*config, file); err != nil {
		g.Fatal(err)
	}
	return file
}

// listing returns all objects of the cluster, by kind, namespace, name and UID, without kinds that come and go by themselves.
func (g guest) listing() string {
	g.Helper()
	var lines []string
	kinds := strings.Fields(g.kubectl("api-resources", "--verbs=list", "--output=name"))
	for _, kind := range kinds {
		if slices.Contains([]string{"events", "events.events.k8s.io", "leases.coordination.k8s.io"}, kind) {
			continue
		}
		const columns = "custom-columns=:kind,:metadata.namespace,:metadata.name,:metadata.uid,:metadata.generation"
		lines = append(lines, strings.Split(g.kubectl("get", kind, "--all-namespaces", "--no-headers", "--output="+columns), "\n")...)
	}
	slices.Sort(lines)
	return strings.Join(slices.Compact(lines), "\n")
}

// built compiles a program of testdata and returns its path.
func (g guest) built(name string) string {
	g.Helper()
	program := filepath.Join(g.TempDir(), name)
	build := exec.CommandContext(g.ctx, "go", "build", "-o", program, "./testdata/"+name)
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		g.Fatalf("%v: %s", err, out)
	}
	return program
}

// address returns the address of a container in the network of the clusters.
func (g guest) address(container string) string {
	g.Helper()
	return g.run("docker inspect --format {{range.NetworkSettings.Networks}}{{.IPAddress}}{{end}} %s", container)
}

// The account that may pull private images from the registry.
const registryUser, registryPassword = "nodes", "only-for-this-test"

// registry starts a registry that the nodes trust. It returns a repository of it and the file of its certificate authority.
func (g guest) registry() (repo, ca string) {
	g.Helper()
	const name = "rollcall-registry"
	dir := filepath.Dir(g.built("registry"))
	g.run("tar --create --file=%s/image.tar --directory=%s registry", dir, dir)
	g.run(`docker import --change 'ENTRYPOINT ["/registry"]' %s/image.tar rollcall.local/registry`, dir)
	g.run("docker rm --force %s", name)
	g.run("docker run --detach --name %s --network %s rollcall.local/registry %s %s", name, kind.Network, registryUser, registryPassword)
	g.Cleanup(func() {
		_, err := command.Run(context.WithoutCancel(g.ctx), "docker rm --force %s", name)
		_, image := command.Run(context.WithoutCancel(g.ctx), "docker rmi rollcall.local/registry")
		if err := errors.Join(err, image); err != nil {
			g.Error(err)
		}
	})
	address := g.address(name)
	for file, data := range certificate(g.T, address) {
		path := filepath.Join(dir, file)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			g.Fatal(err)
		}
		g.run("docker cp %s %s:/%s", path, name, file)
	}
	ca = filepath.Join(dir, "tls.crt")
	where := "/etc/containerd/certs.d/" + address + ":5000"
	hosts := filepath.Join(dir, "hosts.toml")
	if err := os.WriteFile(hosts, fmt.Appendf(nil, "[host.%q]\n  ca = %q\n", "https://"+address+":5000", where+"/ca.crt"), 0o600); err != nil {
		g.Fatal(err)
	}
	ours, err := cluster.Ours(g.Cluster)
	if err != nil {
		g.Fatal(err)
	}
	for _, node := range ours.Nodes() {
		g.run("docker exec %s mkdir -p %s", node, where)
		g.run("docker cp %s %s:%s/ca.crt", ca, node, where)
		g.run("docker cp %s %s:%s/hosts.toml", hosts, node, where)
	}
	return address + ":5000/platform/rollcall", ca
}

// certificate returns a self-signed certificate for an address, and its key.
func certificate(t *testing.T, address string) map[string][]byte {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "rollcall's test"}, IPAddresses: []net.IP{net.ParseIP(address)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour), IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	signed, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	encoded := func(kind string, data []byte) []byte {
		var b bytes.Buffer
		if err := pem.Encode(&b, &pem.Block{Type: kind, Bytes: data}); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	return map[string][]byte{"tls.crt": encoded("CERTIFICATE", signed), "tls.key": encoded("EC PRIVATE KEY", private)}
}
