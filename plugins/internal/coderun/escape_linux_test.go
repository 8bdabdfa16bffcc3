package coderun

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/internal/programs"
)

// attempt is a program that reaches for its verdict, or for this machine.
type attempt struct {
	name, source string
	machine      bool // it reaches for what is outside of its box
}

func readAttempts(t *testing.T) (all []attempt) {
	t.Helper()
	text, err := os.ReadFile("testdata/escapes/attempts.py")
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range strings.Split(string(text), "\n# = ")[1:] {
		name, source, _ := strings.Cut(part, "\n")
		name, machine := strings.CutPrefix(name, "machine: ")
		all = append(all, attempt{name, source, machine})
	}
	if len(all) < 60 {
		t.Fatalf("%d attempts, want 60 and more", len(all))
	}
	return all
}

// outside is what attempts may not reach: files of this account, a folder that this process inherited, sockets that
// listen, processes.
type outside struct {
	folder, secret string
	asked          atomic.Int32
	header         string // of programs: where all that is
}

func newOutside(t *testing.T) *outside {
	t.Helper()
	o := &outside{folder: t.TempDir()}
	o.secret = filepath.Join(o.folder, "secret")
	if err := os.WriteFile(o.secret, []byte("private"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{o.folder, filepath.Dir(o.folder)} { // both are this test's
		if err := os.Chmod(path, 0o755); err != nil { // that nobody is kept out by permissions alone
			t.Fatal(err)
		}
	}
	t.Setenv("HOME", o.folder)
	fd, err := syscall.Open(o.folder, syscall.O_RDONLY, 0) // as a shell's exec 9<FOLDER
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Close(fd) })
	abstract := "plumbline-test-" + token(t)
	var port int
	socket := filepath.Join(o.folder, "s")
	for _, x := range [][2]string{{"tcp", "127.0.0.1:0"}, {"unix", "@" + abstract}, {"unix", socket}} {
		l, err := net.Listen(x[0], x[1])
		if err != nil {
			t.Fatal(err)
		}
		if a, ok := l.Addr().(*net.TCPAddr); ok {
			port = a.Port
		}
		t.Cleanup(func() { _ = l.Close() })
		go func() {
			for {
				if _, err := l.Accept(); err != nil {
					return
				}
				o.asked.Add(1)
			}
		}()
	}
	for name, value := range map[string]any{
		"HOME": []string{o.secret}, "PORT": port, "ABSTRACT": abstract, "SOCKET": socket,
		"PIDS": []int{os.Getpid(), os.Getppid()},
	} {
		text, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		o.header += fmt.Sprintf("%s = %s\n", name, text)
	}
	return o
}

// check says whether something came in or out.
func (o *outside) check(t *testing.T) {
	t.Helper()
	text, err := os.ReadFile(o.secret)
	if err != nil || string(text) != "private" {
		t.Errorf("the secret is %q, %v", text, err)
	}
	files, err := os.ReadDir(o.folder)
	if err != nil || len(files) != 2 {
		t.Errorf("files %v, %v: want the secret and a socket", files, err)
	}
	if n := o.asked.Load(); n != 0 {
		t.Errorf("%d connections came out of a box", n)
	}
}

func token(t *testing.T) string {
	t.Helper()
	var b [8]byte
	if _, err := rand.Read(b[:]); err != nil {
		t.Fatal(err)
	}
	return hex.EncodeToString(b[:])
}

// jobs are an attempt as a program of each kind, whose second test nobody can pass who does not know what is expected.
func (o *outside) jobs(t *testing.T, a attempt) map[string]programs.Job {
	t.Helper()
	prelude, err := os.ReadFile("testdata/escapes/prelude.py")
	if err != nil {
		t.Fatal(err)
	}
	source := string(prelude) + o.header + a.source + "\nif HOLES: raise Exception('HOLE ' + repr(HOLES)[:150])\n"
	secret := "expected-" + token(t)
	text, err := json.Marshal(secret)
	if err != nil {
		t.Fatal(err)
	}
	const perTest = 10 * time.Second
	all := map[string]programs.Job{
		"check": programs.MXEval(source+"def f(x): return 'nothing'\n",
			"def check(f):\n    assert f(0) == 'nothing'\n    assert f(1) == "+string(text)+"\n", "f"),
	}
	if !a.machine {
		all["stdin"] = programs.LiveCodeBench(source+"print('nothing')\n",
			programs.TestCases{Inputs: []string{"0", "1"}, Outputs: []string{"nothing", secret}}, perTest)
		all["call"] = programs.LiveCodeBench(source+"def f(x): return 'nothing'\n",
			programs.TestCases{Function: "f", Inputs: []string{"0", "1"}, Outputs: []string{`"nothing"`, string(text)}}, perTest)
	}
	return all
}

