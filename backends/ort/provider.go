package ort

import (
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/sdk/backend"
	onnxruntime "github.com/yalue/onnxruntime_go"
)

// executionProvider describes an execution provider: its name as an option, ONNX Runtime's name for it, and how to add
// it.
type executionProvider struct {
	name   string
	native string
	// add appends the provider to the session's options; nil for the CPU, which is always available.
	add func(o *onnxruntime.SessionOptions, given map[string]string) error
	// deviceOption is the provider's option that selects one of its devices; empty: it has only one.
	deviceOption string
	// deviceFiles is the pattern of the device files on Linux, one for each device; empty: unknown.
	deviceFiles string
}

// deviceNumber is a chooser whose value is a number, by default 0.
const deviceNumber = "device_id"

// nvidiaFiles is the pattern of the device files of NVIDIA's driver.
const nvidiaFiles = "/dev/nvidia[0-9]*"

// executionProviders lists the execution providers that the binding can add. A library contains those with which it was
// built.
func executionProviders() []executionProvider {
	return []executionProvider{
		{"cpu", "CPUExecutionProvider", nil, "", ""},
		{"cuda", "CUDAExecutionProvider", addCUDA, deviceNumber, nvidiaFiles},
		{"tensorrt", "TensorrtExecutionProvider", addTensorRT, deviceNumber, nvidiaFiles},
		{"openvino", "OpenVINOExecutionProvider", (*onnxruntime.SessionOptions).AppendExecutionProviderOpenVINO,
			"device_type", ""},
		{"coreml", "CoreMLExecutionProvider", (*onnxruntime.SessionOptions).AppendExecutionProviderCoreMLV2, "", ""},
		{"dnnl", "DnnlExecutionProvider", addNamed("Dnnl"), "", ""},
		{"migraphx", "MIGraphXExecutionProvider", addNamed("MIGraphX"), deviceNumber, "/dev/dri/renderD*"},
		{"nv_tensorrt_rtx", "NvTensorRTRTXExecutionProvider", addNamed("NvTensorRtRtx"), deviceNumber, nvidiaFiles},
		{"qnn", "QNNExecutionProvider", addNamed("QNN"), "", ""},
		{"vitisai", "VitisAIExecutionProvider", addNamed("VitisAI"), "", ""},
		{"webgpu", "WebGpuExecutionProvider", addNamed("WebGPU"), "", ""},
		{"xnnpack", "XnnpackExecutionProvider", addNamed("XNNPACK"), "", ""},
	}
}

func providerNames() []string {
	all := executionProviders()
	names := make([]string, len(all))
	for i, p := range all {
		names[i] = p.name
	}
	return names
}

// deviceNames lists the devices of a library, with the names that a run can choose.
func (l library) deviceNames() []string {
	var all []string
	for _, native := range l.providers {
		i := slices.IndexFunc(executionProviders(), func(p executionProvider) bool { return p.native == native })
		if i < 0 {
			continue // for example Azure's provider, which is not a device and cannot be added
		}
		all = append(all, executionProviders()[i].foundDevices()...)
	}
	return all
}

// foundDevices lists a provider's devices that the system shows, or else the provider.
func (p executionProvider) foundDevices() []string {
	if allowed, err := allowedCores(); p.name == defaultProvider && err == nil {
		return []string{p.name + ":" + allowed.String()}
	}
	var all []string
	if p.deviceFiles != "" && runtime.GOOS == "linux" {
		paths, _ := filepath.Glob(p.deviceFiles) // fails only for an invalid pattern
		for i := range paths {
			all = append(all, p.name+":"+strconv.Itoa(i))
		}
	}
	if len(all) == 0 {
		return []string{p.name}
	}
	return all
}

func findProvider(name string) (executionProvider, error) {
	for _, p := range executionProviders() {
		if p.name == name {
			return p, nil
		}
	}
	return executionProvider{}, fmt.Errorf("want one of %s", strings.Join(providerNames(), ", "))
}

// addProvider adds the selected provider before the CPU.
func addProvider(o *onnxruntime.SessionOptions, s ortSettings, lib library) error {
	p, err := findProvider(s.provider)
	if err != nil {
		return err
	}
	if !slices.Contains(lib.providers, p.native) {
		return fmt.Errorf("%w: %s: the library %s (ONNX Runtime %s) has only %s; name one built for %s with option lib",
			backend.ErrOption, s.choiceReason(), lib.path, lib.version, strings.Join(lib.deviceNames(), ", "), p.name)
	}
	if p.add == nil {
		if len(s.providerOptions) > 0 {
			return fmt.Errorf("%w: options provider.KEY are given, but the cpu provider has none", backend.ErrOption)
		}
		return nil
	}
	if err := p.add(o, s.providerOptions); err != nil {
		return fmt.Errorf("%w: %s: %w", backend.ErrOption, s.choiceReason(), err)
	}
	return nil
}

// choiceReason returns the reason for the choice of the provider, for messages.
func (s ortSettings) choiceReason() string {
	if s.device.name != "" {
		return "device " + s.device.name
	}
	return "option provider=" + s.provider
}

func addNamed(name string) func(*onnxruntime.SessionOptions, map[string]string) error {
	return func(o *onnxruntime.SessionOptions, given map[string]string) error {
		return o.AppendExecutionProvider(name, given)
	}
}

func addCUDA(o *onnxruntime.SessionOptions, given map[string]string) error {
	cuda, err := onnxruntime.NewCUDAProviderOptions()
	if err != nil {
		return err
	}
	defer func() { _ = cuda.Destroy() }()
	if err := cuda.Update(given); err != nil {
		return err
	}
	return o.AppendExecutionProviderCUDA(cuda)
}

func addTensorRT(o *onnxruntime.SessionOptions, given map[string]string) error {
	trt, err := onnxruntime.NewTensorRTProviderOptions()
	if err != nil {
		return err
	}
	defer func() { _ = trt.Destroy() }()
	if err := trt.Update(given); err != nil {
		return err
	}
	return o.AppendExecutionProviderTensorRT(trt)
}
