// Package cases tries what went wrong for users, with apps of ours instead of theirs, as they would: by rollcall try and rollcall during.
// It has only tests. Those that need a cluster are run by `make cases`; one alone by `make cases RUN='^n12a$'`.
package cases
