// Command plumbline-plugin-yolo serves the benchmark of anchor-free object detection.
package main

import (
	"github.com/plumbline-ml/plumbline/cmd/plugins/internal/backends"
	"github.com/plumbline-ml/plumbline/plugins/yolo"
	"github.com/plumbline-ml/plumbline/sdk/serve"
)

func main() { serve.Main(yolo.New(), backends.BackendOptions()...) }
