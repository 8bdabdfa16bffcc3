module github.com/plumbline-ml/plumbline/examples

go 1.26.0

require (
	github.com/plumbline-ml/plumbline v0.0.0
	github.com/plumbline-ml/plumbline/loadgen v0.0.0
)

require (
	github.com/fatih/color v1.15.0 // indirect
	github.com/goccy/go-yaml v1.19.2 // indirect
	github.com/golang/protobuf v1.5.4 // indirect
	github.com/hashicorp/go-hclog v1.6.3 // indirect
	github.com/hashicorp/go-plugin v1.8.0 // indirect
	github.com/hashicorp/yamux v0.1.2 // indirect
	github.com/mattn/go-colorable v0.1.13 // indirect
	github.com/mattn/go-isatty v0.0.19 // indirect
	github.com/oklog/run v1.1.0 // indirect
	github.com/plumbline-ml/plumbline/sdk v0.0.0 // indirect
	golang.org/x/net v0.62.0 // indirect
	golang.org/x/sys v0.50.0 // indirect
	golang.org/x/text v0.44.0 // indirect
	google.golang.org/genproto/googleapis/rpc v0.0.0-20260928230214-8a89bd6388cc // indirect
	google.golang.org/grpc v1.85.0 // indirect
	google.golang.org/protobuf v1.36.12 // indirect
)

replace (
	github.com/plumbline-ml/plumbline => ../
	github.com/plumbline-ml/plumbline/loadgen => ../loadgen
	github.com/plumbline-ml/plumbline/sdk => ../sdk
)
