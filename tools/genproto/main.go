// Command genproto compiles the project's .proto files and writes the generated Go, without protoc.
//
//	go run ./genproto      (in tools/)
package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "genproto:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	root, err := findRoot()
	if err != nil {
		return err
	}
	files, err := generateAll(ctx, root)
	if err != nil {
		return err
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(root, filepath.FromSlash(name)), []byte(content), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// findRoot finds the folder that contains go.work, starting at the working directory and going up.
func findRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.work")); err == nil {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", fmt.Errorf("no go.work above the working directory: run this inside the project")
		}
		dir = parent
	}
}
