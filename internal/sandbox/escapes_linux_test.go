//go:build amd64 || arm64

package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"unsafe"
)

func init() {
	hostile["calls"] = func([]string) { tryCalls() }
	hostile["families"] = func([]string) { tryFamilies() }
	hostile["arguments"] = func([]string) { tryArguments() }
	hostile["another ABI"] = anotherABI
	hostile["descriptors"] = func([]string) { listDescriptors() }
	hostile["in a machine that refuses"] = inMachine
	hostile["reaches"] = reaches
}

// tryCalls makes each system call that is not allowed, and prints the calls that the filter passes.
func tryCalls() {
	known := map[int]bool{}
	for _, c := range allowed {
		known[c.number()] = true
	}
	for _, r := range restrictions {
		known[r.number()] = true
	}
	for number := range 1024 {
		uprobes := runtime.GOARCH == "amd64" && (number == 335 || number == 336)
		if known[number] || uprobes { // they end the caller before the filter
			continue
		}
		_, _, errno := syscall.RawSyscall6(uintptr(number), 0, 0, 0, 0, 0, 0)
		if !errors.Is(errno, syscall.ENOSYS) {
			fmt.Println("call", number, errno)
		}
	}
}

// tryFamilies opens sockets of all families, types and some protocols, and prints those that succeed.
func tryFamilies() {
	for family := range 64 {
		for kind := range 16 {
			for _, protocol := range []int{0, 1, syscall.IPPROTO_TCP, syscall.IPPROTO_UDP, 132, 255, 262} {
				fd, err := syscall.Socket(family, kind, protocol)
				if err == nil {
					fmt.Println("socket", family, kind, protocol)
					_ = syscall.Close(fd)
				}
			}
			if pair, err := syscall.Socketpair(family, kind, 0); err == nil {
				fmt.Println("pair", family, kind)
				_, _ = syscall.Close(pair[0]), syscall.Close(pair[1])
			}
		}
	}
	// A number whose lower half is an allowed family, and one whose lower half is not.
	_, _, errno := syscall.RawSyscall(syscall.SYS_SOCKET, 1<<32|40, 1, 0)
	if errno == 0 {
		fmt.Println("socket of 64 bits")
	}
}

// tryArguments makes allowed calls with forbidden arguments.
func tryArguments() {
	spaces := []uintptr{0x80, 0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000}
	for _, flag := range spaces[1:] {
		if pid, _, errno := syscall.RawSyscall(syscall.SYS_CLONE, flag|uintptr(syscall.SIGCHLD), 0, 0); errno == 0 {
			if pid == 0 {
				syscall.RawSyscall(syscall.SYS_EXIT, 0, 0, 0)
			}
			fmt.Printf("clone %#x\n", flag)
		}
	}
	for name, request := range map[string]uintptr{
		"TIOCSTI": 0x5412, "TIOCLINUX": 0x541c, "FS_IOC_SETFLAGS": 0x40086602, "NS_GET_PARENT": 0xb702, "FICLONE": 0x40049409,
	} {
		if _, _, errno := syscall.RawSyscall(syscall.SYS_IOCTL, 0, request, 0); errno != syscall.ENOTTY {
			fmt.Println("ioctl", name, errno)
		}
	}
	for option := range uintptr(80) {
		if slices.Contains([]uintptr{1, 2, 3, 4, 15, 16, 38, 39}, option) {
			continue
		}
		if _, _, errno := syscall.RawSyscall(syscall.SYS_PRCTL, option, 1, 0); errno != syscall.EPERM {
			fmt.Println("prctl", option, errno)
		}
	}
	if _, _, errno := syscall.RawSyscall6(sysPrlimit(), 1, 0, 0, 0, 0, 0); errno != syscall.EPERM {
		fmt.Println("prlimit of process 1", errno)
	}
	if _, _, errno := syscall.RawSyscall6(syscall.SYS_SETSOCKOPT, 0, syscall.IPPROTO_IP, 64, 0, 0, 0); errno == 0 {
		fmt.Println("setsockopt of netfilter")
	}
}

func sysPrlimit() uintptr {
	for _, r := range restrictions {
		if r.name == "prlimit64" {
			return uintptr(r.number())
		}
	}
	return 0
}

