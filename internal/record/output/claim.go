package output

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/plumbline-ml/plumbline/internal/fetch/filelock"
	"github.com/plumbline-ml/plumbline/internal/fetch/wholefile"
	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk"
)

// LockName is the name of the lock file in an output directory. The session that writes to the directory holds the
// lock.
const LockName = ".lock"

// Claim is an output directory to which no other session writes until it is released. At the latest the kernel releases
// it when the process ends; the lock file may then remain, without effect.
type Claim struct {
	Dir string
	// Recovered lists results that a killed session had set aside in the directory.
	Recovered    Recovered
	lock, folder *os.File
	created      []string         // folders created for the claim, the deepest first
	earlier      *earlierContents // earlier contents; nil: Remember was not called
	discarded    bool
}

// Take chooses the output directory for runs in dirs like Choose, creates it and claims it. A directory that another
// session has claimed counts as one with results. force does not allow it to replace the runs of that session.
func Take(out string, force bool, dirs []string) (*Claim, error) {
	if out == "" {
		return takeFree(dirs)
	}
	if _, err := Choose(out, force, dirs); err != nil { // before any write
		return nil, err
	}
	c, err := Hold(out)
	if err != nil {
		return nil, err
	}
	if c.Recovered, err = Recover(out); err == nil {
		_, err = Choose(out, force, dirs) // a session may have ended or recovered results in between
	}
	if err != nil {
		c.Release()
		return nil, sdk.Usage(err)
	}
	return c, nil
}

// Hold creates the output directory and claims it. It removes temporary files of killed writers at the top level, and
// does not read other contents.
func Hold(out string) (*Claim, error) {
	c, err := claim(out)
	switch {
	case errors.Is(err, filelock.ErrHeld):
		return nil, sdk.Usage(fmt.Errorf("output directory %s: another run writes to it at this moment; wait for its end, "+
			"or choose another directory with --out", out))
	case err != nil:
		return nil, unwritableError(out, err)
	}
	_ = wholefile.RemoveTemp(out) // the next session tries again
	return c, nil
}

// Settle prepares an output directory that is only read, like a session that opens it: if a killed session left its
// lock, it removes the lock and incomplete files at the top level, and recovers results that were set aside. It ignores
// errors, so that a later call tries again. It does nothing if a running session holds the lock.
func Settle(out string) Recovered {
	if _, err := os.Lstat(filepath.Join(out, LockName)); err != nil { // the lock is created first and removed last
		return Recovered{}
	}
	c, err := Hold(out)
	if err != nil {
		return Recovered{}
	}
	defer c.Release()
	recovered, _ := Recover(out)
	return recovered
}

// takeFree claims the first default directory that is unclaimed and contains no result of the runs.
func takeFree(dirs []string) (*Claim, error) {
	var recovered Recovered
	for n := 1; ; n++ {
		dir := numberedDir(n)
		if len(occupiedFolders(dir, dirs)) > 0 {
			continue
		}
		c, err := claim(dir)
		switch {
		case errors.Is(err, filelock.ErrHeld):
			continue
		case err != nil:
			return nil, unwritableError(dir, err)
		}
		found, err := Recover(dir)
		recovered.Restored, recovered.Kept = append(recovered.Restored, found.Restored...), append(recovered.Kept,
			found.Kept...)
		if err == nil && len(occupiedFolders(dir, dirs)) == 0 {
			c.Recovered = recovered
			return c, nil
		}
		c.Release() // a session wrote results in between
	}
}

func claim(dir string) (*Claim, error) {
	path := filepath.Join(dir, LockName)
	made := missingFolders(dir)
	for {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			removeCreated(made)
			return nil, err
		}
		lock, err := filelock.Open(path, 0o644)
		if err != nil {
			removeCreated(made)
			return nil, err
		}
		err = filelock.TryLock(lock)
		if errors.Is(err, errors.ErrUnsupported) { // without locks on this system, the directory counts as claimed
			err = nil
		}
		if err == nil && pathNames(lock, path) {
			folder, err := os.Open(dir)
			if err != nil {
				return nil, errors.Join(err, lock.Close())
			}
			return &Claim{Dir: dir, lock: lock, folder: folder, created: made}, nil
		}
		_ = lock.Close()
		if err != nil {
			return nil, err
		}
		// The previous owner removed the file before this lock: the lock belongs to a file without a name.
	}
}

// pathNames reports whether path still names the open file.
func pathNames(f *os.File, path string) bool {
	open, err1 := f.Stat()
	named, err2 := os.Stat(path)
	return err1 == nil && err2 == nil && os.SameFile(open, named)
}

// Check returns an error if the path no longer names the claimed directory. The session must then not write to it,
// because it may belong to another session.
func (c *Claim) Check() error {
	if pathNames(c.folder, c.Dir) {
		return nil
	}
	return fmt.Errorf(
		"output directory %s: %w, or its disk was unmounted; nothing more is written there: run again, and leave it "+
			"until the end", c.Dir, loadgen.ErrLogsLost)
}

// IsNew reports whether the directory was created for the claim.
func (c *Claim) IsNew() bool { return len(c.created) > 0 }

// Discard restores the contents of the directory at the time of Remember. It may be called before any of the session's
// tests has begun. Release removes folders that were created for the claim. If the path no longer names the claimed
// directory, Discard does nothing and returns false.
func (c *Claim) Discard() (done bool) {
	if c.Check() != nil {
		return false
	}
	c.discarded = true
	if c.earlier != nil {
		c.earlier.restore(c.Dir)
	}
	return true
}

// missingFolders returns the folders of a path that do not exist, the deepest first.
func missingFolders(dir string) (all []string) {
	for d := filepath.Clean(dir); ; d = filepath.Dir(d) {
		if _, err := os.Lstat(d); err == nil || d == filepath.Dir(d) {
			return all
		}
		all = append(all, d)
	}
}

// removeCreated removes created folders, the deepest first. It keeps folders with other files.
func removeCreated(made []string) {
	for _, dir := range made {
		_ = os.Remove(dir)
	}
}

// Release releases the directory. It removes the lock file while it is locked. A process that has the file open then
// finds that the path no longer names it.
func (c *Claim) Release() {
	if pathNames(c.lock, c.lock.Name()) {
		_ = os.Remove(c.lock.Name())
	}
	if c.discarded {
		removeCreated(c.created)
	}
	_ = c.lock.Close()
	_ = c.folder.Close()
}
