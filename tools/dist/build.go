package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// platform is an architecture of Linux with its C compiler.
type platform struct{ arch, compiler string }

// compilerFor finds the C compiler for an architecture.
func compilerFor(arch string) (string, error) {
	names := map[string]string{"amd64": "x86_64-linux-gnu-gcc", "arm64": "aarch64-linux-gnu-gcc"}
	name, known := names[arch]
	switch {
	case !known:
		return "", fmt.Errorf("architecture %q: want amd64 or arm64", arch)
	case arch == runtime.GOARCH:
		return "gcc", nil
	}
	if _, err := exec.LookPath(name); err != nil {
		return "", fmt.Errorf("no C compiler for %s: %w (Debian: gcc-%s); or leave it out with -arch %s", arch, err,
			strings.TrimSuffix(strings.ReplaceAll(name, "_", "-"), "-gcc"), runtime.GOARCH)
	}
	return name, nil
}

// run runs a command in the checkout for a platform.
func (p platform) run(cgo string, args ...string) error {
	// Exclude gRPC's trace pages, which the binaries do not serve; they add 0.4 MB to each binary.
	return runWith([]string{
		"GOOS=linux", "GOARCH=" + p.arch, "CGO_ENABLED=" + cgo, "CC=" + p.compiler,
		"GOFLAGS=-trimpath -buildvcs=false -tags=grpcnotrace",
	}, args...)
}

// runLocal runs a command for this machine.
func runLocal(args ...string) error { return runWith(nil, args...) }

// runWith runs a command with additional environment variables.
func runWith(variables []string, args ...string) error {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = append(os.Environ(), variables...)
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w", strings.Join(args, " "), err)
	}
	return nil
}

func commandOutput(args ...string) (string, error) {
	text, err := exec.Command(args[0], args[1:]...).Output()
	return string(text), err
}

// pluginPrefix is the prefix of plugins' names, as the harness expects it.
const pluginPrefix = "plumbline-plugin-"

// Folders within the packed folder. They are relative to a prefix such as /usr; the harness finds them below any
// prefix.
var (
	binDir     = "bin"
	pluginsDir = filepath.Join("libexec", "plumbline", "plugins")
	shareDir   = "share"
)

// build makes the binaries, ONNX Runtime's library, the manual and the documents.
func (d *dist) build(p platform, dir string) error {
	plugins := filepath.Join(dir, pluginsDir)
	if err := os.MkdirAll(plugins, 0o755); err != nil {
		return err
	}
	// Omit the build id and the symbols, which depend on the folder of the checkout.
	flags := "-s -w -buildid= -X " + versionVariable + "=" + d.version
	return errors.Join(
		p.run("0", "go", "build", "-ldflags", flags, "-o", filepath.Join(dir, binDir)+"/", "./cmd/harness"),
		p.run("1", "go", "build", "-ldflags", "-s -w -buildid=", "-o", plugins+"/", "./cmd/plugins/plumbline-plugin-..."),
		d.placeRuntime(p, plugins),
		runLocal("go", "run", "./cmd/harness/internal/manuals", "-o", filepath.Join(dir, shareDir), "-version", d.version,
			"-date", fmt.Sprint(d.date.Unix())),
		d.placeDocs(dir, p.arch),
	)
}

// versionVariable is the variable that contains the harness's version.
const versionVariable = "github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/shell.version"
