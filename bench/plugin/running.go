package plugin

import "sync"

// Running is the plugin that runs at the moment, for those who must be able to end it from elsewhere. The zero value
// holds none. Any goroutine may use it.
type Running struct {
	mu      sync.Mutex
	current Plugin
}

// Hold takes note of a plugin that was started; nil: it was closed.
func (r *Running) Hold(p Plugin) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.current = p
}

// Kill ends the plugin at once, if there is one.
func (r *Running) Kill() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.current != nil {
		r.current.Kill()
	}
}
