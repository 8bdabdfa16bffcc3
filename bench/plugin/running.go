package plugin

import "sync"

// Running contains the currently running plugin, so that other goroutines can end it. The zero value contains none. It
// is safe for concurrent use.
type Running struct {
	mu      sync.Mutex
	current Plugin
}

// Hold stores a plugin that was started; nil means that it was closed.
func (r *Running) Hold(p Plugin) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.current = p
}

// Kill ends the plugin immediately, if there is one.
func (r *Running) Kill() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.current != nil {
		r.current.Kill()
	}
}
