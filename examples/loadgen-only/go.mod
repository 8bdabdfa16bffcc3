module github.com/plumbline-ml/plumbline/examples/loadgen-only

go 1.26.0

require github.com/plumbline-ml/plumbline/loadgen v0.0.0

replace github.com/plumbline-ml/plumbline/loadgen => ../../loadgen
