// Command argohealth reads an object from standard input and prints the health that Argo CD gives it. It is compiled in a module of its own,
// with the go.mod and go.sum of github.com/argoproj/argo-cd/gitops-engine, whose replace directives it needs, and a requirement on that
// module.
package main

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/argoproj/argo-cd/gitops-engine/pkg/health"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func main() {
	var object unstructured.Unstructured
	if err := json.NewDecoder(os.Stdin).Decode(&object.Object); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	is, err := health.GetResourceHealth(&object, nil)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(is.Status)
}
