package host

import (
	"bytes"
	"errors"
	"os"
)

// approvedBinary is a binary that LaunchOptions.Approve has read and found good. It is held open: what is executed is
// the open file, whatever its name has come to mean.
type approvedBinary struct {
	file  *os.File
	path  string      // to execute it by
	state os.FileInfo // as it was before it was read
}

// errChanged says that a binary is no longer the one that was approved.
var errChanged = errors.New("the file was changed while it was started")

// openApproved opens the binary and has it checked.
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

// isScript reports whether an interpreter will open the file by its name, after this process has.
func isScript(file *os.File) bool {
	var start [2]byte
	_, _ = file.ReadAt(start[:], 0)
	return bytes.Equal(start[:], []byte("#!"))
}

// checkUnchanged requires that the file is as it was when it was approved: neither written to, nor, where it is
// executed by its name, replaced. A file that is being executed cannot be written any more.
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
