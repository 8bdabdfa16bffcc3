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
	// newSpaces are the flags of clone that create namespaces: CLONE_NEWNS, CGROUP, UTS, IPC, USER, PID, NET.
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

	// Offsets in the filter's input, struct seccomp_data. Both architectures are little-endian.
	atNumber, atArchitecture, atArguments = 0, 4, 16

	// x32 is the lowest call number in the x32 ABI. The numbers of arm64 are lower.
	x32 = 0x40000000

	// proof is an unused call number. The filter answers it with proven; a kernel without the filter answers ENOSYS.
	proof  = 4000
	proven = syscall.EOWNERDEAD
)

// architectures maps GOARCH to the values of AUDIT_ARCH.
var architectures = map[string]uint32{"amd64": 0xc000003e, "arm64": 0xc00000b7}

// restrictedCall is a call that is allowed only with certain arguments.
type restrictedCall struct {
	systemCall
	checks []argumentCheck
	errno  syscall.Errno // error of a call with other arguments
}

// argumentCheck states the allowed values of an argument. It compares the lower 32 bits, which are the only ones that
// the kernel reads from these arguments.
type argumentCheck struct {
	argument int
	mask     uint32 // bits that are compared; 0: all
	values   []uint32
}

var restrictions = []restrictedCall{
	// Address families UNIX, INET and INET6, streams and datagrams, TCP and UDP. These load no kernel module.
	{systemCall{"socket", 41, 198}, []argumentCheck{
		{0, 0, []uint32{syscall.AF_UNIX, syscall.AF_INET, syscall.AF_INET6}},
		{1, 0xf, []uint32{syscall.SOCK_STREAM, syscall.SOCK_DGRAM}},
		{2, 0, []uint32{0, syscall.IPPROTO_TCP, syscall.IPPROTO_UDP}},
	}, syscall.EAFNOSUPPORT},
	{systemCall{"socketpair", 53, 199}, []argumentCheck{{0, 0, []uint32{syscall.AF_UNIX}}}, syscall.EAFNOSUPPORT},
	{systemCall{"setsockopt", 54, 208}, []argumentCheck{
		{1, 0, []uint32{syscall.SOL_SOCKET, syscall.IPPROTO_TCP, syscall.IPPROTO_IPV6}},
	}, syscall.ENOPROTOOPT},
	{systemCall{"clone", 56, 220}, []argumentCheck{{0, newSpaces, []uint32{0}}}, syscall.EPERM},
	// TCGETS, TIOCGPGRP, TIOCGWINSZ, FIONREAD, FIONBIO, FIONCLEX, FIOCLEX
	{systemCall{"ioctl", 16, 29}, []argumentCheck{{1, 0, []uint32{0x5401, 0x540f, 0x5413, 0x541b, 0x5421, 0x5450,
		0x5451}}},
		syscall.ENOTTY},
	// PR_SET_PDEATHSIG, GET_PDEATHSIG, GET_DUMPABLE, SET_DUMPABLE, SET_NAME, GET_NAME, SET_NO_NEW_PRIVS,
	// GET_NO_NEW_PRIVS, SET_VMA
	{systemCall{"prctl", 157, 167}, []argumentCheck{{0, 0, []uint32{1, 2, 3, 4, 15, 16, 38, 39, 0x53564d41}}},
		syscall.EPERM},
	// only for the process itself
	{systemCall{"prlimit64", 302, 261}, []argumentCheck{{0, 0, []uint32{0}}}, syscall.EPERM},
}

type bpfInstruction struct {
	code uint16
	yes  uint8
	no   uint8
	k    uint32
}

// assemble returns the filter. Calls of other architectures end the process; calls that are not allowed return ENOSYS.
func assemble() []bpfInstruction {
	program := []bpfInstruction{
		{load, 0, 0, atArchitecture}, {jumpEqual, 1, 0, architectures[runtime.GOARCH]}, {answer, 0, 0, kill},
		{load, 0, 0, atNumber},
		{jumpAtMin, 0, 1, x32}, {answer, 0, 0, kill},
		{jumpEqual, 0, 1, proof}, {answer, 0, 0, errnos | uint32(proven)},
	}
	for _, c := range allowed {
		if n := c.number(); n != noCall {
			program = append(program, bpfInstruction{jumpEqual, 0, 1, uint32(n)}, bpfInstruction{answer, 0, 0, allow})
		}
	}
	for _, r := range restrictions {
		body := r.assemble()
		program = append(program, bpfInstruction{jumpEqual, 1, 0, uint32(r.number())},
			bpfInstruction{jumpAlways, 0, 0, uint32(len(body))})
		program = append(program, body...)
	}
	// A library that gets ENOSYS uses another call, for example clone instead of clone3.
	return append(program, bpfInstruction{answer, 0, 0, errnos | uint32(syscall.ENOSYS)})
}

// assemble returns instructions that check the arguments of the call and return the answer.
func (r restrictedCall) assemble() (body []bpfInstruction) {
	for _, c := range r.checks {
		body = append(body, bpfInstruction{load, 0, 0, uint32(atArguments + 8*c.argument)})
		if c.mask != 0 {
			body = append(body, bpfInstruction{and, 0, 0, c.mask})
		}
		for i, value := range c.values { // an allowed value jumps over the remaining values and the refusal
			body = append(body, bpfInstruction{jumpEqual, uint8(len(c.values) - i), 0, value})
		}
		body = append(body, bpfInstruction{answer, 0, 0, errnos | uint32(r.errno)})
	}
	return append(body, bpfInstruction{answer, 0, 0, allow})
}

// filter installs the filter for this process and all processes that it starts, and verifies that it is active.
func filter() error {
	program := assemble()
	list := struct {
		n     uint16
		first *bpfInstruction
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
