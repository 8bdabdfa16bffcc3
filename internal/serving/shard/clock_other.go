//go:build !linux

package shard

import "time"

func clock() (string, time.Duration) { return "", unknownError }
