//go:build amd64 || arm64

package sandbox

import (
	"errors"
	"fmt"
	"runtime"
	"syscall"
	"unsafe"
)

const (
	// newSpaces are the flags of clone that make spaces: CLONE_NEWNS, CGROUP, UTS, IPC, USER, PID, NET.
	newSpaces = 0x00020000 | 0x02000000 | 0x04000000 | 0x08000000 | 0x10000000 | 0x20000000 | 0x40000000

	load       = 0x20 // BPF_LD | BPF_W | BPF_ABS
	and        = 0x54 // BPF_ALU | BPF_AND | BPF_K
	jumpEqual  = 0x15 // BPF_JMP | BPF_JEQ | BPF_K
	jumpAtMin  = 0x35 // BPF_JMP | BPF_JGE | BPF_K
	jumpAlways = 0x05 // BPF_JMP | BPF_JA
	answer     = 0x06 // BPF_RET | BPF_K

	allow  = 0x7fff0000
	kill   = 0x80000000 // the whole process
	errnos = 0x00050000

	// Offsets in what a filter looks at: struct seccomp_data. Both architectures are little-endian.
	atNumber, atArchitecture, atArguments = 0, 4, 16

	// x32 is the lowest number of a call in the form of x32. arm64 has none so high.
	x32 = 0x40000000

	// proof is the number of no call. The filter answers it with proven, a kernel without the filter with ENOSYS.
	proof  = 4000
	proven = syscall.EOWNERDEAD
)

// architectures are the values of AUDIT_ARCH by GOARCH.
var architectures = map[string]uint32{"amd64": 0xc000003e, "arm64": 0xc00000b7}

// restricted are calls that are allowed with some arguments alone.
type restricted struct {
	call
	checks []check
	errno  syscall.Errno // of a call with others
}

// check is what an argument may be: its lower 32 bits, which are all that the kernel takes of these, after a mask.
type check struct {
	argument int
	mask     uint32 // 0: all bits
	values   []uint32
}

var restrictions = []restricted{
	// Families UNIX, INET and INET6; streams and datagrams, of TCP and UDP, without a load of a module of the kernel.
	{call{"socket", 41, 198}, []check{
		{0, 0, []uint32{syscall.AF_UNIX, syscall.AF_INET, syscall.AF_INET6}},
		{1, 0xf, []uint32{syscall.SOCK_STREAM, syscall.SOCK_DGRAM}},
		{2, 0, []uint32{0, syscall.IPPROTO_TCP, syscall.IPPROTO_UDP}},
	}, syscall.EAFNOSUPPORT},
	{call{"socketpair", 53, 199}, []check{{0, 0, []uint32{syscall.AF_UNIX}}}, syscall.EAFNOSUPPORT},
	{call{"setsockopt", 54, 208}, []check{
		{1, 0, []uint32{syscall.SOL_SOCKET, syscall.IPPROTO_TCP, syscall.IPPROTO_IPV6}},
	}, syscall.ENOPROTOOPT},
	{call{"clone", 56, 220}, []check{{0, newSpaces, []uint32{0}}}, syscall.EPERM},
	// TCGETS, TIOCGPGRP, TIOCGWINSZ, FIONREAD, FIONBIO, FIONCLEX, FIOCLEX
	{call{"ioctl", 16, 29}, []check{{1, 0, []uint32{0x5401, 0x540f, 0x5413, 0x541b, 0x5421, 0x5450, 0x5451}}},
		syscall.ENOTTY},
	// PR_SET_PDEATHSIG, GET_PDEATHSIG, GET_DUMPABLE, SET_DUMPABLE, SET_NAME, GET_NAME, SET_NO_NEW_PRIVS, GET_NO_NEW_PRIVS,
	// SET_VMA
	{call{"prctl", 157, 167}, []check{{0, 0, []uint32{1, 2, 3, 4, 15, 16, 38, 39, 0x53564d41}}}, syscall.EPERM},
	{call{"prlimit64", 302, 261}, []check{{0, 0, []uint32{0}}}, syscall.EPERM}, // of the process itself
}

type instruction struct {
	code uint16
	yes  uint8
	no   uint8
	k    uint32
}

// assemble makes the filter: other architectures' calls end the process, what is not allowed is not there.
func assemble() []instruction {
	program := []instruction{
		{load, 0, 0, atArchitecture}, {jumpEqual, 1, 0, architectures[runtime.GOARCH]}, {answer, 0, 0, kill},
		{load, 0, 0, atNumber},
		{jumpAtMin, 0, 1, x32}, {answer, 0, 0, kill},
		{jumpEqual, 0, 1, proof}, {answer, 0, 0, errnos | uint32(proven)},
	}
	for _, c := range allowed {
		if n := c.number(); n != none {
			program = append(program, instruction{jumpEqual, 0, 1, uint32(n)}, instruction{answer, 0, 0, allow})
		}
	}
	for _, r := range restrictions {
		body := r.assemble()
		program = append(program, instruction{jumpEqual, 1, 0, uint32(r.number())},
			instruction{jumpAlways, 0, 0, uint32(len(body))})
		program = append(program, body...)
	}
	// A library that finds a call missing does without it: by clone in the place of clone3, say.
	return append(program, instruction{answer, 0, 0, errnos | uint32(syscall.ENOSYS)})
}

// assemble checks the arguments of a call whose number was the right one, and answers.
func (r restricted) assemble() (body []instruction) {
	for _, c := range r.checks {
		body = append(body, instruction{load, 0, 0, uint32(atArguments + 8*c.argument)})
		if c.mask != 0 {
			body = append(body, instruction{and, 0, 0, c.mask})
		}
		for i, value := range c.values { // a value that fits jumps over the others, and over the refusal
			body = append(body, instruction{jumpEqual, uint8(len(c.values) - i), 0, value})
		}
		body = append(body, instruction{answer, 0, 0, errnos | uint32(r.errno)})
	}
	return append(body, instruction{answer, 0, 0, allow})
}

// filter has the kernel refuse what is not allowed, from now on and in all that is started, and sees that it does.
func filter() error {
	program := assemble()
	list := struct {
		n     uint16
		first *instruction
	}{uint16(len(program)), &program[0]}
	const byFilter = 2
	if err := prctl(prSetSeccomp, byFilter, uintptr(unsafe.Pointer(&list))); err != nil {
		return fmt.Errorf("filter of system calls: %w", err)
	}
	if _, _, errno := syscall.RawSyscall(proof, 0, 0, 0); !errors.Is(errno, proven) {
		return errors.New("the kernel takes a filter of system calls, and does not use it")
	}
	return nil
}

func filterKnown() error { return nil }
