package shell

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"syscall"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/bench/exitcode"
)

// outputStream is standard output or standard error. No command ends for want of it: what cannot be written is told in
// the end. A reader that goes away is no fault at all: what comes after it is left out in silence.
type outputStream struct {
	to io.Writer

	mu     sync.Mutex
	unread bool  // the reader has gone
	lost   error // the first one, of any other text
}

// Write never fails.
func (p *outputStream) Write(text []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.unread {
		return len(text), nil
	}
	_, err := p.to.Write(text)
	if p.unread = readerLeft(p.to, err); !p.unread && p.lost == nil {
		p.lost = err
	}
	return len(text), nil
}

// readerLeft says whether err means that nobody reads w any more: a pipe or a socket whose other end is closed, or a
// terminal that was hung up.
func readerLeft(w io.Writer, err error) bool {
	switch {
	case errors.Is(err, syscall.EPIPE), errors.Is(err, syscall.ECONNRESET):
		return true
	case !errors.Is(err, syscall.EIO): // of a file on a disk, it is the disk's
		return false
	}
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// endError is the error of a command that ended with err: what it printed in vain is one, if there is no other.
func (p *outputStream) endError(err error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.lost == nil {
		return err
	}
	return WithLost(err, fmt.Errorf("what was to be printed is lost: %w", p.lost))
}

// WithLost is the error of a command that ended with err, and whose output, or a part of it, is lost. An error that it
// has goes before; of an outcome the worse code stays.
func WithLost(err, lost error) error {
	var outcome *exitcode.Outcome
	switch {
	case err != nil && !errors.As(err, &outcome):
		return err
	case outcome != nil && outcome.Code == exitcode.Interrupted:
		return fmt.Errorf("%w: %w", loadgen.ErrInterrupted, lost)
	}
	return sdk.Usage(lost)
}
