//go:build !linux

package host

// LimitsSupported reports whether this system can enforce limits on plugins.
const LimitsSupported = false

func limitFiles(int, int) error { return ErrNoLimits }

type usageMeter struct{ group int }

func (*usageMeter) readUsage() resourceUsage { return resourceUsage{} }
