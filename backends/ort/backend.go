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

// Backend opens models on ONNX Runtime. The zero value looks for the library beside the running binary.
type Backend struct {
	// Library is the path of libonnxruntime, or the folder that holds it. Option lib takes precedence; where both are
	// empty, the library is the one beside the binary or in lib/ beside it.
	Library string
}

var (
	_ backend.Backend       = Backend{}
	_ backend.Describer     = Backend{}
	_ backend.DeviceChooser = Backend{}
)

// Open loads m and returns a session for c.Concurrency runs at a time. The keys of c.Options are those of Describe.
// It reports the faults of the options, of the model file and of its tensors together: [backend.ErrOption],
// [backend.ErrModel] and [backend.ErrTensors] are in the chain, or else [ErrLibrary].
//
// m.Bytes is not referred to after Open.
func (b Backend) Open(ctx context.Context, m backend.Model, c backend.Config) (backend.Session, error) {
	s, err := b.open(ctx, m, c)
	if err != nil {
		return nil, fmt.Errorf("backend ort: %w", err)
	}
	return s, nil
}

func (b Backend) open(ctx context.Context, m backend.Model, c backend.Config) (*session, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	src := source{path: m.Path, bytes: m.Bytes}
	set, errOptions := readSettings(c.Options)
	errOptions = errors.Join(errOptions, set.place(c))
	found, errModel := src.read()
	if errModel == nil && found.Complete() {
		_, errModel = bind(m, found)
	}
	if err := errors.Join(errOptions, errModel); err != nil {
		return nil, err
	}
	path, err := locate(set.lib, b.Library)
	if err != nil {
		return nil, err
	}
	lib, err := process.start(path)
	if err != nil {
		return nil, err
	}
	return load(m, src, found, set, c, lib)
}

// load makes the session once the library runs.
func load(m backend.Model, src source, found onnx.Model, set settings, c backend.Config,
	lib library) (*session, error) {
	threads, concurrency := set.plan(c)
	own := set.spread(threads, concurrency)
	o, err := sessionOptions(set, threads, own, lib)
	if err != nil {
		return nil, err
	}
	defer func() { _ = o.Destroy() }()
	if err := src.complete(&found, o); err != nil {
		return nil, err
	}
	bound, err := bind(m, found)
	if err != nil {
		return nil, err
	}
	where, err := set.device.binding(own)
	if err != nil {
		return nil, err
	}
	core, err := src.createOn(where, bound, o)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w%s", backend.ErrModel, src, err, newerHint(err, lib))
	}
	return newSession(core, bound, where, limits(set, bound, concurrency), set.describe(lib, threads))
}

// newerHint says what helps where the model is newer than the library.
func newerHint(err error, lib library) string {
	text := strings.ToLower(err.Error())
	if !strings.Contains(text, "ir version") && !strings.Contains(text, "opset") {
		return ""
	}
	return fmt.Sprintf("; this is ONNX Runtime %s, and a newer one may read the model: get it by `harness fetch "+
		"onnxruntime`, or name one with option lib", lib.version)
}

// createOn loads the model where it will run, if that is said: the threads that ONNX Runtime starts are bound as the
// one that starts them, and the memory of the weights lies near the cores.
func (s source) createOn(where *binding, p ports,
	o *onnxruntime.SessionOptions) (*onnxruntime.DynamicAdvancedSession, error) {
	if where != nil {
		if err := where.enter(); err != nil {
			return nil, err
		}
		defer where.leave()
	}
	return s.create(p, o)
}

// create loads the model itself.
func (s source) create(p ports, o *onnxruntime.SessionOptions) (*onnxruntime.DynamicAdvancedSession, error) {
	if s.path == "" {
		return onnxruntime.NewDynamicAdvancedSessionWithONNXData(s.bytes, names(p.in), names(p.out), o)
	}
	return onnxruntime.NewDynamicAdvancedSession(s.path, names(p.in), names(p.out), o)
}
