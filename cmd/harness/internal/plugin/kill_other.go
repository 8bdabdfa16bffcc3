//go:build !unix

package plugin

import "os"

// killGroup kills the plugin's process; those that it started end with their connection to it.
func killGroup(pid int) {
	if p, err := os.FindProcess(pid); err == nil {
		_ = p.Kill()
	}
}
