module github.com/plumbline-ml/plumbline/tools

go 1.26.0
