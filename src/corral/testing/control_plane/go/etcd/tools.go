//go:build tools

// Package tools names the one command this module exists to build, so that
// `go mod tidy` keeps the hashes of everything it needs in go.sum.
package tools

import (
	_ "go.etcd.io/etcd/server/v3"
)
