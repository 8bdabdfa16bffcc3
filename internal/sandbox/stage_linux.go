package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"syscall"
	"time"
	"unsafe"
)

// stageName is the first argument of this binary when it is started as a stage.
const stageName = "plumbline-sandbox"

// stage describes the set-up for the second start of this binary: the limits, and the program to become.
type stage struct {
	Path      string
	Args, Env []string
	Folder    string
	Limits    Limits
	Weak      bool       // no namespaces and no filter
	Outside   namespaces // namespaces of the process that started this one
	View      view
	ToNobody  bool
}

// init handles the second start. It is not a function for main, because a main that forgot to call it would run itself
// again for every program.
func init() {
	if len(os.Args) != 2 || os.Args[0] != stageName {
		return
	}
	err := enter(os.Args[1])
	_, _ = os.NewFile(3, "failure").WriteString(err.Error()) // the only channel to the parent
	os.Exit(1)
}

// enter becomes the program, or returns an error. It runs on the first thread, to which init is locked, so that
// privileges are dropped for the program.
func enter(text string) error {
	var s stage
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		return err
	}
	if err := closeOnExec(); err != nil {
		return err
	}
	if !s.Weak {
		if err := s.Outside.requireLeft(); err != nil {
			return err
		}
		// The kernel should kill this process first if memory runs out. Some systems do not allow this setting.
		_ = os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0)
		if err := s.View.createRoot(s.Limits.Scratch); err != nil {
			return err
		}
		if err := dropCapabilities(s.ToNobody); err != nil {
			return err
		}
	}
	if err := os.Chdir(s.Folder); err != nil {
		return err
	}
	if err := dieWithParent(); err != nil {
		return err
	}
	if err := prctl(prSetNoNewPrivs, 1, 0); err != nil {
		return fmt.Errorf("no_new_privs: %w", err)
	}
	if !s.Weak {
		if err := filter(); err != nil {
			return err
		}
	}
	if err := s.Limits.set(!s.Weak); err != nil {
		return err
	}
	return fmt.Errorf("%s: %w", s.Path, syscall.Exec(s.Path, append([]string{s.Path}, s.Args...), s.Env))
}

const (
	prSetPdeathsig  = 1
	prCapBSetDrop   = 24
	prSetNoNewPrivs = 38
	prSetSeccomp    = 22
	lastCapability  = 63
)

func prctl(option, a, b uintptr) error {
	if _, _, errno := syscall.RawSyscall6(syscall.SYS_PRCTL, option, a, b, 0, 0, 0); errno != 0 {
		return errno
	}
	return nil
}

// dieWithParent makes the kernel kill the program when the thread that started it ends. If the thread has already
// ended, the reader of descriptor 3 is gone. (A parent in another namespace has no process id here that could be
// checked.)
func dieWithParent() error {
	if err := prctl(prSetPdeathsig, uintptr(syscall.SIGKILL), 0); err != nil {
		return fmt.Errorf("signal of the parent's death: %w", err)
	}
	const pollErr = 8
	failed := struct {
		fd              int32
		events, revents int16
	}{fd: 3}
	var now syscall.Timespec
	if _, _, errno := syscall.RawSyscall6(syscall.SYS_PPOLL, uintptr(unsafe.Pointer(&failed)), 1,
		uintptr(unsafe.Pointer(&now)), 0, 0, 0); errno != 0 {
		return fmt.Errorf("whether the parent lives: %w", errno)
	}
	if failed.revents&pollErr != 0 {
		return errors.New("the process that started this one has ended")
	}
	return nil
}

// dropCapabilities drops all privileges permanently. They apply only to an empty namespace, but they give access to
// much of the kernel's code.
func dropCapabilities(toNobody bool) error {
	for c := range uintptr(lastCapability + 1) {
		if err := prctl(prCapBSetDrop, c, 0); err != nil && !errors.Is(err, syscall.EINVAL) { // EINVAL: unknown
			return fmt.Errorf("capability %d: %w", c, err)
		}
	}
	if toNobody {
		for _, call := range [][4]uintptr{
			{syscall.SYS_SETGROUPS, 0, 0, 0},
			{syscall.SYS_SETRESGID, nobody, nobody, nobody},
			{syscall.SYS_SETRESUID, nobody, nobody, nobody},
		} {
			if _, _, errno := syscall.RawSyscall(call[0], call[1], call[2], call[3]); errno != 0 {
				return fmt.Errorf("becoming nobody: %w", errno)
			}
		}
	}
	header := struct{ version, pid uint32 }{version: 0x20080522} // version with 64-bit sets
	var none [2]struct{ effective, permitted, inheritable uint32 }
	if _, _, errno := syscall.RawSyscall(syscall.SYS_CAPSET, uintptr(unsafe.Pointer(&header)),
		uintptr(unsafe.Pointer(&none)), 0); errno != 0 {
		return fmt.Errorf("capabilities: %w", errno)
	}
	return nil
}

// Limits that are missing in package syscall.
const (
	rlimitNProc    = 6
	rlimitMemlock  = 8
	rlimitMsgQueue = 12
)

// set sets the limits of the system. own means that processes are counted in their own namespace; otherwise the limit
// includes the account's existing processes.
func (l Limits) set(own bool) error {
	processes := l.Processes
	if processes > 0 && !own {
		processes += countThreads()
	}
	for _, x := range []struct {
		name     string
		resource int
		most     int64
		always   bool
	}{
		{"size of a core file", syscall.RLIMIT_CORE, 0, true},
		{"locked memory", rlimitMemlock, 0, true},
		{"message queues", rlimitMsgQueue, 0, true},
		{"processor time", syscall.RLIMIT_CPU, int64((l.CPU + time.Second - 1) / time.Second), false},
		{"size of a file", syscall.RLIMIT_FSIZE, l.File, false},
		{"open files", syscall.RLIMIT_NOFILE, int64(l.Files), false},
		{"processes", rlimitNProc, int64(processes), false},
		{"address space", syscall.RLIMIT_AS, l.Memory, false}, // last, because this process can then allocate little memory
	} {
		if x.most == 0 && !x.always {
			continue
		}
		var had syscall.Rlimit
		if err := syscall.Getrlimit(x.resource, &had); err != nil {
			return fmt.Errorf("limit of %s: %w", x.name, err)
		}
		most := min(uint64(x.most), had.Max)
		if err := syscall.Setrlimit(x.resource, &syscall.Rlimit{Cur: most, Max: most}); err != nil {
			return fmt.Errorf("limit of %s: %w", x.name, err)
		}
	}
	return nil
}

// countThreads returns the number of threads on this machine.
func countThreads() int {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return math.MaxInt32
	}
	var a, b, c float64
	var now, all int
	if _, err := fmt.Sscanf(string(text), "%f %f %f %d/%d", &a, &b, &c, &now, &all); err != nil {
		return math.MaxInt32
	}
	return all
}
