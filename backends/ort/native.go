package ort

import (
	"errors"
	"fmt"
	"maps"

	"github.com/plumbline-ml/plumbline/sdk/backend"
	onnxruntime "github.com/yalue/onnxruntime_go"
)

// sessionOptions returns ONNX Runtime's options for the settings. The caller must destroy the result.
func sessionOptions(s ortSettings, threads int, own []int, lib library) (*onnxruntime.SessionOptions, error) {
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
		addConfig(o, s.configEntries(own)),
		addProvider(o, s, lib),
	)
	if err != nil {
		_ = o.Destroy()
		return nil, err
	}
	return o, nil
}

// configEntries returns the session config entries: the backend's own, overridden by those of the user.
func (s ortSettings) configEntries(own []int) map[string]string {
	all := map[string]string{}
	if len(own) > 0 {
		all[affinitiesKey] = affinityString(own[1:])
	}
	if s.flushing {
		all["session.set_denormal_as_zero"] = "1"
	}
	if s.spin != "" {
		all["session.intra_op.allow_spinning"] = s.spin
	}
	maps.Copy(all, s.config)
	return all
}

func addConfig(o *onnxruntime.SessionOptions, entries map[string]string) error {
	var faults []error
	for key, value := range entries {
		if err := o.AddSessionConfigEntry(key, value); err != nil {
			faults = append(faults, fmt.Errorf("%w: option config.%s=%s: %w", backend.ErrOption, key, value, err))
		}
	}
	return errors.Join(faults...)
}
