package trust

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/plumbline-ml/plumbline/sdk/host"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/checksum"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/plugin"
)

// ErrRefused: a plugin is not the one that the lock file pins, or has no pin in it.
var ErrRefused = errors.New("the plugin is not trusted")

// Guard is a Launcher that starts pinned plugins only.
type Guard struct {
	plugin.Launcher
	Lock *Lock
}

// Launch implements plugin.Launcher. What is refused was not executed; the error wraps ErrRefused.
func (g Guard) Launch(ctx context.Context, path string, o host.LaunchOptions) (plugin.Plugin, error) {
	if err := g.Lock.Check(path); err != nil {
		return nil, err
	}
	return g.Launcher.Launch(ctx, path, o)
}

// Check compares the binary at path with its pin. The error, a *host.Error, says what was found, what is pinned and
// what to do.
func (l *Lock) Check(path string) error {
	name := strings.TrimPrefix(filepath.Base(path), host.BinaryPrefix)
	fault := &host.Error{Kind: host.KindStart, Plugin: name, Path: path, Err: ErrRefused}
	sum, _, err := checksum.File(path)
	if err != nil {
		fault.Found, fault.Err = "it was not started: "+err.Error(), errors.Join(ErrRefused, err)
		return fault
	}
	want, pinned := l.Pin(path)
	switch {
	case !pinned:
		fault.Found = fmt.Sprintf("it was not started: it has no pin in %s; its sha256 is %s", l.Path, sum)
		fault.Hint = fmt.Sprintf("if you know where it is from, `harness trust %s` adds one", path)
	case want != sum:
		fault.Found = fmt.Sprintf("it was not started: its sha256 is %s, %s pins %s", sum, l.Path, want)
		fault.Hint = fmt.Sprintf("if you built or installed it anew, `harness trust %s` updates the pin; if not, somebody has changed the file", path)
	default:
		return nil
	}
	return fault
}
