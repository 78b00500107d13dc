package try

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/rollcall/harness/during"
	"example.com/rollcall/harness/manifest"
	"example.com/rollcall/harness/usage"
)

// Objects that others on an existing cluster may feel are created only where that is allowed.
func TestWhatNeedsToBeAllowed(t *testing.T) {
	object := func(version, kind, more string) string {
		return both + "---\napiVersion: " + version + "\nkind: " + kind + "\nmetadata: {name: web" + more + "}\n"
	}
	for _, row := range []struct{ sentence, manifest, names string }{
		{"a Deployment and a Service", both, ""},
		{"a namespace that is there", object("v1", "ConfigMap", ", namespace: shop"), ""},
		{"that namespace as a manifest", both + "---\napiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n", ""},
		{"a namespace that is not there", object("v1", "ConfigMap", ", namespace: new"), "Namespace new"},
		{"that namespace as a manifest too", object("v1", "Namespace", ""), "Namespace web"},
		{"an Ingress", object("networking.k8s.io/v1", "Ingress", ""), "Ingress web"},
		{"a load balancer", strings.Replace(both, "spec: {selector", "spec: {type: LoadBalancer, selector", 1),
			"Service web of type LoadBalancer"},
		{"a cluster-wide kind of Kubernetes", object("rbac.authorization.k8s.io/v1", "ClusterRole", ""), "ClusterRole web"},
		{"one of somebody else", object("example.com/v1", "Tenant", ""), "Tenant web"},
		{"a kind that the cluster does not have", object("cert-manager.io/v1", "Certificate", ""), ""},
		{"all at once", object("v1", "Namespace", "") + "---\napiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: shop}\n",
			"Namespace web, Ingress shop"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			to, _ := fakeTarget(nil, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "shop"}})
			names, err := to.checkAllowed(t.Context(), parsed(t, row.manifest), true)
			if got := strings.Join(names, ", "); err != nil || got != row.names {
				t.Errorf("%q, %v are allowed, want %q", got, err, row.names)
			}
			_, err = to.checkAllowed(t.Context(), parsed(t, row.manifest), false)
			if refused := usage.Is(err) && strings.HasPrefix(err.Error(), row.names+": "); refused != (row.names != "") || !refused && err != nil {
				t.Errorf("it is %v, want an error about %q", err, row.names)
			}
		})
	}
}

// Who answers over TLS has to be known where a secret is sent, and on clusters with other apps.
func TestWhomTLSTrusts(t *testing.T) {
	for _, row := range []struct {
		sentence, context, header, want string
	}{
		{"on a cluster of ours", "", "", ""},
		{"with a header that everybody may know", "", "X-Tenant=acme", ""},
		{"with a secret", "", "Authorization=$TOKEN",
			"--header=Authorization: over TLS its value would be sent to whoever answers: give --ca=FILE, or --insecure to accept any certificate"},
		{"with a secret of a file", "", "X-Key=@key",
			"--header=X-Key: over TLS its value would be sent to whoever answers: give --ca=FILE, or --insecure to accept any certificate"},
		{"on an existing cluster", "staging", "", "requests over TLS: on an existing cluster it has to be known who answers: " +
			"give --ca=FILE, or --insecure to accept any certificate"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			o := Options{Options: during.Options{}}
			o.Context = row.context
			if row.header != "" {
				o.Request.Headers = []string{row.header}
			}
			got := ""
			if err := o.checkTrust(); err != nil {
				got = err.Error()
			}
			if got != row.want {
				t.Errorf("it is %q, want %q", got, row.want)
			}
		})
	}
}

// Objects that name no namespace are where kubectl would put them.
func TestTheNamespaceOfAContext(t *testing.T) {
	own := strings.ReplaceAll(deployment, "{name: web}\nspec", "{name: own, namespace: own}\nspec")
	objects, err := manifest.Read(manifest.Sources{Files: []string{written(t, both+"---\n"+own)}, Namespace: "shop"})
	if err != nil {
		t.Fatal(err)
	}
	app, err := New(objects, "", "")
	if err != nil {
		t.Fatal(err)
	}
	if got := app.Service(); got != "shop/web:80/" {
		t.Errorf("requests go to %s", got)
	}
	if got := objects[2].Namespace(); got != "own" {
		t.Errorf("the other is in %s", got)
	}
	if names := missingNamespaces(objects); len(names) != 2 || names[0].GetName() != "shop" || names[1].GetName() != "own" {
		t.Errorf("%v are missing", names)
	}
}
