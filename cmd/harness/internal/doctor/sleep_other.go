//go:build !linux

package doctor

import "time"

func enableExactSleep() (release func()) { return func() {} }

func sleep(d time.Duration) { time.Sleep(d) }
