module github.com/plumbline-ml/plumbline/backends/ort

go 1.26.0

require (
	github.com/plumbline-ml/plumbline/sdk v0.0.0
	github.com/yalue/onnxruntime_go v1.27.0
)

require github.com/k2-fsa/sherpa-onnx-go-linux v1.13.8

replace (
	github.com/plumbline-ml/plumbline/loadgen => ../../loadgen
	github.com/plumbline-ml/plumbline/sdk => ../../sdk
)
