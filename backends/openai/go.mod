module github.com/plumbline-ml/plumbline/backends/openai

go 1.26.0

require (
	github.com/plumbline-ml/plumbline/internal v0.0.0
	github.com/plumbline-ml/plumbline/loadgen v0.0.0
	github.com/plumbline-ml/plumbline/sdk v0.0.0
)

replace (
	github.com/plumbline-ml/plumbline/internal => ../../internal
	github.com/plumbline-ml/plumbline/loadgen => ../../loadgen
	github.com/plumbline-ml/plumbline/sdk => ../../sdk
)
