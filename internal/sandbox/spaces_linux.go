package sandbox

import (
	"errors"
	"fmt"
	"os"
)

// spaces are the name spaces of a process: what the kernel calls each, by its kind.
type spaces map[string]string

// ownKinds are the kinds of spaces that a program gets for itself.
var ownKinds = []string{"user", "mnt", "pid", "net", "ipc", "uts"}

// readSpaces are this process's.
func readSpaces() (spaces, error) {
	s := spaces{}
	for _, kind := range ownKinds {
		name, err := os.Readlink("/proc/self/ns/" + kind)
		if err != nil {
			return nil, fmt.Errorf("name spaces: %w", err)
		}
		s[kind] = name
	}
	return s, nil
}

// left is an error unless this process is in other spaces than outside, of every kind, and the first process of its
// own: a kernel, or what stands in for one, may take the wish and not fulfil it.
func (outside spaces) left() error {
	own, err := readSpaces()
	if err != nil {
		return err
	}
	for _, kind := range ownKinds {
		if outside[kind] == "" || own[kind] == outside[kind] {
			return fmt.Errorf("the kernel gave no name space of its own of kind %s", kind)
		}
	}
	if os.Getpid() != 1 {
		return errors.New("the kernel gave no name space of processes: this is not the first one in it")
	}
	return nil
}
