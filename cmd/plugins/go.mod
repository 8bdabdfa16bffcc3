module github.com/plumbline-ml/plumbline/cmd/plugins

go 1.26.0

require (
	github.com/plumbline-ml/plumbline/sdk v0.0.0
	github.com/plumbline-ml/plumbline/loadgen v0.0.0
	github.com/plumbline-ml/plumbline/preprocess v0.0.0
	github.com/plumbline-ml/plumbline/accuracy v0.0.0
	github.com/plumbline-ml/plumbline/datasets v0.0.0
	github.com/plumbline-ml/plumbline/backends/ort v0.0.0
	github.com/plumbline-ml/plumbline/plugins/resnet50 v0.0.0
)

replace (
	github.com/plumbline-ml/plumbline/sdk => ../../sdk
	github.com/plumbline-ml/plumbline/loadgen => ../../loadgen
	github.com/plumbline-ml/plumbline/preprocess => ../../preprocess
	github.com/plumbline-ml/plumbline/accuracy => ../../accuracy
	github.com/plumbline-ml/plumbline/datasets => ../../datasets
	github.com/plumbline-ml/plumbline/backends/ort => ../../backends/ort
	github.com/plumbline-ml/plumbline/plugins/resnet50 => ../../plugins/resnet50
)
