package dataplane

// A Proxy is a program that writes the rules of a [Plane] on each node: a service proxy. Planes may share one, as the modes of
// kube-proxy do. A DaemonSet of its name in kube-system makes its pods, so that one which is deleted starts again. Its scripts run on
// a node, as root, and fail where it does not answer.
type Proxy struct {
	Name     string // of its process, its DaemonSet and the container in that
	Selector string // of its pods, by their labels

	// Address is the URL of an HTTP server of it, on its node, without a path.
	Address string
	// Detect returns the name of the plane that it runs. get returns the short text at a path of its HTTP server. It is nil if the
	// observer cannot read its rules: they are then judged by clients.
	Detect func(get func(path string) (text string, err error)) (plane string, err error)

	Runs    func(plane string) (script string) // succeeds if it runs the plane
	Synced  string                             // succeeds if it has written its rules since it started
	Changes string                             // prints a text that differs after each change of endpoints that it has received
	Metrics string                             // prints its metrics, in the text format of Prometheus
}

// Proxies returns the programs of All, each once.
func Proxies() (list []*Proxy) {
	seen := map[*Proxy]bool{}
	for _, p := range All() {
		if !seen[p.Proxy] {
			seen[p.Proxy] = true
			list = append(list, p.Proxy)
		}
	}
	return list
}

// Planes returns the names of those of All that it runs.
func (x *Proxy) Planes() (names []string) {
	for _, p := range All() {
		if p.Proxy == x {
			names = append(names, p.Name)
		}
	}
	return names
}
