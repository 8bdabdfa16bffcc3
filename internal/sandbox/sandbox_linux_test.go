package sandbox

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
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

var background = context.Background()

// limits returns small limits, with a minute of wall time and no limit of processor time.
func limits() Limits {
	l := Limits{
		Wall: time.Minute, CPU: 50 * time.Second, Memory: 4 << 30, File: 1 << 20, Scratch: 4 << 20, Output: 1 << 20,
		Processes: 64, Files: 64,
	}
	if underRace {
		l.Memory = 0
	}
	return l
}

func program(name string, args ...string) Command {
	return Command{Path: executable(), Args: append([]string{hostileProgram, name}, args...), Env: []string{"OWN=1"}}
}

// box skips the test if the machine refuses a box.
func box(t *testing.T, weak bool) Box {
	t.Helper()
	b := Box{Weak: weak, See: []string{executable()}}
	o, err := b.Run(background, program("greets"), limits())
	if errors.Is(err, ErrRefused) {
		t.Skip(err)
	}
	if want := "hello from process 1 of sandbox <nil>\n"; err != nil || o.Code != 0 || !weak && string(o.Output) != want {
		t.Fatalf("%q, %q, code %d, %v, want %q", o.Output, o.Errors, o.Code, err, want)
	}
	return b
}

func run(t *testing.T, b Box, c Command, l Limits) Outcome {
	t.Helper()
	o, err := b.Run(background, c, l)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// both runs a test in a whole box and in a weak one.
func both(t *testing.T, test func(t *testing.T, b Box)) {
	t.Run("whole", func(t *testing.T) { test(t, box(t, false)) })
	t.Run("weak", func(t *testing.T) { test(t, box(t, true)) })
}

// mark returns a word that occurs only in the command lines of one test's processes.
func mark() string { return fmt.Sprintf("mark-%d-%d", os.Getpid(), rand.Uint64()) }

// marked returns the processes with a mark in their command line, except this one.
func marked(t *testing.T, mark string) (pids []int) {
	t.Helper()
	paths, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil || !bytes.Contains(text, []byte(mark)) {
			continue // it has ended, or its id was reused
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path))); err == nil && pid != os.Getpid() {
			pids = append(pids, pid)
		}
	}
	return pids
}

// awaitNone waits until no process has a mark.
func awaitNone(t *testing.T, mark string) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); len(marked(t, mark)) > 0; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("processes %v are left", marked(t, mark))
		}
	}
}

func TestExitCodeAndStreams(t *testing.T) {
	both(t, func(t *testing.T, b Box) {
		o := run(t, b, program("fails"), limits())
		if o.Code != 3 || o.Ending != Exited || !strings.HasSuffix(string(o.Errors), "no\n") || len(o.Output) != 0 {
			t.Errorf("%+v, want code 3 and a line of standard error", o)
		}
	})
}

func TestEnvironmentIsNotPassedOn(t *testing.T) {
	t.Setenv("PLUMBLINE_SECRET", "1")
	both(t, func(t *testing.T, b Box) {
		got := strings.Fields(string(run(t, b, program("environment"), limits()).Output))
		if len(got) != 3 || got[0] != "OWN=1" || !strings.HasPrefix(got[1], "TMPDIR=/") {
			t.Errorf("%q, want OWN, TMPDIR and HOME", got)
		}
	})
}

func TestForks(t *testing.T) {
	both(t, func(t *testing.T, b Box) {
		word := mark()
		l := limits()
		l.Files = 4096 // the minimum for a start
		o := run(t, b, program("forks", word), l)
		n, err := strconv.Atoi(strings.TrimSpace(string(o.Output)))
		// In a weak box the machine's other processes count, and root's processes are not limited.
		if err != nil || n == 0 || !b.Weak && n >= l.Processes {
			t.Errorf("%q, %q: want some processes, and then a refusal", o.Output, o.Errors)
		}
		awaitNone(t, word)
	})
}

func TestNothingOutlivesTheProgram(t *testing.T) {
	b := box(t, false)
	word := mark()
	if o := run(t, b, program("escapes", word), limits()); string(o.Output) != "<nil>\n" {
		t.Fatalf("%q", o.Output)
	}
	if left := marked(t, word); len(left) > 0 {
		t.Errorf("processes %v are left", left)
	}
}

func TestMemory(t *testing.T) {
	if underRace {
		t.Skip("the race detector needs more address space than the limit")
	}
	both(t, func(t *testing.T, b Box) {
		l := limits()
		l.Memory = 1 << 30
		if o := run(t, b, program("memory"), l); o.Code == 0 || o.Ending != Exited || len(o.Output) != 0 {
			t.Errorf("%v, code %d, %q: want an end for want of memory", o.Ending, o.Code, o.Output)
		}
	})
}

