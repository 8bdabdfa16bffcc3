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
		Model:   os.Args[2], Scenarios: []string{"Offline"},
		Out: os.Args[3],
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range doc.Runs {
		fmt.Println(r)
	}
}
