package change

import (
	"strings"
	"testing"

	"example.com/rollcall/harness/nodeimage"
)

// What is not labelled is not removed, and an APIService without its server keeps every namespace from going.
func TestMetricsServerIsLabelled(t *testing.T) {
	objects := strings.Count("\n"+metricsServer, "\nkind: ")
	labelled := strings.Count(metricsServer, "\nmetadata: {labels: {app.kubernetes.io/managed-by: rollcall}")
	if objects == 0 || objects != labelled {
		t.Errorf("%d of %d objects are", labelled, objects)
	}
}

// The nodes pull nothing: they run what they were given.
func TestMetricsServerImage(t *testing.T) {
	if !strings.Contains(metricsServer, "        image: "+nodeimage.MetricsServerImage+"\n        imagePullPolicy: Never\n") {
		t.Errorf("its manifest names another image than %s", nodeimage.MetricsServerImage)
	}
}
