module github.com/plumbline-ml/plumbline/preprocess

go 1.26.0
