package userapp

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"example.com/rollcall/fixtures"
)

// A ServiceName names a Service, one of its ports, whether it is asked over TLS, and what is asked for.
type ServiceName struct {
	Namespace  string // empty: none is named
	Name, Port string // Port is a name or a number; empty: none is named
	Secure     bool
	Path       string // empty: none is named
}

// ParseServiceName reads [NAMESPACE/]NAME[:PORT][/PATH]. With a port the name may have http: or https: before it, as in URLs of the API
// server's proxy (k8s.io/apimachinery, SplitSchemeNamePort). What is before the first / is a namespace if it has no colon and something
// follows, and else the name.
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

// SecureURL is where a Service is asked over TLS: by a name that its certificate may have.
func SecureURL(service *corev1.Service) string {
	at := fmt.Sprintf("https://%s.%s.svc:%d", service.Name, service.Namespace, fixtures.HTTPPort(service).Port)
	return strings.TrimSuffix(at, ":443") + "/"
}

// PortText is a port as people tell it, such as "http (80)".
func PortText(p corev1.ServicePort) string {
	if p.Name == "" {
		return strconv.Itoa(int(p.Port))
	}
	return fmt.Sprintf("%s (%d)", p.Name, p.Port)
}

// PortsText are some.
func PortsText(ports []corev1.ServicePort) string {
	var all []string
	for _, p := range ports {
		all = append(all, PortText(p))
	}
	return strings.Join(all, ", ")
}

// Of is the port of a Service that it names; without one, the first. It is nil if the Service has none such.
func (s ServiceName) Of(service *corev1.Service) *corev1.ServicePort {
	i := slices.IndexFunc(service.Spec.Ports, func(p corev1.ServicePort) bool {
		return s.Port == "" || s.Port == p.Name || s.Port == fmt.Sprint(p.Port)
	})
	if i < 0 {
		return nil
	}
	return &service.Spec.Ports[i]
}