// anotherABI requests its own process id by a call of x32 or i386, and continues if that succeeds.
func anotherABI(args []string) {
	switch args[0] {
	case "x32":
		pid, _, errno := syscall.RawSyscall(x32+syscall.SYS_GETPID, 0, 0, 0)
		fmt.Println("x32", pid, errno)
	case "i386":
		code := []byte{0xb8, 20, 0, 0, 0, 0xcd, 0x80, 0xc3} // mov eax, getpid; int 0x80; ret
		page, err := syscall.Mmap(-1, 0, 4096, syscall.PROT_READ|syscall.PROT_WRITE|syscall.PROT_EXEC,
			syscall.MAP_ANON|syscall.MAP_PRIVATE)
		if err != nil {
			fmt.Println("no page:", err)
			return
		}
		copy(page, code)
		start := unsafe.Pointer(&page[0])
		pointer := unsafe.Pointer(&start)
		(*(*func())(unsafe.Pointer(&pointer)))()
		fmt.Println("i386 went on")
	}
}

// listDescriptors prints the descriptors other than the standard ones that were open when this process began. Its own
// descriptors close on exec.
func listDescriptors() {
	for fd := 3; fd < 4096; fd++ {
		flags, _, errno := syscall.RawSyscall(syscall.SYS_FCNTL, uintptr(fd), syscall.F_GETFD, 0)
		if errno == 0 && flags&syscall.FD_CLOEXEC == 0 {
			fmt.Println("descriptor", fd)
		}
	}
}

// reaches tries paths out of the root, and prints those that lead to a file.
func reaches(args []string) {
	secret := args[0]
	up := strings.Repeat("../", 40)
	for _, path := range []string{
		secret, up + secret, "/tmp/" + up + secret, "/proc/self/root" + secret, "/proc/1/root" + secret, "/old" + secret,
		"/proc/self/cwd/" + up + secret, "/dev/fd/9/" + filepath.Base(secret), "/dev/shm/" + up + secret,
		"/usr/" + up + secret, "/sys/kernel", "/dev/mem", "/dev/kmsg", "/dev/tty", "/run/systemd", "/var/run/docker.sock",
	} {
		if f, err := os.Open(path); err == nil {
			fmt.Println("opened", path)
			_ = f.Close()
		}
	}
	link := "/tmp/link"
	if err := os.Symlink(up+secret, link); err != nil {
		fmt.Println("no link:", err)
	}
	if _, err := os.ReadFile(link); err == nil {
		fmt.Println("followed a link out")
	}
	if err := os.Link("/usr/bin/env", "/tmp/hard"); err == nil {
		fmt.Println("made a hard link to a file outside")
	}
	for _, err := range []error{
		syscall.Chroot("/tmp"), syscall.Mount("/usr", "/tmp", "", syscall.MS_BIND, ""), syscall.Unmount("/usr", 2),
		syscall.PivotRoot("/tmp", "/tmp"), syscall.Mknod("/tmp/disk", syscall.S_IFBLK|0o600, 0x800),
	} {
		if err == nil {
			fmt.Println("changed what is mounted")
		}
	}
}

// inMachine runs a program that lists its descriptors on a thread whose filter answers one call with an error, like an
// older or smaller kernel.
func inMachine(args []string) {
	runtime.LockOSThread()
	var number, first uint32
	var errno syscall.Errno
	switch args[0] {
	case "no filter":
		number, first, errno = syscall.SYS_PRCTL, prSetSeccomp, syscall.EINVAL
	case "filter without effect":
		number, first, errno = syscall.SYS_PRCTL, prSetSeccomp, 0
	case "no close_range":
		number, first, errno = 436, 3, syscall.ENOSYS
	case "no name spaces":
		number, first, errno = syscall.SYS_CLONE, 0, syscall.EPERM
	}
	program := []bpfInstruction{
		{load, 0, 0, atNumber}, {jumpEqual, 0, 4, number},
		{load, 0, 0, atArguments}, {jumpEqual, 1, 0, first}, {jumpAnyBit, 0, 1, newSpaces},
		{answer, 0, 0, errnos | uint32(errno)}, {answer, 0, 0, allow},
	}
	list := struct {
		n     uint16
		first *bpfInstruction
	}{uint16(len(program)), &program[0]}
	err := errors.Join(prctl(prSetNoNewPrivs, 1, 0), prctl(prSetSeccomp, 2, uintptr(unsafe.Pointer(&list))))
	if err != nil {
		fmt.Println("cannot be tried:", err)
		return
	}
	inherit(&testing.T{}, "/")
	for _, weak := range []bool{false, true} {
		o, err := Box{Weak: weak, See: []string{executable()}}.Run(background, ownProgram("descriptors"), limits())
		fmt.Printf("weak %v: %d %q %v\n", weak, o.Code, o.Output, err)
	}
}

