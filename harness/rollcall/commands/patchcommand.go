package commands

import (
	"slices"
	"strings"

	"al.essio.dev/pkg/shellescape"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"example.com/rollcall/reports/model"
)

// patchCommand returns the kubectl command that applies a patch in a file to the workload that runs. It is empty for a patch that is for
// manifests alone, and for one that does not name its workload.
func patchCommand(p model.Patch, file string) string {
	var of metav1.PartialObjectMetadata
	if err := yaml.Unmarshal([]byte(p.YAML), &of); err != nil || of.Name == "" || slices.Contains(p.Follows, "RC3009") {
		return ""
	}
	words := []string{"kubectl"}
	if of.Namespace != "" {
		words = append(words, "-n", of.Namespace)
	}
	return shellescape.QuoteCommand(append(words, "patch", strings.ToLower(of.Kind), of.Name, "--patch-file="+file))
}
