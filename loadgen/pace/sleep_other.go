//go:build !linux

package pace

import "time"

func sharpenTimers() (restore func()) { return func() {} }

func sleep(d time.Duration) { time.Sleep(d) }
