// Package try rolls out a user's app from its own manifests: it reads them as kubectl does, applies them as they are, and records by
// package during what the rollout costs the clients of one of their Services.
package try
