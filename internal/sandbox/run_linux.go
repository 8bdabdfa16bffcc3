package sandbox

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
)

const (
	// self is the path of this process's executable, even if the file was replaced.
	self = "/proc/self/exe"
	// nobody is the user id of programs if this process is root.
	nobody = 65534
)

// prepare returns the command that starts this binary as a program's stage.
func (b Box) prepare(ctx context.Context, c Command, l Limits, in room) (*exec.Cmd, failure, error) {
	s := stage{Path: c.Path, Args: c.Args, Env: in.env(c.Env), Folder: string(in), Limits: l, Weak: b.Weak}
	attr := &syscall.SysProcAttr{Setsid: true}
	if !b.Weak {
		if err := filterKnown(); err != nil {
			return nil, failure{}, err
		}
		var err error
		if s.Outside, err = readNamespaces(); err != nil {
			return nil, failure{}, fmt.Errorf("%w: %w", ErrRefused, err)
		}
		s.View = newView(b.See, homes())
		if err := s.setNamespaces(attr); err != nil {
			return nil, failure{}, err
		}
	}
	text, err := json.Marshal(s)
	if err != nil {
		return nil, failure{}, err
	}
	var failed failure
	if failed.read, failed.write, err = os.Pipe(); err != nil {
		return nil, failure{}, err
	}
	cmd := exec.CommandContext(ctx, self)
	cmd.Args = []string{stageName, string(text)}
	cmd.Env = []string{} // empty: not this process's environment
	cmd.Dir = "/"
	cmd.ExtraFiles = []*os.File{failed.write} // descriptor 3
	cmd.SysProcAttr = attr
	cmd.Cancel = func() error { killGroup(cmd.Process.Pid); return nil }
	return cmd, failed, nil
}

// setNamespaces requests new namespaces for the process. Root keeps its ids for the set-up and becomes nobody
// afterwards. Any other user has id 0 inside the namespace, which is that user's own account outside.
func (s *stage) setNamespaces(attr *syscall.SysProcAttr) error {
	attr.Cloneflags = syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS | syscall.CLONE_NEWPID | syscall.CLONE_NEWNET |
		syscall.CLONE_NEWIPC | syscall.CLONE_NEWUTS
	if os.Geteuid() != 0 {
		attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Geteuid(), Size: 1}}
		attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getegid(), Size: 1}}
		return nil
	}
	var users, groups bool
	var err, err2 error
	attr.UidMappings, users, err = identityMap("/proc/self/uid_map")
	attr.GidMappings, groups, err2 = identityMap("/proc/self/gid_map")
	attr.GidMappingsEnableSetgroups = true
	s.ToNobody = users && groups
	return errors.Join(err, err2)
}

// identityMap maps each id of this process's user namespace to itself, and reports whether nobody is among them.
func identityMap(path string) (all []syscall.SysProcIDMap, hasNobody bool, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, false, fmt.Errorf("%w: %w", ErrRefused, err)
	}
	defer func() { _ = f.Close() }() // closing a file after reading loses no data
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		var first, outside, size int
		if _, err := fmt.Sscan(lines.Text(), &first, &outside, &size); err != nil {
			return nil, false, fmt.Errorf("%w: %s: %w", ErrRefused, path, err)
		}
		all = append(all, syscall.SysProcIDMap{ContainerID: first, HostID: first, Size: size})
		hasNobody = hasNobody || first <= nobody && nobody < first+size
	}
	return all, hasNobody, lines.Err()
}

// refusal explains the error of a machine without namespaces.
func refusal(err error) error {
	if errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.EACCES) || errors.Is(err, syscall.ENOSPC) ||
		errors.Is(err, syscall.EUSERS) || errors.Is(err, syscall.EINVAL) {
		return fmt.Errorf("%w: name spaces of users are not permitted (%w)", ErrRefused, err)
	}
	return err
}

func killGroup(pid int) { _ = syscall.Kill(-pid, syscall.SIGKILL) } // the group may already have ended

// Supported reports whether the package can create namespaces on this system. Only a run shows whether they are
// permitted.
const Supported = true
