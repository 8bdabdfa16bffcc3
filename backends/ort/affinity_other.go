//go:build !linux

package ort

import (
	"fmt"
	"runtime"
)

// threadBinding restricts work to cores, which this system does not support.
type threadBinding struct{}

func newBinding(coreSet) (*threadBinding, error) { return nil, errNoAffinity() }

func (*threadBinding) enter() error { return errNoAffinity() }
func (*threadBinding) leave()       {}

func allowedCores() (coreSet, error) { return coreSet{}, errNoAffinity() }

func errNoAffinity() error {
	return fmt.Errorf("%s does not bind threads to cores: name the device cpu, without a list", runtime.GOOS)
}
