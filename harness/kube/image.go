package kube

// KindVersion is the kind release whose base image files a built node image gets, and for which published images are. Clusters are created
// by the library of the same version.
const KindVersion = "v0.33.0"

// published are the images that kind's maintainers made for KindVersion, newest first, of the minor versions of releases. Their digests
// are from the release's notes, https://github.com/kubernetes-sigs/kind/releases/tag/v0.33.0: a tag alone may be moved.
var published = []struct{ version, digest string }{
	{"v1.37.0", "sha256:a1ed56cfb0e7b93589bdf97c8cd566405a265939e3620fc4f5de89adff580ae5"},
	{"v1.36.4", "sha256:099e049362a1526b2db71494e1947aae99bd16290d7c895f2b7ea312e3cbfaed"},
	{"v1.35.8", "sha256:07b2536e30b803ed61d1677a79df6115f798ce64c80f9e22f6ed45afd09323c0"},
}

// Published returns the newest version for which kind's maintainers publish a node image.
func Published() string { return published[0].version }

// PublishedImage returns the name by digest of the node image that kind's maintainers publish for a version; empty if there is none.
func PublishedImage(version string) string {
	for _, image := range published {
		if image.version == version {
			return "kindest/node@" + image.digest
		}
	}
	return ""
}

// NodeImages is the name of Rollcall's node images in the engine, without their tags, which begin with the version and a dash.
const NodeImages = "rollcall.local/node"

// MetricsServerImage is the name of metrics-server's image. MetricsServerFile is the name of its archive among ready-made
// images, as in the lab.
const (
	MetricsServerImage = "rollcall.local/metrics-server:v0.9.0"
	MetricsServerFile  = "metrics-server.tar"
)
