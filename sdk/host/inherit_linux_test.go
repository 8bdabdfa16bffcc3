package host_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/plumbline-ml/plumbline/sdk/host"
)

// TestInheritedDescriptors checks that descriptors inherited from a shell, for example, are not passed on to a plugin.
func TestInheritedDescriptors(t *testing.T) {
	for name, start := range map[string]func(path string) error{
		"describe": func(path string) error { _, err := host.Inspect(t.Context(), path); return err },
		"launch": func(path string) error {
			p, err := host.Launch(t.Context(), path, host.LaunchOptions{})
			if err == nil {
				_ = p.Close()
			}
			return err
		},
	} {
		low, err := unix.Open(t.TempDir(), unix.O_RDONLY|unix.O_CLOEXEC, 0)
		if err != nil {
			t.Fatal(err)
		}
		fd, err := unix.FcntlInt(uintptr(low), unix.F_DUPFD, 200) // above those that a plugin gets
		if err != nil {
			t.Fatal(err)
		}
		_ = unix.Close(low)
		ran, found := filepath.Join(t.TempDir(), "ran"), filepath.Join(t.TempDir(), "found")
		path := script(t, fmt.Sprintf("touch %s; [ -e /proc/$$/fd/%d ] && touch %s; exit 2", ran, fd, found))
		if err := start(path); err == nil {
			t.Errorf("%s: a script is no plugin", name)
		}
		if _, err := os.Stat(ran); err != nil {
			t.Errorf("%s: it did not run: %v", name, err)
		}
		if _, err := os.Stat(found); err == nil {
			t.Errorf("%s: the plugin has descriptor %d", name, fd)
		}
		_ = unix.Close(fd)
	}
}
