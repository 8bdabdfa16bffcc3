package cli

import (
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/plumbline-ml/plumbline/bench/exitcode"
)

// printed is a stream that remembers what it could not write.
type printed struct {
	to io.Writer

	mu   sync.Mutex
	lost error // the first one
}

func (p *printed) Write(text []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	n, err := p.to.Write(text)
	if p.lost == nil {
		p.lost = err
	}
	return n, err
}

// end is the error of a command that ended with err: what it printed in vain is one, if there is no other.
func (p *printed) end(err error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	var outcome *exitcode.Outcome
	if p.lost == nil || err != nil && !errors.As(err, &outcome) {
		return err
	}
	return fmt.Errorf("what was to be printed is lost: %w", p.lost)
}
