module github.com/plumbline-ml/plumbline/backends/openai

go 1.26.0
