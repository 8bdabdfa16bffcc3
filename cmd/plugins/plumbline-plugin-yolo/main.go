// Command plumbline-plugin-yolo serves the object-detection benchmark of models without anchors.
package main

import (
	"github.com/plumbline-ml/plumbline/cmd/plugins/internal/backends"
	"github.com/plumbline-ml/plumbline/plugins/yolo"
	"github.com/plumbline-ml/plumbline/sdk/serve"
)

func main() { serve.Main(yolo.New(), backends.BackendOptions()...) }
