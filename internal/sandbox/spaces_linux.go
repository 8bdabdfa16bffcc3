package sandbox

import (
	"errors"
	"fmt"
	"os"
)

// namespaces contains the kernel's names of a process's namespaces, by their kinds.
type namespaces map[string]string

// ownKinds are the kinds of namespaces that each program has for itself.
var ownKinds = []string{"user", "mnt", "pid", "net", "ipc", "uts"}

// readNamespaces returns the namespaces of this process.
func readNamespaces() (namespaces, error) {
	s := namespaces{}
	for _, kind := range ownKinds {
		name, err := os.Readlink("/proc/self/ns/" + kind)
		if err != nil {
			return nil, fmt.Errorf("name spaces: %w", err)
		}
		s[kind] = name
	}
	return s, nil
}

// requireLeft returns an error unless this process is process 1 and in different namespaces than outside, of every
// kind. A kernel, or a system that emulates one, may accept the request without fulfilling it.
func (outside namespaces) requireLeft() error {
	own, err := readNamespaces()
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
