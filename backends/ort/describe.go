package ort

import (
	"cmp"
	"strconv"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// Describe describes the library and lists the options. If no library is loaded yet, it loads the one that Open would
// load. If there is none, the detail "fault" contains the reason.
func (b Backend) Describe() backend.Info {
	lib, err := b.startLibrary()
	info := lib.describeLibrary()
	if err != nil {
		info.Details["fault"] = err.Error()
	}
	return info
}

func (b Backend) startLibrary() (library, error) {
	if lib, ok := process.loadedLibrary(); ok {
		return lib, nil
	}
	path, err := findLibrary(b.Library)
	if err != nil {
		return library{}, err
	}
	return probeLibrary(path)
}

func (l library) describeLibrary() backend.Info {
	info := backend.Info{Version: "ONNX Runtime", Devices: l.deviceNames(), Details: map[string]string{}}
	if l.version != "" {
		info.Version += " " + l.version
	}
	if l.path != "" {
		info.Details["library"] = l.path
	}
	s := defaultSettings()
	info.Options = s.optionList().Docs()
	return info
}

// describeSession describes how a session runs.
func (s ortSettings) describeSession(l library, threads int) backend.Info {
	info := l.describeLibrary()
	info.Devices = []string{cmp.Or(s.device.name, s.provider)}
	info.Details["provider"] = s.provider
	info.Details["threads"] = strconv.Itoa(threads)
	info.Details["inter_op"] = strconv.Itoa(s.interOp)
	for name, level := range optimizationLevels {
		if level == s.level {
			info.Details["opt"] = name
		}
	}
	return info
}
