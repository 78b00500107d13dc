package change

import (
	"strings"
	"testing"

	"example.com/rollcall/harness/kube"
)

// An object without our labels is not removed, and an APIService without its server blocks the deletion of every namespace.
func TestMetricsServerIsLabelled(t *testing.T) {
	objects := strings.Count("\n"+metricsServer, "\nkind: ")
	labelled := strings.Count(metricsServer, "\nmetadata: {labels: {app.kubernetes.io/managed-by: rollcall}")
	if objects == 0 || objects != labelled {
		t.Errorf("%d of %d objects are", labelled, objects)
	}
}

// Nodes pull no image of metrics-server: they run the one that was loaded into them.
func TestMetricsServerImage(t *testing.T) {
	if !strings.Contains(metricsServer, "        image: "+kube.MetricsServerImage+"\n        imagePullPolicy: Never\n") {
		t.Errorf("its manifest names another image than %s", kube.MetricsServerImage)
	}
}
