package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// cleanRoot is a folder that programs see as the whole file system. It contains only what a test puts there, without
// Go, shell or Python.
type cleanRoot struct{ dir string }

// newCleanRoot unpacks the root of a container.
func newCleanRoot(t *testing.T, archive string) cleanRoot {
	t.Helper()
	r := cleanRoot{t.TempDir()}
	run(t, r.dir, "tar", "xzf", archive)
	return r
}

// namespace runs a command in its own mount, process and network namespaces, without network access.
const namespace = `set -e
mount --bind "$ROOT" "$ROOT"
mount --rbind /dev "$ROOT/dev"
mount -t proc proc "$ROOT/proc"
mount -t tmpfs tmpfs "$ROOT/tmp"
mount -t tmpfs tmpfs "$ROOT/root"
mount -o remount,bind,ro "$ROOT"
exec chroot "$ROOT" "$@"`

// run runs a program of the root, which is read-only except /tmp and /root, and returns its output.
func (r cleanRoot) run(t *testing.T, args ...string) string {
	t.Helper()
	unshare := []string{"--mount", "--pid", "--net", "--fork"}
	if os.Geteuid() != 0 {
		unshare = append(unshare, "--map-root-user")
	}
	if text, err := exec.Command("unshare", append(unshare, "true")...).CombinedOutput(); err != nil {
		t.Skipf("no namespaces can be made here: unshare: %v: %s", err, text)
	}
	cmd := exec.Command("unshare", append(append(unshare, "sh", "-c", namespace, "sh"), args...)...)
	cmd.Env = []string{"PATH=/usr/bin:/bin:/usr/sbin:/sbin", "HOME=/root", "ROOT=" + r.dir}
	text, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%q: %v\n%s", args, err, text)
	}
	return string(text)
}

// benchmark runs resnet50's accuracy with a harness of the root and lets it start an author's module.
func (r cleanRoot) benchmark(t *testing.T, harness, version string) {
	t.Helper()
	if said := r.run(t, harness, "version"); !strings.Contains(said, version) {
		t.Errorf("the version is %q, want %s", said, version)
	}
	said := r.run(t, harness, "run", "resnet50", "--mode", "accuracy", "--count", "100", "--out", "/tmp/out")
	if !strings.Contains(said, "accuracy, 100 samples") || !strings.Contains(said, "logs and result.json in /tmp/out") {
		t.Errorf("the run printed\n%s", said)
	}
	for _, args := range [][]string{
		{"new", "backend", "/tmp/acme"}, {"new", "backend", "/tmp/py", "--language", "python"},
	} {
		if said := r.run(t, append([]string{harness}, args...)...); !strings.Contains(said, "README.md") {
			t.Errorf("%q printed\n%s", args, said)
		}
	}
}

// nothingLeft checks that no file of the packages remains below a folder.
func nothingLeft(t *testing.T, dir string) {
	t.Helper()
	left, err := exec.Command("find", dir, "-name", "*plumbline*", "-o", "-name", "*harness*").CombinedOutput()
	if err != nil || len(left) > 0 {
		t.Errorf("%v; left:\n%s", err, left)
	}
}
