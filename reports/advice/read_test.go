package advice

import (
	"testing"

	"example.com/rollcall/harness/evidence"
)

// What mends a Service is a patch of it.
func TestPatchesOfServices(t *testing.T) {
	const head = "apiVersion: v1\nkind: Service\nmetadata:\n  name: web\nspec:\n"
	object := func(spec map[string]any) map[string]any {
		return map[string]any{"apiVersion": "v1", "kind": "Service", "metadata": map[string]any{"name": "web"}, "spec": spec}
	}
	unready := evidence.Reading{Service: "web", Manifest: object(map[string]any{"publishNotReadyAddresses": true, "type": "NodePort"})}
	unready.PublishesUnready = true
	for _, row := range []struct {
		sentence, code string
		r              evidence.Reading
		want           string
	}{
		{"pods that are not ready are left out", "RC3025", unready, head + "  publishNotReadyAddresses: null\n"},
		{"other nodes' pods count", "RC3022", evidence.Reading{Kind: "DaemonSet", Local: "spec.internalTrafficPolicy",
			Manifest: object(map[string]any{"internalTrafficPolicy": "Local"})}, head + "  internalTrafficPolicy: Cluster\n"},
		{"a label that changes is not selected", "RC3026", evidence.Reading{Versioned: []string{"version"},
			Manifest: object(map[string]any{"selector": map[string]any{"app": "web", "version": "1"}})}, head + "  selector:\n    version: null\n"},
		{"one that is alone cannot be left out", "RC3026", evidence.Reading{Versioned: []string{"version"},
			Manifest: object(map[string]any{"selector": map[string]any{"version": "1"}})}, ""},
		{"what changed from the base is not known to be wrong", "RC3026", evidence.Reading{Changed: []string{"targetPort 80 to 81"},
			Manifest: object(map[string]any{"selector": map[string]any{"app": "web"}})}, ""},
	} {
		found := false
		for _, f := range Read(row.r) {
			if f.Code != row.code {
				continue
			}
			if found = true; f.Patch != row.want {
				t.Errorf("%s: the patch is\n%s\nwant\n%s", row.sentence, f.Patch, row.want)
			}
		}
		if !found {
			t.Errorf("%s: no %s", row.sentence, row.code)
		}
	}
}
