package plugintest

import (
	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// Samples is the size of Classifier's own data set.
const Samples = 64

// Classifier returns a plugin without faults that has two models, "resnet50" and "mobilenet", whose embedded FP32
// models are right in 95 % of the cases. Its smoke runs take some milliseconds.
func Classifier() *Fake {
	return &Fake{
		Description: Description(),
		Info: sdk.WorkloadInfo{
			Model: "resnet50", ModelFile: "embedded-fp32", Embedded: true, Precision: "fp32",
			ModelSHA256: "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff", ModelSize: 1_234_567,
			Dataset: "synthetic", DatasetSize: Samples, PerformanceSampleCount: Samples,
			Backend: "ort", BackendInfo: map[string]string{
				"version": "ONNX Runtime 1.28.2", "library": "/usr/lib/libonnxruntime.so",
			},
			Batch: 8, Sessions: 2,
		},
		BackendInfo: []sdk.BackendInfo{{Name: "ort", Info: backend.Info{
			Version: "ONNX Runtime 1.28.2", Devices: []string{"cpu:0-7", "cuda:0", "cuda:1"},
			Details: map[string]string{"library": "/usr/lib/libonnxruntime.so"},
			Options: []backend.Option{{Name: "threads", Default: "auto", Help: "threads of one Run"}},
		}}},
		Score: sdk.Score{
			Metrics:      []sdk.Metric{{Name: "accuracy", Unit: "%", Value: 95}},
			OfficialText: "accuracy=95.000%, good=61, total=64",
		},
	}
}

// Description returns the description of Classifier.
func Description() sdk.Description {
	model := sdk.ModelInfo{
		Name: "resnet50", Summary: "image classification, ImageNet, 1000 classes", LoadGenKey: "resnet50", RulesKey: "resnet",
		Scenarios: loadgen.Scenarios(),
		Files: []sdk.ModelFile{
			{Name: "embedded-fp32", Embedded: true, Precision: "fp32", Size: 1_234_567, Licence: "Apache-2.0",
				Reference: []sdk.Metric{{Name: "accuracy", Unit: "%", Value: 95}}},
			{Name: "embedded-int8", Embedded: true, Precision: "int8", Size: 400_000, Licence: "Apache-2.0",
				Reference: []sdk.Metric{{Name: "accuracy", Unit: "%", Value: 94.6}},
				Note:      "static quantisation, UInt8 activations"},
			{Name: "resnet50_v1.onnx", Precision: "fp32", URL: "http://example.org/resnet50_v1.onnx", Size: 102_470_000,
				Licence: "Apache-2.0", Reference: []sdk.Metric{{Name: "accuracy", Unit: "%", Value: 76.456}}},
		},
		Datasets: []sdk.DatasetInfo{
			{Name: "synthetic", Embedded: true, Samples: Samples, PerformanceSampleCount: Samples,
				Layout: "drawn by the plugin"},
			{Name: "imagenet", Samples: 50_000, PerformanceSampleCount: 1024,
				Layout: "a folder with val_map.txt and the pictures",
				Note:   "its licence forbids downloading: see image-net.org"},
		},
		Metrics: []sdk.MetricInfo{{Name: "accuracy", Unit: "%", Reference: 76.46, Target: 75.6954, Share: 0.99}},
		Params:  []sdk.ParamInfo{{Name: "dtype", Default: "float32", Help: "element type of the payloads", Roles: "element"}},
		Smoke:   smoke(),
	}
	second := model
	second.Name, second.Summary, second.LoadGenKey = "mobilenet", "a smaller network", "mobilenet"
	return sdk.Description{
		Name: "resnet50", Version: "0.1.0", Summary: "image classification", Backends: []string{"ort"},
		Models: []sdk.ModelInfo{model, second},
	}
}

func smoke() []sdk.SmokeSetting {
	return []sdk.SmokeSetting{
		{Scenario: loadgen.SingleStream, Key: "min_query_count", Value: "1000"},
		{Scenario: loadgen.SingleStream, Key: "target_latency", Value: "0.00005"},
		{Scenario: loadgen.MultiStream, Key: "min_query_count", Value: "1000"},
		{Scenario: loadgen.MultiStream, Key: "target_latency", Value: "0.0001"},
		{Scenario: loadgen.Server, Key: "min_duration", Value: "5"},
		{Scenario: loadgen.Server, Key: "target_qps", Value: "40000"},
		{Scenario: loadgen.Server, Key: "min_query_count", Value: "1000"},
		// The limit also suffices for a machine that is busy for a while.
		{Scenario: loadgen.Server, Key: "target_latency", Value: "60000"},
		{Scenario: loadgen.Offline, Key: "min_query_count", Value: "100000"},
	}
}
