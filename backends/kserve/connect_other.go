//go:build !linux

package kserve

import "syscall"

// limitUnacknowledged leaves the limit to the system: there is no portable way to set it.
func limitUnacknowledged(string, string, syscall.RawConn) error { return nil }
