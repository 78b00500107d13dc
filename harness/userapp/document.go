// Package userapp tests a user's app: it reads the user's file about the app, and the manifests that this file names, and
// deploys and updates the app in a namespace of Rollcall.
package userapp

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/utils/ptr"

	"example.com/rollcall/harness/secret"
	"example.com/rollcall/harness/usage"
	"example.com/rollcall/loadgen"
)

// Kind is the kind of the file, as in kind: App.
const Kind = "App"

// A Document is the content of the file.
type Document struct {
	usage.Head `json:",inline"`
	Manifests  []string `json:"manifests"` // files, relative to this one
	Workload   Workload `json:"workload"`
	Service    string   `json:"service"` // that clients use, see [ParseServiceName]
	Request    Request  `json:"request,omitzero"`
	Reply      Reply    `json:"reply,omitzero"`
	Budget     Budget   `json:"budget,omitzero"`
	Old        Version  `json:"old"`
	New        Version  `json:"new"`
	Rate       int      `json:"rate,omitempty"` // requests per second of every lane; 0: 50
	// Pod Security Standard that the pods meet: restricted, which is the default, baseline or privileged
	PodSecurity string `json:"podSecurity,omitempty"`
}

// A Workload names what is rolled out.
type Workload struct {
	Kind string `json:"kind"` // Deployment or StatefulSet
	Name string `json:"name"`
}

// A Reply describes good replies.
type Reply struct {
	Status     []int  `json:"status,omitempty"`     // empty: 200 to 299
	GoodStatus string `json:"goodStatus,omitempty"` // the same as ranges, such as 200-299,404
	Version    *Place `json:"version,omitempty"`
}

// A Place says where a reply names its version; one field is set.
type Place struct {
	Header  string `json:"header,omitempty"`
	Pointer string `json:"pointer,omitempty"` // RFC 6901, into a JSON body
	Pattern string `json:"pattern,omitempty"` // regular expression; its first group is the version
}

// A Version is a version of the app, and what it changes in the workload.
type Version struct {
	Name      string            `json:"name"`                // as in replies, if they name it
	Image     string            `json:"image,omitempty"`     // of the container
	Env       map[string]string `json:"env,omitempty"`       // of the container, beside what its manifest sets
	Container string            `json:"container,omitempty"` // empty: the first
}

const defaultRate = 50

func (d Document) validate() error {
	service, named := ParseServiceName(d.Service)
	switch {
	case len(d.Manifests) == 0:
		return errors.New("manifests: none is named: list the files that deploy the app")
	case !slices.Contains([]string{"Deployment", "StatefulSet"}, d.Workload.Kind):
		return fmt.Errorf("workload.kind: %q: use Deployment or StatefulSet", d.Workload.Kind)
	case d.Workload.Name == "":
		return errors.New("workload.name: it is empty: name what is rolled out")
	case d.Service == "":
		return errors.New("service: it is empty: name the Service that clients send requests to")
	case !named || service.Namespace+service.Path != "":
		return fmt.Errorf("service: %q: write it like web, web:8080, web:http or https:web:443", secret.Query(d.Service))
	case service.Secure() && d.Request.CA == "" && !d.Request.Insecure:
		return fmt.Errorf("service: %q: clients in pods know no certificate authority: give request.ca or request.insecure", d.Service)
	case !service.Secure() && d.Request.Secure != (Secure{}):
		return fmt.Errorf("service: %q: it is not asked over TLS, of which request says something: write https:NAME:PORT", d.Service)
	case len(d.Reply.Status) > 0 && d.Reply.GoodStatus != "":
		return errors.New("reply.goodStatus: reply.status says the same: leave one out")
	case d.Old.Name == "" || d.New.Name == "":
		return errors.New("old.name, new.name: one is empty: name both versions")
	case d.Old.Name == d.New.Name:
		return fmt.Errorf("new.name: %q is the old one's: name it otherwise", d.New.Name)
	case d.Old.Image == d.New.Image && len(d.Old.Env)+len(d.New.Env) == 0:
		return errors.New("new: it does not differ from old: give it another image or env")
	case d.Request.Path != "" && !strings.HasPrefix(d.Request.Path, "/"):
		return fmt.Errorf("request.path: %q: begin it with /", secret.Query(d.Request.Path))
	case secret.Query(d.Request.Path) != d.Request.Path:
		return fmt.Errorf("request.path: %q: the value of the parameter would stand in the report: send it as a header: "+
			"request.headers: {Authorization: $VARIABLE}", secret.Query(d.Request.Path))
	case d.Rate < 0 || d.Rate > 1000:
		return fmt.Errorf("rate: %d: use 1 to 1000", d.Rate)
	case !slices.Contains([]string{"", "restricted", "baseline", "privileged"}, d.PodSecurity):
		return fmt.Errorf("podSecurity: %q: use restricted, baseline or privileged", d.PodSecurity)
	}
	return nil
}

// http returns how requests are sent and replies judged. Names of files are relative to the folder.
func (d Document) http(folder string) (*loadgen.UserHTTP, error) {
	var headers []loadgen.HeaderField
	for _, name := range slices.Sorted(maps.Keys(d.Request.Headers)) {
		h := loadgen.HeaderField{Name: name, Value: d.Request.Headers[name]}
		if Exposed(h) {
			return nil, usage.New("header "+name, "its value would stand in the file", "write "+name+": '@FILE' or $VARIABLE")
		}
		headers = append(headers, h)
	}
	asked, err := d.Request.HTTP(folder, headers, ptr.Deref(d.Reply.Version, Place{}))
	if err != nil {
		return nil, err
	}
	asked.Status = d.Reply.Status
	if d.Reply.GoodStatus != "" {
		if asked.Status, err = usage.Statuses("goodStatus: ", d.Reply.GoodStatus); err != nil {
			return nil, err
		}
	}
	return asked, asked.Check()
}
