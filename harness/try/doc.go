// Package try rolls out an app of somebody else by its own manifests: it reads them as kubectl does, applies them as they are, and
// has package during record what their rollout costs the clients of one of their Services.
package try
