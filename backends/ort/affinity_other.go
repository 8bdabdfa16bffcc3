//go:build !linux

package ort

import (
	"fmt"
	"runtime"
)

// binding restricts work to cores, which this system does not support.
type binding struct{}

func newBinding(coreSet) (*binding, error) { return nil, errNoAffinity() }

func (*binding) enter() error { return errNoAffinity() }
func (*binding) leave()       {}

func allowedCores() (coreSet, error) { return coreSet{}, errNoAffinity() }

func errNoAffinity() error {
	return fmt.Errorf("%s does not bind threads to cores: name the device cpu, without a list", runtime.GOOS)
}
