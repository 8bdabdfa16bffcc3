// Command packages writes docs/packages.md, the table of all Go packages, from their package comments.
//
//	go run ./tools/packages      (at the top of the checkout)
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	if err := run("."); err != nil {
		fmt.Fprintln(os.Stderr, "packages:", err)
		os.Exit(1)
	}
}

func run(top string) error {
	page, err := writePage(top)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(top, "docs", "packages.md"), []byte(page), 0o644)
}
