module github.com/plumbline-ml/plumbline/e2e

go 1.26.0

require (
	github.com/goccy/go-yaml v1.19.2
	github.com/hanwen/go-fuse/v2 v2.12.1
	github.com/mewkiz/flac v1.0.13
	github.com/parquet-go/parquet-go v0.32.0
	github.com/plumbline-ml/plumbline/backends/kserve v0.0.0
	github.com/plumbline-ml/plumbline/datasets v0.0.0
	github.com/plumbline-ml/plumbline/internal v0.0.0
	github.com/plumbline-ml/plumbline/loadgen v0.0.0
	github.com/plumbline-ml/plumbline/sdk v0.0.0
	golang.org/x/sys v0.50.0
)

require (
	github.com/andybalholm/brotli v1.2.3 // indirect
	github.com/fatih/color v1.13.0 // indirect
	github.com/golang/protobuf v1.5.4 // indirect
	github.com/google/uuid v1.6.0 // indirect
	github.com/hashicorp/go-hclog v1.6.3 // indirect
	github.com/hashicorp/go-plugin v1.8.0 // indirect
	github.com/hashicorp/yamux v0.1.2 // indirect
	github.com/icza/bitio v1.1.0 // indirect
	github.com/klauspost/compress v1.17.9 // indirect
	github.com/mattn/go-colorable v0.1.12 // indirect
	github.com/mattn/go-isatty v0.0.17 // indirect
	github.com/mewkiz/pkg v0.0.0-20250417130911-3f050ff8c56d // indirect
	github.com/mewpkg/term v0.0.0-20241026122259-37a80af23985 // indirect
	github.com/oklog/run v1.1.0 // indirect
	github.com/parquet-go/bitpack v1.0.0 // indirect
	github.com/parquet-go/jsonlite v1.0.0 // indirect
	github.com/pierrec/lz4/v4 v4.1.29 // indirect
	github.com/twpayne/go-geom v1.6.1 // indirect
	golang.org/x/net v0.62.0 // indirect
	golang.org/x/text v0.44.0 // indirect
	google.golang.org/genproto/googleapis/rpc v0.0.0-20260817212433-ac3dfec99bb1 // indirect
	google.golang.org/grpc v1.85.0 // indirect
	google.golang.org/protobuf v1.36.12 // indirect
)

replace (
	github.com/plumbline-ml/plumbline/backends/kserve => ../backends/kserve
	github.com/plumbline-ml/plumbline/datasets => ../datasets
	github.com/plumbline-ml/plumbline/internal => ../internal
	github.com/plumbline-ml/plumbline/loadgen => ../loadgen
	github.com/plumbline-ml/plumbline/sdk => ../sdk
)
