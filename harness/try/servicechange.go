package try

import (
	"example.com/rollcall/harness/manifest"
	"example.com/rollcall/harness/userapp"
)

// ofService says what manifests of the next version change for clients of the Service.
func (c Change) ofService(a *App) (said []string) {
	was := userapp.Version{Service: a.service, Template: a.template}
	next := was
	for _, o := range c.objects {
		if service, is := manifest.ServiceOf(o); is && service.Name == a.service.Name && service.Namespace == a.service.Namespace {
			next.Service = service
		}
		if o.Same(a.workload) {
			next.Template, _ = manifest.TemplateOf(o)
		}
	}
	for _, change := range was.ServiceChanges(next, a.port) {
		said = append(said, change.Says)
	}
	return said
}
