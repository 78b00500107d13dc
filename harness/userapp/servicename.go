package userapp

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"example.com/rollcall/fixtures"
)

// A ServiceName is a user's option that names a Service and how to request it.
type ServiceName struct {
	Namespace  string // empty: none is named
	Name, Port string // Port is a name or a number; empty: none is named
	Secure     bool   // over TLS
	Path       string // empty: none is named
}

// ParseServiceName parses [NAMESPACE/]NAME[:PORT][/PATH]. If there is a port, http: or https: may stand before the name, as in URLs of
// the API server's proxy (k8s.io/apimachinery, SplitSchemeNamePort). The text before the first / is a namespace if it has no colon and
// something follows the /, and else the name.
func ParseServiceName(text string) (s ServiceName, ok bool) {
	name, path, asked := strings.Cut(text, "/")
	if path != "" && !strings.Contains(name, ":") {
		s.Namespace = name
		name, path, asked = strings.Cut(path, "/")
	}
	if asked {
		s.Path = "/" + path
	}
	parts, scheme := strings.Split(name, ":"), "http"
	if len(parts) == 3 {
		scheme, parts = parts[0], parts[1:]
	}
	if len(parts) > 2 || slices.Contains(parts, "") || scheme != "http" && scheme != "https" {
		return ServiceName{}, false
	}
	s.Name, s.Secure = parts[0], scheme == "https"
	if len(parts) == 2 {
		s.Port = parts[1]
	}
	return s, true
}

// SecureURL returns the URL of a Service over TLS, with a host name that its certificate may have.
func SecureURL(service *corev1.Service) string {
	at := fmt.Sprintf("https://%s.%s.svc:%d", service.Name, service.Namespace, fixtures.HTTPPort(service).Port)
	return strings.TrimSuffix(at, ":443") + "/"
}

// PortText returns a port for messages, such as "http (80)".
func PortText(p corev1.ServicePort) string {
	if p.Name == "" {
		return strconv.Itoa(int(p.Port))
	}
	return fmt.Sprintf("%s (%d)", p.Name, p.Port)
}

// PortsText returns a list of ports for messages.
func PortsText(ports []corev1.ServicePort) string {
	var all []string
	for _, p := range ports {
		all = append(all, PortText(p))
	}
	return strings.Join(all, ", ")
}

// Of returns the port of the Service that s names, or the first if it names none; nil if the Service does not have that port.
func (s ServiceName) Of(service *corev1.Service) *corev1.ServicePort {
	i := slices.IndexFunc(service.Spec.Ports, func(p corev1.ServicePort) bool {
		return s.Port == "" || s.Port == p.Name || s.Port == fmt.Sprint(p.Port)
	})
	if i < 0 {
		return nil
	}
	return &service.Spec.Ports[i]
}
