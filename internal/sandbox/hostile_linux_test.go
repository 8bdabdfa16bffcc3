package sandbox

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestMain also serves as a misbehaving program, according to its first argument.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == hostileProgram {
		hostile[os.Args[2]](os.Args[3:])
		return
	}
	os.Exit(m.Run())
}

const hostileProgram = "a hostile program"

// hostile contains the programs' attempts by name, with their arguments. They print what succeeded.
var hostile = map[string]func(args []string){
	"greets": func([]string) {
		name, err := os.Hostname()
		fmt.Println("hello from process", os.Getpid(), "of", name, err)
	},
	"fails":    func([]string) { fmt.Fprintln(os.Stderr, "no"); os.Exit(3) },
	"sleeps":   func([]string) { time.Sleep(time.Hour) },
	"forks":    forks,
	"escapes":  escapes,
	"memory":   fillMemory,
	"disk":     fillDisk,
	"output":   func([]string) { fillOutput() },
	"connects": connects,
	"signals":  signals,
	"spins":    func([]string) { spin() },
	"writes":   writes,
	"reads":    func(args []string) { readsFiles(args) },
	"privilege": func([]string) {
		privilege()
	},
	"input": func([]string) {
		text, err := io.ReadAll(os.Stdin)
		fmt.Println(len(text), err)
	},
	"deaf": func([]string) { // ignores all signals that can be ignored
		signal.Ignore()
		spin()
	},
	// A machine without namespaces.
	"refused": func([]string) {
		if err := os.WriteFile("/proc/sys/user/max_user_namespaces", []byte("0"), 0); err != nil {
			fmt.Println("cannot be tried:", err)
			return
		}
		_, err := Box{See: []string{executable()}}.Run(background, program("greets"), limits())
		_, weak := Box{Weak: true}.Run(background, program("greets"), limits())
		fmt.Println(errors.Is(err, ErrRefused), err, weak)
	},
	"environment": func([]string) { fmt.Println(strings.Join(os.Environ(), "\n")) },
	// The parent of a program. It prints that it will be killed.
	"parent": func(args []string) {
		fmt.Println("started")
		_, _ = Box{Weak: args[1] == "weak", See: []string{executable()}}.Run(
			background, program("sleeps", args[0]), limits())
	},
}

// executable returns the path of this binary. In a box, which has no /proc, it returns the name under which it was
// started.
func executable() string {
	path, err := os.Executable()
	if err != nil {
		return os.Args[0]
	}
	return path
}

func again(args ...string) *exec.Cmd {
	return exec.Command(executable(), append([]string{hostileProgram}, args...)...)
}

// forks starts up to 100 processes in its group, until it fails.
func forks(args []string) {
	for n := range 100 {
		if err := again("sleeps", args[0]).Start(); err != nil {
			fmt.Println(n)
			return
		}
	}
	fmt.Println(100)
}

// escapes starts a process in a new session, and ends.
func escapes(args []string) {
	cmd := again("sleeps", args[0])
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	fmt.Println(cmd.Start())
}

func fillMemory([]string) {
	var all [][]byte
	for range 10 << 10 {
		block := make([]byte, 1<<20)
		for i := 0; i < len(block); i += 4096 {
			block[i] = 1
		}
		all = append(all, block)
	}
	fmt.Println(len(all), "MiB are mine")
}

// fillDisk prints the size of the largest file that it could write, and of all files.
func fillDisk(args []string) {
	largest, all := 0, 0
	block := make([]byte, 1<<16)
	for file := range 64 {
		f, err := os.Create(filepath.Join(args[0], strconv.Itoa(file)))
		if err != nil {
			break
		}
		size := 0
		for err == nil && size < 1<<24 {
			var n int
			n, err = f.Write(block)
			size += n
		}
		_ = f.Close()
		largest, all = max(largest, size), all+size
		if size == 0 {
			break
		}
	}
	fmt.Println(largest, all)
}

func fillOutput() {
	block := []byte(strings.Repeat("x", 1<<20))
	for range 1 << 10 {
		if _, err := os.Stdout.Write(block); err != nil {
			time.Sleep(time.Hour) // until the process is killed
		}
	}
}

// connects tries addresses NETWORK:ADDRESS, and prints those that answer.
func connects(args []string) {
	for _, arg := range args {
		network, address, _ := strings.Cut(arg, ":")
		if c, err := net.DialTimeout(network, address, 5*time.Second); err == nil {
			fmt.Println("connected to", arg)
			_ = c.Close()
		}
	}
}

// signals kills its parent, the process of the argument, and all processes.
func signals(args []string) {
	pid, _ := strconv.Atoi(args[0])
	signal.Ignore(syscall.SIGTERM)
	for _, who := range []int{pid, os.Getppid(), -1} {
		if who != 0 {
			fmt.Println(who, syscall.Kill(who, syscall.SIGTERM))
		}
	}
}

func spin() {
	for { // deliberately
	}
}

// writes tries to create a file in folders, and prints those in which it succeeds.
func writes(args []string) {
	for _, dir := range args {
		path := filepath.Join(dir, "written")
		if os.WriteFile(path, nil, 0o600) == nil {
			fmt.Println("wrote", path)
		}
	}
}

func readsFiles(args []string) {
	for _, path := range args {
		if _, err := os.Lstat(path); err == nil {
			fmt.Println("sees", path)
		}
	}
}

// privilege tries actions that need or give privileges, and prints those that were not refused.
func privilege() {
	for name, call := range map[string][3]uintptr{
		"unshare":       {syscall.SYS_UNSHARE, syscall.CLONE_NEWUSER},
		"unshare mount": {syscall.SYS_UNSHARE, syscall.CLONE_NEWNS},
		"clone":         {syscall.SYS_CLONE, syscall.CLONE_NEWUSER | uintptr(syscall.SIGCHLD)},
		"clone3":        {435, 0, 0},
		"shmget":        {syscall.SYS_SHMGET, 0, 4096},
		"io_uring":      {425, 1, 0},
		"setuid":        {syscall.SYS_SETUID, 1},
		"root":          {syscall.SYS_SETRESUID, 1, 1},
	} {
		_, _, errno := syscall.RawSyscall(call[0], call[1], call[2], 0)
		if errno != syscall.EPERM && errno != syscall.ENOSYS && errno != syscall.EINVAL {
			fmt.Println(name, errno)
		}
	}
	if err := syscall.Mount("x", "/tmp", "tmpfs", 0, ""); err == nil {
		fmt.Println("mounted")
	}
}
