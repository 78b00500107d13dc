// Package change has the changes that scenarios may make to a cluster of ours, such as another mode of one kube-proxy, and undoes them.
package change
