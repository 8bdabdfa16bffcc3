module github.com/plumbline-ml/plumbline/e2e

go 1.26.0

require (
	github.com/plumbline-ml/plumbline/sdk v0.0.0
	golang.org/x/sys v0.49.0
)

replace (
	github.com/plumbline-ml/plumbline/loadgen => ../loadgen
	github.com/plumbline-ml/plumbline/sdk => ../sdk
)
