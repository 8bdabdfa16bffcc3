// Command oip-mock is a server of the Open Inference Protocol without a model, for measurements and dry runs. All of
// its outputs are zeros.
//
//	oip-mock -name node-a -model resnet50 -in input_tensor:0=FP32[-1,3,224,224] -out ArgMax:0=INT64[-1]
package main

import (
	"flag"
	"fmt"
	"net"
	"os"

	"github.com/plumbline-ml/plumbline/internal/testkit/oiptest"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	var o oiptest.ServerOptions
	address := flag.String("listen", "localhost:8001", "address to listen at; port 0 chooses one")
	flag.StringVar(&o.Name, "name", "mock", "the server's name")
	flag.StringVar(&o.Model, "model", "mock", "the model's name")
	flag.DurationVar(&o.Delay, "delay", 0, "time of each answer")
	flag.BoolVar(&o.NoMetadata, "no-metadata", false, "do not tell the server's name")
	flag.Func("in", "an input, NAME=DATATYPE[N,...] (repeatable)", addTensor(&o.Inputs))
	flag.Func("out", "an output, likewise (repeatable)", addTensor(&o.Outputs))
	flag.Parse()
	server, err := oiptest.New(o)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", *address)
	if err != nil {
		return err
	}
	fmt.Println(listener.Addr())
	return server.Serve(listener)
}

func addTensor(to *[]oiptest.Tensor) func(string) error {
	return func(text string) error {
		t, err := oiptest.ParseTensor(text)
		*to = append(*to, t)
		return err
	}
}
