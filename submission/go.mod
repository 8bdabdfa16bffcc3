module github.com/plumbline-ml/plumbline/submission

go 1.26.0

require (
	github.com/goccy/go-yaml v1.19.2
	github.com/plumbline-ml/plumbline/bench v0.0.0
	github.com/plumbline-ml/plumbline/fetch v0.0.0
	github.com/plumbline-ml/plumbline/internal v0.0.0
	github.com/plumbline-ml/plumbline/loadgen v0.0.0
)

replace (
	github.com/plumbline-ml/plumbline/bench => ../bench
	github.com/plumbline-ml/plumbline/fetch => ../fetch
	github.com/plumbline-ml/plumbline/internal => ../internal
	github.com/plumbline-ml/plumbline/loadgen => ../loadgen
	github.com/plumbline-ml/plumbline/sdk => ../sdk
)