func TestDisk(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	both(t, func(t *testing.T, b Box) {
		l := limits()
		o := run(t, b, program("disk", "."), l)
		var largest, all int64
		_, err := fmt.Sscan(string(o.Output), &largest, &all)
		if err != nil || largest != l.File || !b.Weak && (all > l.Scratch || all < l.Scratch/2) {
			t.Errorf("%q: want files of %d bytes, %d in all", o.Output, l.File, l.Scratch)
		}
	})
	if left, err := os.ReadDir(os.TempDir()); err != nil || len(left) > 0 {
		t.Errorf("%v, %v: want nothing left", left, err)
	}
}

func TestOutput(t *testing.T) {
	both(t, func(t *testing.T, b Box) {
		o := run(t, b, program("output"), limits())
		if o.Ending != TooMuchOutput || int64(len(o.Output)) != limits().Output {
			t.Errorf("%v after %d bytes, want %v after %d", o.Ending, len(o.Output), TooMuchOutput, limits().Output)
		}
	})
}

func TestSockets(t *testing.T) {
	b := box(t, false)
	path := filepath.Join(t.TempDir(), "s")
	asked := make(chan string, 8)
	var addresses []string
	for _, x := range []struct{ network, address string }{
		{"tcp", "127.0.0.1:0"}, {"unix", path}, {"unix", "@" + mark()},
	} {
		l, err := net.Listen(x.network, x.address)
		if err != nil {
			t.Fatal(err)
		}
		addresses = append(addresses, x.network+":"+l.Addr().String())
		go func() {
			for {
				if _, err := l.Accept(); err != nil {
					return
				}
				asked <- l.Addr().String()
			}
		}()
		defer func() { _ = l.Close() }()
	}
	again := program("connects", addresses...)
	out, err := exec.Command(again.Path, again.Args...).Output()
	if n := bytes.Count(out, []byte("connected")); err != nil || n != len(addresses) {
		t.Fatalf("without a box: %q, %v, want %d connections", out, err, len(addresses))
	}
	for range addresses {
		<-asked
	}
	if o := run(t, b, again, limits()); len(o.Output) != 0 || o.Code != 0 {
		t.Errorf("%q, %q, code %d, want no connection", o.Output, o.Errors, o.Code)
	}
	select {
	case address := <-asked:
		t.Errorf("%s was asked", address)
	default:
	}
}

func TestSignals(t *testing.T) {
	b := box(t, false)
	came := make(chan os.Signal, 8)
	signal.Notify(came, syscall.SIGTERM)
	defer signal.Stop(came)
	run(t, b, program("signals", strconv.Itoa(os.Getpid())), limits())
	select {
	case <-came:
		t.Error("a signal came out")
	default:
	}
}

func TestWallTime(t *testing.T) {
	both(t, func(t *testing.T, b Box) {
		for _, name := range []string{"sleeps", "deaf"} {
			l := limits()
			l.Wall = 300 * time.Millisecond
			word := mark()
			if o := run(t, b, program(name, word), l); o.Ending != TimeUp || o.Code != -1 {
				t.Errorf("%s: %v, code %d, want %v", name, o.Ending, o.Code, TimeUp)
			}
			awaitNone(t, word)
		}
	})
}

func TestProcessorTime(t *testing.T) {
	both(t, func(t *testing.T, b Box) {
		l := limits()
		l.CPU = time.Millisecond // rounded up to a second, because limits are whole seconds
		if o := run(t, b, program("spins"), l); o.Ending != Exited || o.Code != -1 && o.Code != 2 {
			t.Errorf("%v, code %d, want an end by a signal", o.Ending, o.Code)
		}
	})
}

func TestInput(t *testing.T) {
	both(t, func(t *testing.T, b Box) {
		c := program("input")
		c.Input = make([]byte, 3<<20)
		if o := run(t, b, c, limits()); string(o.Output) != "3145728 <nil>\n" {
			t.Errorf("%q, want all of the input and its end", o.Output)
		}
		c = program("greets") // it does not read its input
		c.Input = make([]byte, 3<<20)
		if o := run(t, b, c, limits()); o.Code != 0 {
			t.Errorf("code %d, want 0", o.Code)
		}
	})
}