// TestEscapes lets programs try to pass without what is expected of them, and to leave their box.
func TestEscapes(t *testing.T) {
	r := runner(t, false)
	o := newOutside(t)
	t.Run("all", func(t *testing.T) {
		for _, a := range readAttempts(t) {
			for kind, job := range o.jobs(t, a) {
				t.Run(a.name+" by "+kind, func(t *testing.T) {
					t.Parallel()
					v, err := r.Run(t.Context(), job)
					// One way is the official rule: the value calls itself equal to everything. That is said.
					official := kind == "call" && v.Own && v.String() != "passed"
					if err != nil || v.Passed && !official || strings.Contains(v.Error, "HOLE") {
						t.Errorf("%+v, %v: want no pass, and no hole", v, err)
					}
				})
			}
		}
	})
	o.check(t)
}

// TestEscapesAreSeen: the attempts above could be seen to succeed.
func TestEscapesAreSeen(t *testing.T) {
	r := runner(t, false)
	o := newOutside(t)
	for kind, job := range o.jobs(t, attempt{source: "HOLE('here')"}) {
		if v, err := r.Run(t.Context(), job); err != nil || !strings.Contains(v.Error, "HOLE ['here']") {
			t.Errorf("%s: %+v, %v, want a hole", kind, v, err)
		}
	}
	for kind, job := range o.jobs(t, attempt{source: "pass"}) {
		v, err := r.Run(t.Context(), job)
		if err != nil || v.Passed || kind != "check" && len(v.Results) != 2 {
			t.Errorf("%s: %+v, %v, want a fault of the second test", kind, v, err)
		}
	}
	knows := programs.MXEval("def f(x): return x", "def check(f):\n  assert f('expected') == 'expected'\n", "f")
	if v, err := r.Run(t.Context(), knows); err != nil || !v.Passed {
		t.Errorf("%+v, %v, want a pass", v, err)
	}
}

// TestEscapesAsPlainUser runs the attempts as nobody, where it may choose, with the system's Python.
func TestEscapesAsPlainUser(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("the other tests ran as a plain user")
	}
	runner(t, false)
	dir, err := os.MkdirTemp("", "escape-test-")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	binary := filepath.Join(dir, "execution.test")
	self, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.WriteFile(binary, self, 0o755), os.Chmod(dir, 0o755), os.Chmod(binary, 0o755),
		os.CopyFS(filepath.Join(dir, "testdata"), os.DirFS("testdata")), os.Mkdir(filepath.Join(dir, "tmp"), 0o777),
		os.Chmod(filepath.Join(dir, "tmp"), 0o777)); err != nil {
		t.Fatal(err)
	}
	const nobody = 65534
	plain := &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	python := os.Getenv("PLUMBLINE_PYTHON")
	for _, path := range []string{python, "/usr/bin/python3"} {
		cmd := exec.Command(path, "-c", "pass")
		cmd.SysProcAttr, cmd.Dir, cmd.Env = plain, dir, []string{"PATH=/usr/bin:/bin"}
		if cmd.Run() == nil {
			python = path
			break
		}
	}
	cmd := exec.Command(binary, "-test.v", "-test.run=^TestEscapes", "-test.skip=Plain")
	cmd.SysProcAttr, cmd.Dir = plain, dir
	cmd.Env = []string{"PATH=/usr/bin:/bin", "PLUMBLINE_PYTHON=" + python, "TMPDIR=" + filepath.Join(dir, "tmp")}
	out, err := cmd.CombinedOutput()
	if err != nil || strings.Contains(string(out), "--- SKIP") {
		t.Errorf("%v\n%.20000s", err, out)
	}
}
