module github.com/plumbline-ml/plumbline/accuracy

go 1.26.0

require github.com/plumbline-ml/plumbline/preprocess v0.0.0

replace github.com/plumbline-ml/plumbline/preprocess => ../preprocess
