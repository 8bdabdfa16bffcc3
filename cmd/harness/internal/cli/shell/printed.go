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

// outputStream is standard output or standard error. A write error does not end the command; it is reported at the end.
// If the reader has closed the stream, the remaining output is dropped without an error.
type outputStream struct {
	to io.Writer

	mu         sync.Mutex
	readerGone bool  // the reader has closed the stream
	writeErr   error // the first other error
}

// Write never fails.
func (p *outputStream) Write(text []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.readerGone {
		return len(text), nil
	}
	_, err := p.to.Write(text)
	if p.readerGone = isReaderGone(p.to, err); !p.readerGone && p.writeErr == nil {
		p.writeErr = err
	}
	return len(text), nil
}

// isReaderGone reports whether err means that w has no reader: the other end of the pipe or socket is closed, or the
// terminal was disconnected.
func isReaderGone(w io.Writer, err error) bool {
	switch {
	case errors.Is(err, syscall.EPIPE), errors.Is(err, syscall.ECONNRESET):
		return true
	case !errors.Is(err, syscall.EIO): // for a regular file, EIO is an error of the disk
		return false
	}
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// endError returns the error of a command that ended with err. If err is nil, it returns the error of lost output.
func (p *outputStream) endError(err error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.writeErr == nil {
		return err
	}
	return JoinLostOutput(err, fmt.Errorf("what was to be printed is lost: %w", p.writeErr))
}

// JoinLostOutput combines the error of a command with that of its lost output. The command's error comes first; of an
// outcome and the lost output the worse code is kept.
func JoinLostOutput(err, lost error) error {
	var outcome *exitcode.Outcome
	switch {
	case err != nil && !errors.As(err, &outcome):
		return err
	case outcome != nil && outcome.Code == exitcode.Interrupted:
		return fmt.Errorf("%w: %w", loadgen.ErrInterrupted, lost)
	}
	return sdk.Usage(lost)
}
