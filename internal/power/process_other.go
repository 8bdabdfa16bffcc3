//go:build !unix

package power

import (
	"os"
	"syscall"
)

func ownGroup() *syscall.SysProcAttr { return nil }

func endGroup(p *os.Process) { _ = p.Kill() }

func killGroup(p *os.Process) { _ = p.Kill() }
