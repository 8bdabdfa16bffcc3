module github.com/plumbline-ml/plumbline/preprocess

go 1.26.0

require (
	github.com/mewkiz/flac v1.0.13
	github.com/plumbline-ml/plumbline/internal v0.0.0
	golang.org/x/net v0.62.0
	golang.org/x/text v0.44.0
	gonum.org/v1/gonum v0.17.0
	google.golang.org/protobuf v1.36.12
)

require (
	github.com/icza/bitio v1.1.0 // indirect
	github.com/mewkiz/pkg v0.0.0-20250417130911-3f050ff8c56d // indirect
	github.com/mewpkg/term v0.0.0-20241026122259-37a80af23985 // indirect
)

replace github.com/plumbline-ml/plumbline/internal => ../internal
