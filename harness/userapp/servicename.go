package userapp

import (
	"cmp"
	"fmt"
	"regexp"
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
	Scheme     string // http or https; empty: none is named
	Path       string // empty: none is named
}

// String returns the name as [ParseServiceName] reads it.
func (s ServiceName) String() string {
	text := s.Name
	if s.Port != "" {
		text += ":" + s.Port
	}
	if s.Namespace != "" {
		text = s.Namespace + "/" + text
	}
	if s.Scheme != "" {
		text = s.Scheme + ":" + text
	}
	return text + s.Path
}

// Secure reports whether the name asks for requests over TLS.
func (s ServiceName) Secure() bool { return s.Scheme == "https" }

var (
	// (scheme:) (namespace/) name :port (/path)
	withPort = regexp.MustCompile(`^(?:(https?):)?(?:([^:/]+)/)?(?:(https?):)?([^:/]+):([^:/]+)(/.*)?$`)
	// namespace/ name (/path), or name (/)
	withoutPort = regexp.MustCompile(`^(?:([^:/]+)/([^:/]+)(/.*)?|([^:/]+)(/?))$`)
)

// ParseServiceName parses [NAMESPACE/]NAME[:PORT][/PATH]. If there is a port, http: or https: may stand first, or before the name as in
// URLs of the API server's proxy (k8s.io/apimachinery, SplitSchemeNamePort). In NAME/PATH without a port, NAME is a namespace if PATH is
// not empty.
func ParseServiceName(text string) (s ServiceName, ok bool) {
	if of := withPort.FindStringSubmatch(text); of != nil && (of[1] == "" || of[3] == "") {
		return ServiceName{Scheme: cmp.Or(of[1], of[3]), Namespace: of[2], Name: of[4], Port: of[5], Path: of[6]}, true
	}
	if of := withoutPort.FindStringSubmatch(text); of != nil {
		return ServiceName{Namespace: of[1], Name: cmp.Or(of[2], of[4]), Path: cmp.Or(of[3], of[5])}, true
	}
	return ServiceName{}, false
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
