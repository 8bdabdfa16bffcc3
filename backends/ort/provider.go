package ort

import (
	"fmt"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/sdk/backend"
	onnxruntime "github.com/yalue/onnxruntime_go"
)

// provider is an execution provider: its name as an option, ONNX Runtime's name for it, and how it is added.
type provider struct {
	name   string
	native string
	// add appends it to the session's options; nil for the CPU, which is always there.
	add func(o *onnxruntime.SessionOptions, device map[string]string) error
}

// providers lists the execution providers that the binding can add. A library has those it was built with.
func providers() []provider {
	return []provider{
		{"cpu", "CPUExecutionProvider", nil},
		{"cuda", "CUDAExecutionProvider", addCUDA},
		{"tensorrt", "TensorrtExecutionProvider", addTensorRT},
		{"openvino", "OpenVINOExecutionProvider", (*onnxruntime.SessionOptions).AppendExecutionProviderOpenVINO},
		{"coreml", "CoreMLExecutionProvider", (*onnxruntime.SessionOptions).AppendExecutionProviderCoreMLV2},
		{"dnnl", "DnnlExecutionProvider", addNamed("Dnnl")},
		{"migraphx", "MIGraphXExecutionProvider", addNamed("MIGraphX")},
		{"nv_tensorrt_rtx", "NvTensorRTRTXExecutionProvider", addNamed("NvTensorRtRtx")},
		{"qnn", "QNNExecutionProvider", addNamed("QNN")},
		{"vitisai", "VitisAIExecutionProvider", addNamed("VitisAI")},
		{"webgpu", "WebGpuExecutionProvider", addNamed("WebGPU")},
		{"xnnpack", "XnnpackExecutionProvider", addNamed("XNNPACK")},
	}
}

func providerNames() []string {
	all := providers()
	names := make([]string, len(all))
	for i, p := range all {
		names[i] = p.name
	}
	return names
}

// displayName turns ONNX Runtime's name of a provider into ours.
func displayName(native string) string {
	for _, p := range providers() {
		if p.native == native {
			return p.name
		}
	}
	return strings.ToLower(strings.TrimSuffix(native, "ExecutionProvider"))
}

// devices lists what a library runs on.
func (l library) devices() []string {
	names := make([]string, len(l.providers))
	for i, native := range l.providers {
		names[i] = displayName(native)
	}
	return names
}

func findProvider(name string) (provider, error) {
	for _, p := range providers() {
		if p.name == name {
			return p, nil
		}
	}
	return provider{}, fmt.Errorf("want one of %s", strings.Join(providerNames(), ", "))
}

// addProvider puts the chosen provider before the CPU.
func addProvider(o *onnxruntime.SessionOptions, s settings, lib library) error {
	p, err := findProvider(s.provider)
	if err != nil {
		return err
	}
	if !slices.Contains(lib.providers, p.native) {
		return fmt.Errorf("%w: option provider=%s: the library %s (ONNX Runtime %s) has only %s; name one built for %s with option lib",
			backend.ErrOption, p.name, lib.path, lib.version, strings.Join(lib.devices(), ", "), p.name)
	}
	if p.add == nil {
		if len(s.device) > 0 {
			return fmt.Errorf("%w: options %sKEY are given, but the cpu provider has none", backend.ErrOption, providerPrefix)
		}
		return nil
	}
	if err := p.add(o, s.device); err != nil {
		return fmt.Errorf("%w: option provider=%s: %w", backend.ErrOption, p.name, err)
	}
	return nil
}

func addNamed(name string) func(*onnxruntime.SessionOptions, map[string]string) error {
	return func(o *onnxruntime.SessionOptions, device map[string]string) error {
		return o.AppendExecutionProvider(name, device)
	}
}

func addCUDA(o *onnxruntime.SessionOptions, device map[string]string) error {
	cuda, err := onnxruntime.NewCUDAProviderOptions()
	if err != nil {
		return err
	}
	defer cuda.Destroy()
	if err := cuda.Update(device); err != nil {
		return err
	}
	return o.AppendExecutionProviderCUDA(cuda)
}

func addTensorRT(o *onnxruntime.SessionOptions, device map[string]string) error {
	trt, err := onnxruntime.NewTensorRTProviderOptions()
	if err != nil {
		return err
	}
	defer trt.Destroy()
	if err := trt.Update(device); err != nil {
		return err
	}
	return o.AppendExecutionProviderTensorRT(trt)
}
