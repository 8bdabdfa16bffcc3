// Command library runs a benchmark from a Go program: library PLUGINS MODEL OUT.
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/plumbline-ml/plumbline/bench"
)

func main() {
	doc, err := bench.Run(context.Background(), bench.Request{
		Plugins: bench.Plugins{Dirs: os.Args[1:2]},
		Model:   bench.Model{Name: os.Args[2]},
		Load:    bench.Load{Scenarios: []string{"Offline"}},
		Output:  bench.Output{Dir: os.Args[3]},
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range doc.Runs {
		fmt.Println(r)
	}
}
