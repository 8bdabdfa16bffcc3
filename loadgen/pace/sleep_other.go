//go:build !linux

package pace

import "time"

func sharpenTimers() (restore func()) { return func() {} }

func suspendThread(d time.Duration) { time.Sleep(d) }
