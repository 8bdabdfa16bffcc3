// Command site makes a site from the documents: an HTML page for each Markdown page, with links back.
//
//	go run ./tools/site -o dist/site      (at the top of the checkout)
package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	out := flag.String("o", "dist/site", "the folder to write")
	flag.Parse()
	if err := writeSite(".", *out); err != nil {
		fmt.Fprintln(os.Stderr, "site:", err)
		os.Exit(1)
	}
}