func TestFilesOutside(t *testing.T) {
	b := box(t, false)
	own := t.TempDir()
	for _, dir := range []string{filepath.Dir(own), own} {
		if err := os.Chmod(dir, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	all := []string{own, "/", "/usr", "/bin", "/etc", "/dev", "/var/tmp"}
	if o := run(t, b, program("writes", append(all, "/tmp")...), limits()); string(o.Output) != "wrote /tmp/written\n" {
		t.Errorf("%q, %q, want a file in its own /tmp alone", o.Output, o.Errors)
	}
	hidden := []string{own, "/proc/1", "/root/.ssh", "/home", "/run", "/sys/kernel", "/etc/passwd", "/old"}
	if o := run(t, b, program("reads", hidden...), limits()); len(o.Output) != 0 {
		t.Errorf("%q, want nothing", o.Output)
	}
	if files, err := os.ReadDir(own); err != nil || len(files) != 0 {
		t.Errorf("%v, %v: files came out", files, err)
	}
}

func TestPrivileges(t *testing.T) {
	b := box(t, false)
	if o := run(t, b, program("privilege"), limits()); len(o.Output) != 0 || o.Code != 0 {
		t.Errorf("%q, %q, want nothing", o.Output, o.Errors)
	}
}

func TestProgramEndsWithItsParent(t *testing.T) {
	for _, kind := range []string{"whole", "weak"} {
		box(t, kind == "weak")
		word := mark()
		cmd := again("parent", word, kind)
		cmd.Env = append(os.Environ(), "TMPDIR="+t.TempDir()) // the folder of a weak box stays
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
			t.Error(err)
		}
		for deadline := time.Now().Add(time.Minute); len(marked(t, word)) < 2; time.Sleep(time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatal("the program does not start")
			}
		}
		_ = cmd.Process.Kill() // it runs
		_ = cmd.Wait()         // it was killed
		awaitNone(t, word)
	}
}

func TestCancelled(t *testing.T) {
	both(t, func(t *testing.T, b Box) {
		ctx, end := context.WithCancel(background)
		end()
		if o, err := b.Run(ctx, program("sleeps"), limits()); !errors.Is(err, context.Canceled) {
			t.Errorf("%+v, %v, want %v", o, err, context.Canceled)
		}
	})
}

func TestWhatCannotStart(t *testing.T) {
	both(t, func(t *testing.T, b Box) {
		_, err := b.Run(background, Command{Path: "/usr/no such program"}, limits())
		if err == nil || !strings.Contains(err.Error(), "/usr/no such program: no such file") {
			t.Errorf("%v, want the path and the reason", err)
		}
		if _, err := b.Run(background, program("greets"), Limits{}); err == nil {
			t.Error("no limits: no error")
		}
	})
}

func TestRefused(t *testing.T) {
	box(t, false)
	cmd := again("refused")
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
	out, err := cmd.CombinedOutput()
	if text := string(out); strings.HasPrefix(text, "cannot be tried") {
		t.Skip(text)
	} else if err != nil || !strings.HasPrefix(text, "true no sandbox can be made here: name spaces of users") ||
		!strings.HasSuffix(text, " <nil>\n") {
		t.Errorf("%q, %v, want a refusal, and none of the weak box", text, err)
	}
}

// TestAsPlainUser runs the other tests as nobody, if this process may change its user.
func TestAsPlainUser(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("the other tests ran as a plain user")
	}
	box(t, false)
	dir, err := os.MkdirTemp("", "sandbox-test-")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	text, err := os.ReadFile(executable())
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "sandbox.test")
	if err := errors.Join(os.WriteFile(path, text, 0o755), os.Chmod(dir, 0o755), os.Chmod(path, 0o755)); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, "-test.v", "-test.skip=Plain|Python")
	cmd.Dir, cmd.Env = "/", []string{"PATH=/usr/bin:/bin"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if bytes.Contains(out, []byte("--- SKIP")) {
		t.Skipf("a plain user is refused name spaces, or has nothing to run:\n%s", out)
	}
}

// TestHomeFolders checks that a program sees only the named files of a home folder, even if the home is in a system
// folder.
func TestHomeFolders(t *testing.T) {
	box(t, false)
	root := tree(t, "usr/home/secret", "usr/home/named", "usr/lib", "other/secret", "other/named")
	if err := errors.Join(os.Chmod(root, 0o755), os.Chmod(filepath.Dir(root), 0o755)); err != nil {
		t.Fatal(err)
	}
	before := systemFolders
	systemFolders = append(systemFolders[:len(before):len(before)], filepath.Join(root, "usr"))
	defer func() { systemFolders = before }()
	for _, home := range []string{"usr/home", "other"} {
		t.Setenv("HOME", filepath.Join(root, home))
		path := func(name string) string { return filepath.Join(root, home, name) }
		b := Box{See: []string{executable(), path(""), root, path("named")}}
		o := run(t, b, program("reads", path("secret"), path("named"), filepath.Join(root, "usr/lib")), limits())
		if want := "sees " + path("named") + "\nsees " + filepath.Join(root, "usr/lib") + "\n"; string(o.Output) != want {
			t.Errorf("%s: %q, %q, want %q", home, o.Output, o.Errors, want)
		}
		run(t, b, program("writes", path("")), limits())
		if _, err := os.Stat(path("written")); err == nil {
			t.Errorf("%s: a file came out", home)
		}
	}
}
