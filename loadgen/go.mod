module github.com/plumbline-ml/plumbline/loadgen

go 1.26.0
