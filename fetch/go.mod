module github.com/plumbline-ml/plumbline/fetch

go 1.26.0
