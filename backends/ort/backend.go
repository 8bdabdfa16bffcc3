package ort

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/onnx"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	onnxruntime "github.com/yalue/onnxruntime_go"
)

// Backend opens models on ONNX Runtime. The zero value looks for the library in the folder of the running binary.
type Backend struct {
	// Library is the path of libonnxruntime, or of the folder that contains it. Option lib takes precedence. If both are
	// empty, the library is in the binary's folder or in lib/ there.
	Library string
}

var (
	_ backend.Backend       = Backend{}
	_ backend.Describer     = Backend{}
	_ backend.DeviceChooser = Backend{}
)

// Open loads m and returns a session for c.Concurrency concurrent runs. Describe lists the keys of c.Options. The error
// lists the faults of the options, of the model file and of its tensors. It wraps [backend.ErrOption],
// [backend.ErrModel] and [backend.ErrTensors] for these, or else [ErrLibrary].
//
// Open does not keep m.Bytes.
func (b Backend) Open(ctx context.Context, m backend.Model, c backend.Config) (backend.Session, error) {
	s, err := b.openSession(ctx, m, c)
	if err != nil {
		return nil, fmt.Errorf("backend ort: %w", err)
	}
	return s, nil
}

func (b Backend) openSession(ctx context.Context, m backend.Model, c backend.Config) (*ortSession, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	src := modelSource{path: m.Path, bytes: m.Bytes}
	set, errOptions := readSettings(c.Options)
	errOptions = errors.Join(errOptions, set.useDevice(c))
	found, errModel := src.readModel()
	if errModel == nil && found.Complete() {
		_, errModel = bindPorts(m, found)
	}
	if err := errors.Join(errOptions, errModel); err != nil {
		return nil, err
	}
	path, err := findLibrary(set.lib, b.Library)
	if err != nil {
		return nil, err
	}
	lib, err := process.startRuntime(path)
	if err != nil {
		return nil, err
	}
	return loadSession(m, src, found, set, c, lib)
}

// loadSession creates the session after the library has been started.
func loadSession(m backend.Model, src modelSource, found onnx.Model, set ortSettings, c backend.Config,
	lib library) (*ortSession, error) {
	threads, concurrency := set.planThreads(c)
	own := set.spreadThreads(threads, concurrency)
	o, err := sessionOptions(set, threads, own, lib)
	if err != nil {
		return nil, err
	}
	defer func() { _ = o.Destroy() }()
	if err := src.completeModel(&found, o); err != nil {
		return nil, err
	}
	bound, err := bindPorts(m, found)
	if err != nil {
		return nil, err
	}
	where, err := set.device.newBinding(own)
	if err != nil {
		return nil, err
	}
	core, err := src.createOn(where, bound, o)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w%s", backend.ErrModel, src, err, newerHint(err, lib))
	}
	return newSession(core, bound, where, sessionLimits(set, bound, concurrency), set.describeSession(lib, threads))
}

// newerHint returns advice for a model that is newer than the library.
func newerHint(err error, lib library) string {
	text := strings.ToLower(err.Error())
	if !strings.Contains(text, "ir version") && !strings.Contains(text, "opset") {
		return ""
	}
	return fmt.Sprintf("; this is ONNX Runtime %s, and a newer one may read the model: get it by `harness fetch "+
		"onnxruntime`, or name one with option lib", lib.version)
}

// createOn loads the model on the cores on which it will run, if they are given. ONNX Runtime's threads inherit the
// binding of the thread that starts them, and the weights are in memory near the cores.
func (s modelSource) createOn(where *threadBinding, p sessionPorts,
	o *onnxruntime.SessionOptions) (*onnxruntime.DynamicAdvancedSession, error) {
	if where != nil {
		if err := where.enter(); err != nil {
			return nil, err
		}
		defer where.leave()
	}
	return s.createSession(p, o)
}

// createSession loads the model on the current thread.
func (s modelSource) createSession(p sessionPorts, o *onnxruntime.SessionOptions) (*onnxruntime.DynamicAdvancedSession,
	error) {
	if s.path == "" {
		return onnxruntime.NewDynamicAdvancedSessionWithONNXData(s.bytes, portNames(p.in), portNames(p.out), o)
	}
	return onnxruntime.NewDynamicAdvancedSession(s.path, portNames(p.in), portNames(p.out), o)
}
