//go:build !linux

package shard

import "time"

func systemClock() (string, time.Duration) { return "", unknownError }
