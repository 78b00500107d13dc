package harness

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
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

	"github.com/google/go-cmp/cmp"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"rollcall/harness/cluster"
	"rollcall/harness/command"
)

// TestStaging attaches to a kind cluster as somebody who owns nothing of it: with the shipped roles alone, and with images
// that its nodes pull from a registry whose certificate nobody knows. Afterwards everything else in it is what it was.
// `make staging` runs it; SUITES and SCENARIOS, a pattern, select.
func TestStaging(t *testing.T) {
	if os.Getenv("ROLLCALL_STAGING") == "" {
		t.Skip("it needs a cluster: make staging")
	}
	onClusters(t, "staging", func(ctx context.Context, t *testing.T, _ *Rig, c *cluster.Cluster) {
		s := staging{t, ctx, c}
		repo, ca := s.registry()
		s.kubectl("apply", "--kustomize", s.copied("node-rules"))
		defer s.kubectl("delete", "--ignore-not-found", "--kustomize", s.copied("node-rules"))
		config := s.account()
		before := s.listing()
		s.conformance("run", "-kubeconfig="+config, "-context=staging", "-namespace=rollcall", "-allow="+NodeRules,
			"-image-repo="+repo, "-registry-ca="+ca, "-outside-url="+os.Getenv("OUTSIDE_URL"), "-suites="+os.Getenv("SUITES"), "-run="+os.Getenv("SCENARIOS"))
		if diff := cmp.Diff(before, s.listing()); diff != "" {
			t.Errorf("the cluster is not what it was (-before +after):\n%s", diff)
		}
	})
}

// A staging cluster is one of kind's, seen as if it were somebody else's.
type staging struct {
	t   *testing.T
	ctx context.Context
	*cluster.Cluster
}

func (s staging) run(format string, args ...any) string {
	s.t.Helper()
	out, err := command.Run(s.ctx, format, args...)
	if err != nil {
		s.t.Fatal(err)
	}
	return out
}

// administrator is the node that has the administrator's kubeconfig.
func (s staging) administrator() string { return s.Name + "-control-plane" }

// kubectl runs as the cluster's administrator.
func (s staging) kubectl(args ...string) string {
	s.t.Helper()
	return s.run("docker exec %s kubectl --kubeconfig=/etc/kubernetes/admin.conf %s", s.administrator(), strings.Join(args, " "))
}

// copied is a folder of fixtures/staging as it lies on the administrator's node.
func (s staging) copied(folder string) string {
	s.t.Helper()
	const there = "/staging"
	s.run("docker exec %s rm -rf %s", s.administrator(), there)
	s.run("docker cp ../fixtures/staging %s:%s", s.administrator(), there)
	return there + "/" + folder
}

// account is a kubeconfig of the shipped service account alone.
func (s staging) account() string {
	s.t.Helper()
	token := s.kubectl("--namespace=rollcall", "create", "token", "rollcall", "--duration=4h")
	config := clientcmdapi.NewConfig()
	config.Clusters["staging"] = &clientcmdapi.Cluster{Server: s.REST.Host, CertificateAuthorityData: s.REST.CAData}
	config.AuthInfos["rollcall"] = &clientcmdapi.AuthInfo{Token: token}
	config.Contexts["staging"] = &clientcmdapi.Context{Cluster: "staging", AuthInfo: "rollcall"}
	file := filepath.Join(s.t.TempDir(), "kubeconfig")
	if err := clientcmd.WriteToFile(*config, file); err != nil {
		s.t.Fatal(err)
	}
	return file
}

// listing is every object there is, by kind, namespace, name and UID, but for those that come and go by themselves.
func (s staging) listing() string {
	s.t.Helper()
	var lines []string
	kinds := strings.Fields(s.kubectl("api-resources", "--verbs=list", "--output=name"))
	for _, kind := range kinds {
		if slices.Contains([]string{"events", "events.events.k8s.io", "leases.coordination.k8s.io"}, kind) {
			continue
		}
		const columns = "custom-columns=:kind,:metadata.namespace,:metadata.name,:metadata.uid,:metadata.generation"
		lines = append(lines, strings.Split(s.kubectl("get", kind, "--all-namespaces", "--no-headers", "--output="+columns), "\n")...)
	}
	slices.Sort(lines)
	return strings.Join(slices.Compact(lines), "\n")
}

// conformance is the command itself, as a user runs it.
func (s staging) conformance(args ...string) {
	s.t.Helper()
	home, err := findHome()
	if err != nil {
		s.t.Fatal(err)
	}
	cmd := exec.CommandContext(s.ctx, filepath.Join(home.Folder, "out", "bin", "conformance"), args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = home.Folder, s.t.Output(), s.t.Output()
	if err := cmd.Run(); err != nil {
		s.t.Errorf("conformance: %v", err)
	}
}

// registry starts one that the nodes trust, and gives a repository of it and the file of its certificate authority.
func (s staging) registry() (repo, ca string) {
	s.t.Helper()
	const name = "rollcall-registry"
	dir := s.t.TempDir()
	program := filepath.Join(dir, "registry")
	build := exec.CommandContext(s.ctx, "go", "build", "-o", program, "./testdata/registry")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		s.t.Fatalf("%v: %s", err, out)
	}
	s.run("tar --create --file=%s/image.tar --directory=%s registry", dir, dir)
	s.run(`docker import --change 'ENTRYPOINT ["/registry"]' %s/image.tar rollcall.local/registry`, dir)
	s.run("docker rm --force %s", name)
	s.run("docker run --detach --name %s --network %s rollcall.local/registry", name, cluster.Network)
	s.t.Cleanup(func() {
		if _, err := command.Run(context.WithoutCancel(s.ctx), "docker rm --force %s", name); err != nil {
			s.t.Error(err)
		}
	})
	address := s.run("docker inspect --format {{range.NetworkSettings.Networks}}{{.IPAddress}}{{end}} %s", name)
	for file, data := range certificate(s.t, address) {
		path := filepath.Join(dir, file)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			s.t.Fatal(err)
		}
		s.run("docker cp %s %s:/%s", path, name, file)
	}
	ca = filepath.Join(dir, "tls.crt")
	where := "/etc/containerd/certs.d/" + address + ":5000"
	hosts := filepath.Join(dir, "hosts.toml")
	if err := os.WriteFile(hosts, fmt.Appendf(nil, "[host.%q]\n  ca = %q\n", "https://"+address+":5000", where+"/ca.crt"), 0o600); err != nil {
		s.t.Fatal(err)
	}
	for _, node := range s.Nodes() {
		s.run("docker exec %s mkdir -p %s", node, where)
		s.run("docker cp %s %s:%s/ca.crt", ca, node, where)
		s.run("docker cp %s %s:%s/hosts.toml", hosts, node, where)
	}
	return address + ":5000/platform/rollcall", ca
}

// certificate is one for an address, signed by itself, with its key.
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
