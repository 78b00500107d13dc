package kind

import "example.com/rollcall/harness/layout"

// A Spec specifies a cluster for [Open].
type Spec struct {
	Name     string           // such as "rollcall-iptables"
	Mode     string           // name of the data plane
	Image    string           // node image, which the engine has
	Config   string           // path of kind-config.yaml
	BuiltIn  []byte           // configuration to use if there is no file at Config; may be nil
	Archives []layout.Archive // images of the pods of suites, and of the pods that probe whether the cluster is ready
	NodePort int              // that Config publishes on 127.0.0.1
	Logs     string           // folder for the nodes' logs if the cluster cannot be opened
	Keep     bool             // reuse a kept cluster of the same spec, and keep it at Close
}
