package ort

import (
	"context"
	"errors"
	"fmt"

	"github.com/plumbline-ml/plumbline/backends/ort/internal/onnx"
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
	_ backend.Backend   = Backend{}
	_ backend.Describer = Backend{}
)

// Open loads m and returns a session for c.Concurrency runs at a time. It reports the faults of the options, of the
// model file and of its tensors together; [backend.ErrModel], [ErrLibrary] and [backend.ErrTensors] tell them apart. The keys of
// c.Options are those of Describe.
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
	found, errModel := src.read()
	if errModel == nil && ranked(found.Inputs) && ranked(found.Outputs) && !found.ORTFormat {
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
	return load(m, src, found, set, c, *lib)
}

// load makes the session once the library runs.
func load(m backend.Model, src source, found onnx.Model, set settings, c backend.Config, lib library) (*session, error) {
	threads, concurrency := set.plan(c)
	o, err := sessionOptions(set, c, threads, lib)
	if err != nil {
		return nil, err
	}
	defer o.Destroy()
	if err := src.complete(&found, o); err != nil {
		return nil, err
	}
	bound, err := bind(m, found)
	if err != nil {
		return nil, err
	}
	core, err := src.create(bound, o)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", backend.ErrModel, src, err)
	}
	return newSession(core, bound, limits(set, bound, concurrency), set.describe(lib, threads))
}

// create loads the model itself.
func (s source) create(p ports, o *onnxruntime.SessionOptions) (*onnxruntime.DynamicAdvancedSession, error) {
	if s.path == "" {
		return onnxruntime.NewDynamicAdvancedSessionWithONNXData(s.bytes, names(p.in), names(p.out), o)
	}
	return onnxruntime.NewDynamicAdvancedSession(s.path, names(p.in), names(p.out), o)
}

// sessionOptions translates the settings. The caller destroys the result.
func sessionOptions(s settings, c backend.Config, threads int, lib library) (*onnxruntime.SessionOptions, error) {
	o, err := onnxruntime.NewSessionOptions()
	if err != nil {
		return nil, err
	}
	mode := onnxruntime.ExecutionMode(onnxruntime.ExecutionModeSequential)
	if s.interOp > 1 {
		mode = onnxruntime.ExecutionModeParallel
	}
	err = errors.Join(
		o.SetIntraOpNumThreads(threads),
		o.SetInterOpNumThreads(s.interOp),
		o.SetExecutionMode(mode),
		o.SetGraphOptimizationLevel(s.level),
		o.SetCpuMemArena(s.arena),
		o.SetLogSeverityLevel(onnxruntime.LoggingLevelFatal),
		addConfig(o, s.entries(c)),
		addProvider(o, s, lib),
	)
	if err != nil {
		o.Destroy()
		return nil, err
	}
	return o, nil
}

// entries are the session config entries: our own, under those that the caller names.
func (s settings) entries(c backend.Config) map[string]string {
	all := map[string]string{"session.set_denormal_as_zero": "0"}
	if s.flushing {
		all["session.set_denormal_as_zero"] = "1"
	}
	if s.spin != "" {
		all["session.intra_op.allow_spinning"] = s.spin
	}
	for key, value := range s.config {
		all[key] = value
	}
	return all
}

func addConfig(o *onnxruntime.SessionOptions, entries map[string]string) error {
	var faults []error
	for key, value := range entries {
		if err := o.AddSessionConfigEntry(key, value); err != nil {
			faults = append(faults, fmt.Errorf("%w: option %s%s=%s: %w", backend.ErrOption, configPrefix, key, value, err))
		}
	}
	return errors.Join(faults...)
}
