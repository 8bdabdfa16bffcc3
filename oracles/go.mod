module github.com/plumbline-ml/plumbline/oracles

go 1.26.0

require (
	github.com/disintegration/imaging v1.6.2
	github.com/plumbline-ml/plumbline/accuracy v0.0.0
	github.com/plumbline-ml/plumbline/preprocess v0.0.0
	gonum.org/v1/gonum v0.17.0
)

require (
	github.com/plumbline-ml/plumbline/internal v0.0.0 // indirect
	golang.org/x/image v0.48.0 // indirect
)

replace (
	github.com/plumbline-ml/plumbline/accuracy => ../accuracy
	github.com/plumbline-ml/plumbline/internal => ../internal
	github.com/plumbline-ml/plumbline/preprocess => ../preprocess
)
