module github.com/plumbline-ml/plumbline/accuracy

go 1.26.0

require (
	github.com/mozillazg/go-unidecode v0.2.0
	github.com/plumbline-ml/plumbline/internal v0.0.0
	github.com/plumbline-ml/plumbline/preprocess v0.0.0
	golang.org/x/text v0.44.0
	gonum.org/v1/gonum v0.17.0
)

require google.golang.org/protobuf v1.36.12 // indirect

replace (
	github.com/plumbline-ml/plumbline/internal => ../internal
	github.com/plumbline-ml/plumbline/preprocess => ../preprocess
)