const jumpAnyBit = 0x45 // BPF_JMP | BPF_JSET | BPF_K

func ownProgram(args ...string) Command { return program(args[0], args[1:]...) }

// inherit opens a folder under descriptors that Go does not know and that all started programs inherit.
func inherit(t *testing.T, folder string) (all []int) {
	for _, number := range []int{9, 77, 1500} {
		fd, err := syscall.Open(folder, syscall.O_RDONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		if err := syscall.Dup3(fd, number, 0); err != nil {
			number = fd // the limit is lower
			if _, _, errno := syscall.RawSyscall(syscall.SYS_FCNTL, uintptr(fd), syscall.F_SETFD, 0); errno != 0 {
				t.Fatal(errno)
			}
		} else {
			_ = syscall.Close(fd)
		}
		all = append(all, number)
	}
	return all
}

// nothing runs a program in a box. It must print nothing and succeed.
func nothing(t *testing.T, b Box, c Command) {
	t.Helper()
	if o := run(t, b, c, limits()); len(o.Output) != 0 || o.Code != 0 {
		t.Errorf("%s, %q, code %d, want nothing", o.Output, o.Errors, o.Code)
	}
}

func TestInheritedDescriptors(t *testing.T) {
	both(t, func(t *testing.T, b Box) {
		for _, fd := range inherit(t, t.TempDir()) {
			defer func() { _ = syscall.Close(fd) }()
		}
		nothing(t, b, program("descriptors"))
	})
}

// TestDescriptorsOneByOne covers kernels that cannot mark all descriptors at once.
func TestDescriptorsOneByOne(t *testing.T) {
	all := inherit(t, t.TempDir())
	if err := closeEachOnExec(); err != nil {
		t.Fatal(err)
	}
	for _, fd := range all {
		flags, _, errno := syscall.RawSyscall(syscall.SYS_FCNTL, uintptr(fd), syscall.F_GETFD, 0)
		if errno != 0 || flags&syscall.FD_CLOEXEC == 0 {
			t.Errorf("descriptor %d: flags %d, %v", fd, flags, errno)
		}
		_ = syscall.Close(fd)
	}
}

func TestCallsThatAreNotAllowed(t *testing.T) { nothing(t, box(t, false), program("calls")) }

func TestArgumentsThatAreNotAllowed(t *testing.T) { nothing(t, box(t, false), program("arguments")) }

func TestSocketFamilies(t *testing.T) {
	o := run(t, box(t, false), program("families"), limits())
	for line := range strings.Lines(string(o.Output)) {
		var kind string
		var family, form int
		if _, err := fmt.Sscan(line, &kind, &family, &form); err != nil || form > 2 && kind != "pair" ||
			!slices.Contains([]int{syscall.AF_UNIX, syscall.AF_INET, syscall.AF_INET6}, family) {
			t.Errorf("a program got %s", line)
		}
	}
	if o.Code != 0 || !strings.Contains(string(o.Output), "pair 1 1\n") {
		t.Errorf("%q, code %d: want pairs of its own", o.Output, o.Code)
	}
}

func TestOtherABIs(t *testing.T) {
	b := box(t, false)
	for _, abi := range []string{"x32", "i386"} {
		if abi == "i386" && runtime.GOARCH != "amd64" {
			continue
		}
		if o := run(t, b, program("another ABI", abi), limits()); o.Code != -1 || len(o.Output) != 0 {
			t.Errorf("%s: %q, %.300q, code %d, want an end by a signal", abi, o.Output, o.Errors, o.Code)
		}
	}
}

func TestWaysOutByPaths(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("1"), 0o644); err != nil {
		t.Fatal(err)
	}
	nothing(t, box(t, false), program("reaches", secret))
}

