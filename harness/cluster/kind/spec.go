package kind

import "example.com/rollcall/harness/layout"

// A Spec says which cluster is wanted.
type Spec struct {
	Name     string           // such as "rollcall-iptables"
	Mode     string           // kube-proxy's
	Image    string           // node image, which the engine has
	Config   string           // path of kind-config.yaml
	BuiltIn  []byte           // configuration in the place of that file where there is none; nil: none
	Archives []layout.Archive // images for the pods of suites, and for those that look whether the cluster is ready
	NodePort int              // that Config leads to from 127.0.0.1
	Logs     string           // folder for the nodes' logs when the cluster cannot be opened
	Keep     bool             // reuse a kept cluster of the same spec, and keep it at Close
}
