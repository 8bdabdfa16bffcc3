package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"unsafe"
)

const (
	sysMountSetattr = 442 // on every architecture
	atRecursive     = 0x8000

	attrReadOnly = 1
	attrNoSUID   = 2
	attrNoDev    = 4

	maxFiles = 16384 // maximum number of files in /tmp

	hostName = "sandbox"
)

// devices are the harmless devices in /dev.
var devices = []string{"null", "zero", "full", "random", "urandom"}

// createRoot creates a root file system in memory, shows the view in it, and makes everything except /tmp read-only.
// scratch limits the bytes in /tmp.
func (v view) createRoot(scratch int64) error {
	if err := syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("a mount space of its own: %w", err)
	}
	// The new root is mounted on /tmp until it becomes the root. The machine's own /tmp is then visible again below
	// old.
	const old = "/old"
	if err := syscall.Mount("root", "/tmp", "tmpfs", syscall.MS_NOSUID|syscall.MS_NODEV, "mode=0755,size=1m"); err != nil {
		return fmt.Errorf("a root in memory: %w", err)
	}
	if err := os.Mkdir("/tmp"+old, 0o700); err != nil {
		return err
	}
	if err := syscall.PivotRoot("/tmp", "/tmp"+old); err != nil {
		return fmt.Errorf("the new root: %w", err)
	}
	if err := os.Chdir("/"); err != nil {
		return err
	}
	if err := os.Mkdir("/tmp", 0o755); err != nil {
		return err
	}
	options := fmt.Sprintf("mode=1777,size=%d,nr_inodes=%d", scratch, maxFiles)
	if err := syscall.Mount("tmp", "/tmp", "tmpfs", syscall.MS_NOSUID|syscall.MS_NODEV, options); err != nil {
		return fmt.Errorf("/tmp in memory: %w", err)
	}
	if err := v.fillRoot(old); err != nil {
		return err
	}
	if err := syscall.Unmount(old, syscall.MNT_DETACH); err != nil {
		return fmt.Errorf("the machine's root: %w", err)
	}
	if err := os.Remove(old); err != nil {
		return err
	}
	return makeReadOnly("/", 0)
}

// fillRoot adds the devices, the paths of the view and its links to the new root.
func (v view) fillRoot(old string) error {
	for _, name := range devices {
		if err := bindPath(old, "/dev/"+name); err != nil {
			return err
		}
	}
	if err := os.Symlink("/tmp", "/dev/shm"); err != nil {
		return err
	}
	// The machine's host name stays hidden.
	if err := errors.Join(
		syscall.Sethostname([]byte(hostName)), os.Mkdir("/etc", 0o755),
		os.WriteFile("/etc/hostname", []byte(hostName+"\n"), 0o644),
	); err != nil {
		return err
	}
	if err := v.bindAll(old); err != nil {
		return err
	}
	for _, l := range v.Links {
		if _, err := os.Lstat(l.Path); err == nil {
			continue // another path included this one
		}
		if err := os.MkdirAll(filepath.Dir(l.Path), 0o755); err != nil {
			return err
		}
		if err := os.Symlink(l.Real, l.Path); err != nil {
			return err
		}
	}
	return nil
}

// bindAll binds the paths of the view and covers home folders in them with empty folders.
func (v view) bindAll(old string) error {
	var covers []string
	for _, path := range v.Paths {
		if err := bindPath(old, path); err != nil {
			return err
		}
		if err := makeReadOnly(path, atRecursive); err != nil {
			return err
		}
		for _, home := range v.Hidden {
			if !within(home, path) || slices.Contains(covers, home) {
				continue
			}
			if err := syscall.Mount("home", home, "tmpfs", syscall.MS_NOSUID|syscall.MS_NODEV, "mode=0755,size=1m"); err != nil {
				return fmt.Errorf("%s hidden: %w", home, err)
			}
			covers = append(covers, home)
		}
	}
	for _, home := range covers {
		if err := makeReadOnly(home, 0); err != nil {
			return err
		}
	}
	return nil
}

// bindPath binds a file or folder of the machine's root, which is mounted at old, to the same path.
func bindPath(old, path string) error {
	info, err := os.Stat(old + path)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if info.IsDir() {
		err = os.Mkdir(path, 0o755)
	} else {
		err = os.WriteFile(path, nil, 0o600)
	}
	if err != nil {
		return err
	}
	if err := syscall.Mount(old+path, path, "", syscall.MS_BIND|syscall.MS_REC, ""); err != nil {
		return fmt.Errorf("%s in the new root: %w", path, err)
	}
	return nil
}

// makeReadOnly makes a mount read-only, without set-user-id programs and devices. With atRecursive as how, this
// includes all mounts below it.
func makeReadOnly(path string, flags uintptr) error {
	p, err := syscall.BytePtrFromString(path)
	if err != nil {
		return err
	}
	attr := struct{ set, clear, propagation, users uint64 }{set: attrReadOnly | attrNoSUID | attrNoDev}
	_, _, errno := syscall.Syscall6(sysMountSetattr, 0, uintptr(unsafe.Pointer(p)), flags, uintptr(unsafe.Pointer(&attr)),
		unsafe.Sizeof(attr), 0)
	if errors.Is(errno, syscall.ENOSYS) {
		return errors.New("the kernel has no mount_setattr: Linux 5.14 or newer is needed")
	}
	if errno != 0 {
		return fmt.Errorf("%s read-only: %w", path, errno)
	}
	return nil
}
