//go:build amd64 || arm64

package sandbox

import (
	"fmt"
	"syscall"
	"unsafe"
)

// refused are system calls that a program has no use for, and that would lead around the limits, or to much of the
// kernel: spaces of its own (where it would have privileges again), other processes' memory, memory that is no address
// space, and the newest doors. Numbers from 424 on are the same everywhere.
var refused = []uint32{
	syscall.SYS_UNSHARE, sysSetns, syscall.SYS_MOUNT, syscall.SYS_UMOUNT2, syscall.SYS_PIVOT_ROOT, syscall.SYS_CHROOT,
	428, 429, 430, 431, 432, 433, sysMountSetattr, // open_tree, move_mount, fsopen, fsconfig, fsmount, fspick
	syscall.SYS_PTRACE, sysProcessVMReadv, sysProcessVMWritev, sysBPF, syscall.SYS_PERF_EVENT_OPEN, sysUserfaultfd,
	425, 426, 427, // io_uring
	syscall.SYS_KEYCTL, syscall.SYS_ADD_KEY, syscall.SYS_REQUEST_KEY,
	syscall.SYS_SHMGET, syscall.SYS_MSGGET, syscall.SYS_SEMGET, sysMemfdCreate, 447, // memfd_secret
}

const (
	sysClone3 = 435
	// newSpaces are the flags of clone that make spaces: CLONE_NEWNS, CGROUP, UTS, IPC, USER, PID, NET.
	newSpaces = 0x00020000 | 0x02000000 | 0x04000000 | 0x08000000 | 0x10000000 | 0x20000000 | 0x40000000

	load       = 0x20 // BPF_LD | BPF_W | BPF_ABS
	jumpEqual  = 0x15 // BPF_JMP | BPF_JEQ | BPF_K
	jumpAtMin  = 0x35 // BPF_JMP | BPF_JGE | BPF_K
	jumpAnyBit = 0x45 // BPF_JMP | BPF_JSET | BPF_K
	answer     = 0x06 // BPF_RET | BPF_K

	allow  = 0x7fff0000
	kill   = 0x80000000
	errnos = 0x00050000

	// Offsets in what a filter looks at: struct seccomp_data. Both architectures are little-endian.
	atNumber, atArchitecture, atFirstArgument = 0, 4, 16
)

type instruction struct {
	code uint16
	yes  uint8
	no   uint8
	k    uint32
}

// filter has the kernel refuse what refused lists, from now on and in all that is started.
func filter() error {
	program := []instruction{
		{load, 0, 0, atArchitecture}, {jumpEqual, 1, 0, architecture}, {answer, 0, 0, kill},
		{load, 0, 0, atNumber},
		{jumpAtMin, 0, 1, 0x40000000}, {answer, 0, 0, errnos | uint32(syscall.ENOSYS)}, // the x32 form of calls
		{jumpEqual, 0, 1, sysClone3}, {answer, 0, 0, errnos | uint32(syscall.ENOSYS)}, // libraries use clone then
	}
	for _, number := range refused {
		program = append(program, instruction{jumpEqual, 0, 1, number},
			instruction{answer, 0, 0, errnos | uint32(syscall.EPERM)})
	}
	program = append(program, instruction{jumpEqual, 0, 3, syscall.SYS_CLONE},
		instruction{load, 0, 0, atFirstArgument}, instruction{jumpAnyBit, 0, 1, newSpaces},
		instruction{answer, 0, 0, errnos | uint32(syscall.EPERM)},
		instruction{answer, 0, 0, allow})
	list := struct {
		n     uint16
		first *instruction
	}{uint16(len(program)), &program[0]}
	const byFilter = 2
	if err := prctl(prSetSeccomp, byFilter, uintptr(unsafe.Pointer(&list))); err != nil {
		return fmt.Errorf("filter of system calls: %w", err)
	}
	return nil
}

func filterKnown() error { return nil }
