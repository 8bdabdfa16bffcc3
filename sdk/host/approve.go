package host

import (
	"bytes"
	"errors"
	"os"
)

// approvedBinary is a binary that LaunchOptions.Approve has accepted. The file stays open, and the open file is
// executed even if its path then refers to another file.
type approvedBinary struct {
	file  *os.File
	path  string      // to execute it
	state os.FileInfo // state before Approve read it
}

// errChanged means that a binary is no longer the approved one.
var errChanged = errors.New("the file was changed while it was started")

// openApproved opens the binary and calls check with it.
func openApproved(path string, check func(*os.File) error) (*approvedBinary, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	a := &approvedBinary{file: file, path: path}
	if a.state, err = file.Stat(); err == nil {
		err = check(file)
	}
	if err != nil {
		a.close()
		return nil, err
	}
	if !isScript(file) {
		a.path = openPath(file, path)
	}
	return a, nil
}

// isScript reports whether the file is a script, which an interpreter opens by its path.
func isScript(file *os.File) bool {
	var start [2]byte
	_, _ = file.ReadAt(start[:], 0)
	return bytes.Equal(start[:], []byte("#!"))
}

// checkUnchanged requires that the file has not changed since its approval. A file that is executed by its path must
// also not be replaced. A file that is being executed cannot be written any more.
func (a *approvedBinary) checkUnchanged() error {
	now, err := a.file.Stat()
	if err == nil && !sameState(a.state, now) {
		err = errChanged
	}
	if err != nil || openPath(a.file, "") == a.path {
		return err
	}
	if now, err = os.Stat(a.path); err == nil && !sameState(a.state, now) {
		err = errChanged
	}
	return err
}

func sameState(a, b os.FileInfo) bool {
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime()) &&
		changeTime(a).Equal(changeTime(b))
}

func (a *approvedBinary) close() {
	if a != nil {
		_ = a.file.Close()
	}
}
