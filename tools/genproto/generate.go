package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/bufbuild/protocompile"
	"github.com/bufbuild/protocompile/linker"
	"github.com/bufbuild/protocompile/protoutil"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/pluginpb"
)

// protoDirs returns the folders of .proto files, relative to the project's root. Each file names the Go package
// generated from it.
func protoDirs() []string { return []string{"sdk/proto", "backends/kserve/proto"} }

// modulePrefix is the part of a go_package that represents the project's root.
const modulePrefix = "github.com/plumbline-ml/plumbline/"

// generators are the tools of this module's go.mod that generate Go from descriptors, with their options.
var generators = []struct{ tool, options string }{
	{"protoc-gen-go", ""},
	{"protoc-gen-go-grpc", ""},
}

// generateAll calls generate for all of the project's folders.
func generateAll(ctx context.Context, root string) (map[string]string, error) {
	all := map[string]string{}
	for _, dir := range protoDirs() {
		files, err := generate(ctx, filepath.Join(root, filepath.FromSlash(dir)))
		if err != nil {
			return nil, err
		}
		maps.Copy(all, files)
	}
	return all, nil
}

// generate compiles every .proto file below dir and returns the generated files by their path relative to the project's
// root.
func generate(ctx context.Context, dir string) (map[string]string, error) {
	names, err := protoFiles(dir)
	if err != nil {
		return nil, err
	}
	compiler := protocompile.Compiler{
		Resolver:       protocompile.WithStandardImports(&protocompile.SourceResolver{ImportPaths: []string{dir}}),
		SourceInfoMode: protocompile.SourceInfoStandard,
	}
	compiled, err := compiler.Compile(ctx, names...)
	if err != nil {
		return nil, fmt.Errorf("compile the files below %s: %w", dir, err)
	}
	descriptors := withImports(compiled)
	out := map[string]string{}
	for _, g := range generators {
		err := runGenerator(ctx, g.tool, &pluginpb.CodeGeneratorRequest{
			FileToGenerate: names, Parameter: proto.String(g.options), ProtoFile: descriptors,
		}, out)
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

func protoFiles(dir string) ([]string, error) {
	var names []string
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.HasSuffix(name, ".proto") {
			names = append(names, name)
		}
		return err
	})
	if err == nil && len(names) == 0 {
		err = errors.New("no .proto file below it")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Clean(dir), err)
	}
	return names, nil
}

// withImports returns the descriptors of files, each after those that it imports, as generators require.
func withImports(files linker.Files) []*descriptorpb.FileDescriptorProto {
	var out []*descriptorpb.FileDescriptorProto
	seen := map[string]bool{}
	var visit func(f linker.File)
	visit = func(f linker.File) {
		if seen[f.Path()] {
			return
		}
		seen[f.Path()] = true
		imports := f.Imports()
		for i := range imports.Len() {
			visit(f.FindImportByPath(imports.Get(i).Path()))
		}
		out = append(out, protoutil.ProtoFromFileDescriptor(f))
	}
	for _, f := range files {
		visit(f)
	}
	return out
}

// runGenerator runs a tool of this module with protoc's plugin protocol and adds the generated files to out.
func runGenerator(ctx context.Context, tool string, request *pluginpb.CodeGeneratorRequest,
	out map[string]string) error {
	input, err := proto.MarshalOptions{Deterministic: true}.Marshal(request)
	if err != nil {
		return err
	}
	var stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, "go", "tool", tool)
	cmd.Stdin, cmd.Stderr = bytes.NewReader(input), &stderr
	output, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("go tool %s: %w: %s", tool, err, stderr.String())
	}
	var response pluginpb.CodeGeneratorResponse
	if err := proto.Unmarshal(output, &response); err != nil {
		return fmt.Errorf("go tool %s: answer: %w", tool, err)
	}
	if response.Error != nil {
		return fmt.Errorf("go tool %s: %s", tool, response.GetError())
	}
	for _, f := range response.File {
		name, ok := strings.CutPrefix(f.GetName(), modulePrefix)
		if !ok {
			return fmt.Errorf("go tool %s: file %s, want go_package to begin with %s", tool, f.GetName(), modulePrefix)
		}
		out[name] = f.GetContent()
	}
	return nil
}
