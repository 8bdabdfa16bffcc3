//go:build amd64 || arm64

package sandbox

import "runtime"

// noCall is the number of a system call that an architecture does not have.
const noCall = -1

// systemCall is a system call with its numbers in the kernel's tables, asm/unistd_64.h and asm-generic/unistd.h.
type systemCall struct {
	name         string
	amd64, arm64 int
}

// number returns the call's number on this architecture, or noCall.
func (c systemCall) number() int {
	if runtime.GOARCH == "arm64" {
		return c.arm64
	}
	return c.amd64
}

// allowed are the calls that a program may make with any arguments. Interpreters and their libraries need them for
// files, memory, processes and threads, signals, time, and waiting. All other calls, including those of future kernels,
// seem to be missing.
var allowed = []systemCall{
	// files
	{"read", 0, 63}, {"write", 1, 64}, {"readv", 19, 65}, {"writev", 20, 66}, {"pread64", 17, 67},
	{"pwrite64", 18, 68}, {"preadv", 295, 69}, {"pwritev", 296, 70}, {"preadv2", 327, 286}, {"pwritev2", 328, 287},
	{"open", 2, noCall}, {"openat", 257, 56}, {"openat2", 437, 437}, {"creat", 85, noCall}, {"close", 3, 57},
	{"close_range", 436, 436}, {"dup", 32, 23}, {"dup2", 33, noCall}, {"dup3", 292, 24}, {"lseek", 8, 62},
	{"stat", 4, noCall}, {"fstat", 5, 80}, {"lstat", 6, noCall}, {"newfstatat", 262, 79}, {"statx", 332, 291},
	{"statfs", 137, 43}, {"fstatfs", 138, 44}, {"access", 21, noCall}, {"faccessat", 269, 48},
	{"faccessat2", 439, 439}, {"readlink", 89, noCall}, {"readlinkat", 267, 78}, {"getdents", 78, noCall},
	{"getdents64", 217, 61}, {"getcwd", 79, 17}, {"chdir", 80, 49}, {"fchdir", 81, 50}, {"mkdir", 83, noCall},
	{"mkdirat", 258, 34}, {"rmdir", 84, noCall}, {"unlink", 87, noCall}, {"unlinkat", 263, 35}, {"rename", 82, noCall},
	{"renameat", 264, 38}, {"renameat2", 316, 276}, {"link", 86, noCall}, {"linkat", 265, 37}, {"symlink", 88, noCall},
	{"symlinkat", 266, 36}, {"chmod", 90, noCall}, {"fchmod", 91, 52}, {"fchmodat", 268, 53}, {"fchmodat2", 452, 452},
	{"chown", 92, noCall}, {"lchown", 94, noCall}, {"fchown", 93, 55}, {"fchownat", 260, 54}, {"umask", 95, 166},
	{"truncate", 76, 45}, {"ftruncate", 77, 46}, {"fallocate", 285, 47}, {"fsync", 74, 82}, {"fdatasync", 75, 83},
	{"utime", 132, noCall}, {"utimes", 235, noCall}, {"utimensat", 280, 88}, {"futimesat", 261, noCall}, {"flock", 73, 32},
	{"fcntl", 72, 25}, {"sendfile", 40, 71}, {"copy_file_range", 326, 285}, {"fadvise64", 221, 223},
	{"readahead", 187, 213}, {"getxattr", 191, 8}, {"lgetxattr", 192, 9}, {"fgetxattr", 193, 10},
	{"listxattr", 194, 11}, {"llistxattr", 195, 12}, {"flistxattr", 196, 13},
	// memory
	{"brk", 12, 214}, {"mmap", 9, 222}, {"munmap", 11, 215}, {"mprotect", 10, 226}, {"mremap", 25, 216},
	{"madvise", 28, 233}, {"msync", 26, 227}, {"mincore", 27, 232}, {"mlock", 149, 228}, {"munlock", 150, 229},
	{"mlock2", 325, 284}, {"membarrier", 324, 283}, {"mseal", 462, 462},
	// processes and threads
	{"fork", 57, noCall}, {"vfork", 58, noCall}, {"execve", 59, 221}, {"exit", 60, 93}, {"exit_group", 231, 94},
	{"wait4", 61, 260}, {"waitid", 247, 95}, {"set_tid_address", 218, 96}, {"set_robust_list", 273, 99},
	{"rseq", 334, 293}, {"futex", 202, 98}, {"futex_waitv", 449, 449}, {"futex_wait", 455, 455},
	{"futex_wake", 454, 454}, {"futex_requeue", 456, 456}, {"gettid", 186, 178}, {"getpid", 39, 172},
	{"getppid", 110, 173}, {"getpgid", 121, 155}, {"getpgrp", 111, noCall}, {"setpgid", 109, 154},
	{"getsid", 124, 156}, {"setsid", 112, 157}, {"getuid", 102, 174}, {"geteuid", 107, 175}, {"getgid", 104, 176},
	{"getegid", 108, 177}, {"getresuid", 118, 148}, {"getresgid", 120, 150}, {"getgroups", 115, 158},
	{"sched_yield", 24, 124}, {"sched_getaffinity", 204, 123}, {"sched_getparam", 143, 121},
	{"sched_getscheduler", 145, 120}, {"sched_get_priority_max", 146, 125}, {"sched_get_priority_min", 147, 126},
	{"getpriority", 140, 141}, {"getrlimit", 97, 163}, {"setrlimit", 160, 164}, {"getrusage", 98, 165},
	{"sysinfo", 99, 179}, {"uname", 63, 160}, {"getcpu", 309, 168}, {"getrandom", 318, 278},
	{"arch_prctl", 158, noCall},
	// signals and time
	{"kill", 62, 129}, {"tkill", 200, 130}, {"tgkill", 234, 131}, {"rt_sigaction", 13, 134},
	{"rt_sigprocmask", 14, 135}, {"rt_sigreturn", 15, 139}, {"rt_sigpending", 127, 136}, {"rt_sigsuspend", 130, 133},
	{"rt_sigtimedwait", 128, 137}, {"sigaltstack", 131, 132}, {"signalfd", 282, noCall}, {"signalfd4", 289, 74},
	{"pause", 34, noCall}, {"alarm", 37, noCall}, {"restart_syscall", 219, 128}, {"setitimer", 38, 103},
	{"getitimer", 36, 102}, {"nanosleep", 35, 101}, {"clock_nanosleep", 230, 115}, {"clock_gettime", 228, 113},
	{"clock_getres", 229, 114}, {"gettimeofday", 96, 169}, {"time", 201, noCall}, {"times", 100, 153},
	{"timer_create", 222, 107}, {"timer_settime", 223, 110}, {"timer_gettime", 224, 108},
	{"timer_getoverrun", 225, 109}, {"timer_delete", 226, 111}, {"timerfd_create", 283, 85},
	{"timerfd_settime", 286, 86}, {"timerfd_gettime", 287, 87},
	// waiting, pipes and sockets
	{"epoll_create", 213, noCall}, {"epoll_create1", 291, 20}, {"epoll_ctl", 233, 21}, {"epoll_wait", 232, noCall},
	{"epoll_pwait", 281, 22}, {"epoll_pwait2", 441, 441}, {"poll", 7, noCall}, {"ppoll", 271, 73},
	{"select", 23, noCall}, {"pselect6", 270, 72}, {"eventfd", 284, noCall}, {"eventfd2", 290, 19}, {"pipe", 22, noCall},
	{"pipe2", 293, 59}, {"bind", 49, 200}, {"listen", 50, 201}, {"accept", 43, 202}, {"accept4", 288, 242},
	{"connect", 42, 203}, {"getsockname", 51, 204}, {"getpeername", 52, 205}, {"getsockopt", 55, 209},
	{"sendto", 44, 206}, {"recvfrom", 45, 207}, {"sendmsg", 46, 211}, {"recvmsg", 47, 212}, {"sendmmsg", 307, 269},
	{"recvmmsg", 299, 243}, {"shutdown", 48, 210},
}
