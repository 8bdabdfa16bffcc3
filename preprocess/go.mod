module github.com/plumbline-ml/plumbline/preprocess

go 1.26.0

require (
	github.com/plumbline-ml/plumbline/internal v0.0.0
	golang.org/x/text v0.43.0
	google.golang.org/protobuf v1.36.12
)

replace github.com/plumbline-ml/plumbline/internal => ../internal
