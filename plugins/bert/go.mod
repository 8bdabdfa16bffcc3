module github.com/plumbline-ml/plumbline/plugins/bert

go 1.26.0

replace (
	github.com/plumbline-ml/plumbline/accuracy => ../../accuracy
	github.com/plumbline-ml/plumbline/datasets => ../../datasets
	github.com/plumbline-ml/plumbline/loadgen => ../../loadgen
	github.com/plumbline-ml/plumbline/preprocess => ../../preprocess
	github.com/plumbline-ml/plumbline/sdk => ../../sdk
)
