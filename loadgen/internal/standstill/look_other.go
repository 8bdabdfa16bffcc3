//go:build !linux

package standstill

// Supported says that this system has the clocks.
const Supported = false

// Now looks at nothing.
func Now() Look { return Look{Waited: -1} }
