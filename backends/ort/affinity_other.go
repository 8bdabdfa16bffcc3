//go:build !linux

package ort

import (
	"fmt"
	"runtime"
)

// errNoAffinity: threads cannot be bound here.
var errNoAffinity = fmt.Errorf("%s does not bind threads to cores: name the device cpu, without a list", runtime.GOOS)

func allowedCores() (cores, error) { return cores{}, errNoAffinity }

func bindThread(cores) error { return errNoAffinity }
