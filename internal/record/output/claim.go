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

// LockName is the file in an output directory that the session which writes there holds a lock on.
const LockName = ".lock"

// Claim is an output directory that nobody else writes to until it is released. The kernel releases it with the process
// at the latest; the file of the lock may stay behind then, and claims nothing.
type Claim struct {
	Dir string
	// Recovered is what became of results that a session which was killed had set aside here.
	Recovered    Recovered
	lock, folder *os.File
	made         []string // the folders that were made for it, the deepest first
	before       *before  // what it held; nil: nobody remembers
	discarded    bool
}

// Take chooses the output directory for runs in dirs as Choose does, makes it and claims it. One that another session
// has claimed counts as one that holds results, whose runs force does not replace.
func Take(out string, force bool, dirs []string) (*Claim, error) {
	if out == "" {
		return takeFree(dirs)
	}
	if _, err := Choose(out, force, dirs); err != nil { // before anything is written
		return nil, err
	}
	c, err := Hold(out)
	if err != nil {
		return nil, err
	}
	if c.Recovered, err = Recover(out); err == nil {
		_, err = Choose(out, force, dirs) // the results of a session that has ended in between, or that are back
	}
	if err != nil {
		c.Release()
		return nil, sdk.Usage(err)
	}
	return c, nil
}

// Hold makes the output directory and claims it. It removes what writers that were killed left at its top, and looks at
// nothing else that is in it.
func Hold(out string) (*Claim, error) {
	c, err := claim(out)
	switch {
	case errors.Is(err, filelock.ErrHeld):
		return nil, sdk.Usage(fmt.Errorf("output directory %s: another run writes to it at this moment; wait for its end, "+
			"or choose another directory with --out", out))
	case err != nil:
		return nil, unwritable(out, err)
	}
	_ = wholefile.RemoveTemp(out) // what it cannot remove the next one tries again
	return c, nil
}

// Settle does for an output directory in which nothing is to be made what a session does that opens it: where the lock
// of one that was killed is left, it goes, and with it files at the top that were not written to their end, and results
// that were set aside are recovered. What it cannot settle stays, for the next one to try again. A session that is
// alive settles its own.
func Settle(out string) Recovered {
	if _, err := os.Lstat(filepath.Join(out, LockName)); err != nil { // a session makes it first, and removes it last
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

// takeFree claims the first of the default directories that is nobody's and holds no result of the runs.
func takeFree(dirs []string) (*Claim, error) {
	var recovered Recovered
	for n := 1; ; n++ {
		dir := numbered(n)
		if len(occupied(dir, dirs)) > 0 {
			continue
		}
		c, err := claim(dir)
		switch {
		case errors.Is(err, filelock.ErrHeld):
			continue
		case err != nil:
			return nil, unwritable(dir, err)
		}
		found, err := Recover(dir)
		recovered.Back, recovered.Kept = append(recovered.Back, found.Back...), append(recovered.Kept, found.Kept...)
		if err == nil && len(occupied(dir, dirs)) == 0 {
			c.Recovered = recovered
			return c, nil
		}
		c.Release() // a session has ended there in between
	}
}

func claim(dir string) (*Claim, error) {
	path := filepath.Join(dir, LockName)
	made := missing(dir)
	for {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			unmake(made)
			return nil, err
		}
		lock, err := filelock.Open(path, 0o644)
		if err != nil {
			unmake(made)
			return nil, err
		}
		err = filelock.Try(lock)
		if errors.Is(err, errors.ErrUnsupported) { // nobody can tell: it counts as the caller's
			err = nil
		}
		if err == nil && isStill(lock, path) {
			folder, err := os.Open(dir)
			if err != nil {
				return nil, errors.Join(err, lock.Close())
			}
			return &Claim{Dir: dir, lock: lock, folder: folder, made: made}, nil
		}
		_ = lock.Close()
		if err != nil {
			return nil, err
		}
		// Its owner removed the file before the lock was taken: the lock is on a file that nobody else finds.
	}
}

// isStill reports whether an open file is the one that path names.
func isStill(f *os.File, path string) bool {
	open, err1 := f.Stat()
	named, err2 := os.Stat(path)
	return err1 == nil && err2 == nil && os.SameFile(open, named)
}

// Check says that the directory is not the one that was claimed any more. Nothing may be written there then: it
// may be another session's.
func (c *Claim) Check() error {
	if isStill(c.folder, c.Dir) {
		return nil
	}
	return fmt.Errorf(
		"output directory %s: %w, or its disk was unmounted; nothing more is written there: run again, and leave it "+
			"until the end", c.Dir, loadgen.ErrLogsLost)
}

// New says that the directory was made for the claim.
func (c *Claim) New() bool { return len(c.made) > 0 }

// Discard leaves the directory as it was when Remember looked at it: none of the session's tests has begun. Folders
// that were made for the claim go when it is released. done is false where the directory is not the one that was
// claimed any more, and nothing is removed.
func (c *Claim) Discard() (done bool) {
	if c.Check() != nil {
		return false
	}
	c.discarded = true
	if c.before != nil {
		c.before.restore(c.Dir)
	}
	return true
}

// missing are the folders of a path that are not there, the deepest first.
func missing(dir string) (all []string) {
	for d := filepath.Clean(dir); ; d = filepath.Dir(d) {
		if _, err := os.Lstat(d); err == nil || d == filepath.Dir(d) {
			return all
		}
		all = append(all, d)
	}
}

// unmake removes folders that were made, the deepest first. What others have put there stays.
func unmake(made []string) {
	for _, dir := range made {
		_ = os.Remove(dir)
	}
}

// Release gives the directory free. The file goes while it is locked: who has it open finds that it is not the
// one of its name any more.
func (c *Claim) Release() {
	if isStill(c.lock, c.lock.Name()) {
		_ = os.Remove(c.lock.Name())
	}
	if c.discarded {
		unmake(c.made)
	}
	_ = c.lock.Close()
	_ = c.folder.Close()
}
