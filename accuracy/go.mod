module github.com/plumbline-ml/plumbline/accuracy

go 1.26.0

replace github.com/plumbline-ml/plumbline/preprocess => ../preprocess
