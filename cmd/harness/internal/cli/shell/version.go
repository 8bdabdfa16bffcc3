package shell

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/plumbline-ml/plumbline/bench/record"
)

// version is set by the linker in releases, for which the Go command has no version.
var version string

// Version returns the version from the linker or the Go command.
func Version() record.Harness {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return record.Harness{Version: "unknown"}
	}
	h := record.Harness{Version: cmp.Or(version, info.Main.Version)}
	h.Version = cmp.Or(h.Version, "devel")
	h.Build = fmt.Sprintf("%s %s/%s", runtime.Version(), runtime.GOOS, runtime.GOARCH)
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			h.Commit = s.Value
		case s.Key == "vcs.modified":
			h.Modified = s.Value == "true"
		case s.Key == "-tags" && s.Value != "":
			h.Build += ", tags " + s.Value
		case s.Key == "CGO_ENABLED" && s.Value == "1":
			h.Build += ", with cgo"
		}
	}
	return h
}
