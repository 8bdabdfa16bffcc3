module github.com/plumbline-ml/plumbline/datasets

go 1.26.0