// TestMachinesThatLackAWall checks that a box is refused, and never run with a missing protection.
func TestMachinesThatLackAWall(t *testing.T) {
	box(t, false)
	const ran, refused = "0 \"\" <nil>\n", "0 \"\" no sandbox can be made here: "
	for machine, want := range map[string]string{
		"no filter":             refused + "filter of system calls",
		"filter without effect": refused + "the kernel takes a filter of system calls, and does not use it",
		"no name spaces":        refused + "name spaces of users",
		"no close_range":        ran,
	} {
		out, err := again("in a machine that refuses", machine).CombinedOutput()
		whole, weak, _ := strings.Cut(strings.TrimPrefix(string(out), "weak false: "), "weak true: ")
		if err != nil || !strings.HasPrefix(whole, want) || weak != ran {
			t.Errorf("%s: %q, %v, want %q, and %q of the weak box", machine, out, err, want, ran)
		}
	}
}

// TestSpacesThatAreNotGiven covers kernels that accept the request for namespaces without creating them.
func TestSpacesThatAreNotGiven(t *testing.T) {
	own, err := readNamespaces()
	if err != nil {
		t.Fatal(err)
	}
	others := func(but string) namespaces {
		all := namespaces{}
		for _, kind := range ownKinds {
			all[kind] = kind + ":[1]"
		}
		if but != "" {
			all[but] = own[but]
		}
		return all
	}
	for _, kind := range ownKinds {
		if err := others(kind).requireLeft(); err == nil || !strings.HasSuffix(err.Error(), "kind "+kind) {
			t.Errorf("%s is shared: %v", kind, err)
		}
	}
	if err := (namespaces{}).requireLeft(); err == nil {
		t.Error("spaces that are not known: no error")
	}
	if err := others("").requireLeft(); err == nil || !strings.Contains(err.Error(), "not the first one") {
		t.Errorf("%v, want an error: this is not process 1", err)
	}
}

// TestTable checks that each call has one number, and that forbidden calls are not in the table.
func TestTable(t *testing.T) {
	for _, arch := range []string{"amd64", "arm64"} {
		seen := map[int]string{proof: "the filter's own"}
		for _, c := range slices.Concat(allowed, restrictedCalls()) {
			n := c.amd64
			if arch == "arm64" {
				n = c.arm64
			}
			if n == noCall {
				continue
			}
			if seen[n] != "" {
				t.Errorf("%s: %s and %s both are %d", arch, c.name, seen[n], n)
			}
			seen[n] = c.name
		}
		for name, out := range map[string][2]int{
			"ptrace": {101, 117}, "process_vm_readv": {310, 270}, "process_vm_writev": {311, 271}, "kcmp": {312, 272},
			"pidfd_open": {434, 434}, "pidfd_getfd": {438, 438}, "pidfd_send_signal": {424, 424}, "clone3": {435, 435},
			"io_uring_setup": {425, 425}, "keyctl": {250, 219}, "bpf": {321, 280}, "unshare": {272, 97}, "setns": {308, 268},
			"mount": {165, 40}, "chroot": {161, 51}, "open_tree": {428, 428}, "open_tree_attr": {467, 467},
			"fanotify_init": {300, 262}, "memfd_create": {319, 279}, "userfaultfd": {323, 282}, "perf_event_open": {298, 241},
			"open_by_handle_at": {304, 265}, "personality": {135, 92}, "process_madvise": {440, 440}, "execveat": {322, 281},
			"landlock_create_ruleset": {444, 444}, "seccomp": {317, 277}, "setuid": {105, 146}, "mknodat": {259, 33},
			"splice": {275, 76}, "vmsplice": {278, 75}, "shmget": {29, 194}, "init_module": {175, 105}, "reboot": {169, 142},
		} {
			n := out[0]
			if arch == "arm64" {
				n = out[1]
			}
			if seen[n] != "" {
				t.Errorf("%s: %s (%d) is allowed as %s", arch, name, n, seen[n])
			}
		}
	}
}

func restrictedCalls() (all []systemCall) {
	for _, r := range restrictions {
		all = append(all, r.systemCall)
	}
	return all
}
