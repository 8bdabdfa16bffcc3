// Command site makes a site of the documents: a page of HTML for each page of Markdown, with its way back.
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
