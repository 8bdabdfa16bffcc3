//go:build !linux

package kserve

import "syscall"

// limitUnacknowledged does nothing, because there is no portable way to set the limit.
func limitUnacknowledged(string, string, syscall.RawConn) error { return nil }
