//go:build !linux

package host

// LimitsSupported says that plugins can be held to limits on this system.
const LimitsSupported = false

func limitFiles(int, int) error { return ErrNoLimits }

type usageMeter struct{ group int }

func (*usageMeter) readUsage() resourceUsage { return resourceUsage{} }
