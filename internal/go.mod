module github.com/plumbline-ml/plumbline/internal

go 1.26.0
