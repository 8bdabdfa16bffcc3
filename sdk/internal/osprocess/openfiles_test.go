//go:build unix

package osprocess

import (
	"os"
	"os/exec"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"
)

// TestMain also makes this binary a program that reports which of the descriptors in its arguments are open.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "which are open" {
		for _, arg := range os.Args[2:] {
			fd, _ := strconv.Atoi(arg)
			if _, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err == nil {
				_, _ = os.Stdout.WriteString(arg + " ")
			}
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// TestKeepOpenFiles checks that a folder, a file and a pipe are not inherited, with both methods of finding them. Files
// that are passed explicitly are inherited.
func TestKeepOpenFiles(t *testing.T) {
	for name, keep := range map[string]func(){
		"at once": KeepOpenFiles, "each of a list": keepEach, "each up to a limit": func() { keepUpTo(maxDescriptors()) },
	} {
		folder, err := unix.Open(t.TempDir(), unix.O_RDONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		device, err := unix.Open(os.DevNull, unix.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		ends := make([]int, 2)
		if err := unix.Pipe(ends); err != nil {
			t.Fatal(err)
		}
		all := []int{folder, device, ends[0], ends[1]}
		if got := opened(t, all, nil); got == "" {
			t.Fatal("nothing is inherited: there is nothing to test")
		}
		keep()
		if got := opened(t, all, nil); got != "" {
			t.Errorf("%s: a program has %s", name, got)
		}
		given, err := os.Open(os.DevNull)
		if err != nil {
			t.Fatal(err)
		}
		if got := opened(t, []int{3}, []*os.File{given}); got != "3 " {
			t.Errorf("%s: what was handed down on purpose did not arrive", name)
		}
		for _, fd := range all {
			if _, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err != nil {
				t.Errorf("%s: descriptor %d is closed here: %v", name, fd, err)
			}
			_ = unix.Close(fd)
		}
		_ = given.Close()
	}
}

// opened returns which of the descriptors are open in a program that is started with files as descriptors 3 and up.
func opened(t *testing.T, fds []int, files []*os.File) string {
	t.Helper()
	args := []string{"which are open"}
	for _, fd := range fds {
		args = append(args, strconv.Itoa(fd))
	}
	cmd := exec.Command(os.Args[0], args...)
	cmd.ExtraFiles = files
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}
